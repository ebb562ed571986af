/// A piece of SQL: its text, and the values bound to its parameters.
///
/// A literal is SQL; a value interpolated into it is bound, never pasted:
///
/// ```swift
/// try db.execute("UPDATE Post SET status = \(Status.archived) WHERE createdAt < \(date)")
/// // UPDATE Post SET status = ? WHERE createdAt < ?
/// ```
///
/// `\(identifier: "name")` is a quoted name, `\(other)` another piece of SQL with its values, and
/// `\(unsafe: text)` text made at run time, pasted as it is. A `String` variable alone is no SQL:
/// where one must be, the word is `SQL(unsafe:)`.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#parameters>
public struct SQL: Sendable {
  /// The text, with `?` for each value.
  public private(set) var text: String
  /// The values, in the order of the `?`.
  package private(set) var bindings: [BoundValue]

  /// SQL made at run time, without values. It is run as it is: nobody else's text belongs into it.
  public init(unsafe text: String) {
    self.text = text
    self.bindings = []
  }

  package init(text: String, bindings: [BoundValue]) {
    self.text = text
    self.bindings = bindings
  }

  /// The values bound to the parameters, in order; a value that cannot be stored throws.
  public var values: [DatabaseValue] {
    get throws { try bindings.map { try $0.databaseValue } }
  }

  /// Appends another piece, its values behind those that are there.
  public mutating func append(_ other: SQL) {
    text += other.text
    bindings += other.bindings
  }

  /// Both pieces, one behind the other.
  public static func + (left: SQL, right: SQL) -> SQL {
    var sum = left
    sum.append(right)
    return sum
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// SQL without values.
  public init(stringLiteral value: String) {
    self.init(unsafe: value)
  }

  /// SQL with the values that were interpolated.
  public init(stringInterpolation interpolation: StringInterpolation) {
    self = interpolation.sql
  }

  /// Collects the literal parts and the values between them.
  public struct StringInterpolation: StringInterpolationProtocol {
    package var sql = SQL(unsafe: "")

    /// Makes room for a text of about that size.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// A part of the literal.
    public mutating func appendLiteral(_ literal: String) {
      sql.append(SQL(unsafe: literal))
    }

    /// A value: `?`, bound.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value)]))
    }

    /// A value, or NULL for nil: `?`, bound. Without it the compiler warns of text made of optionals.
    public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value)]))
    }

    /// A value in a stored form of its type, as its column declares it: `?`, bound.
    ///
    /// ```swift
    /// try db.rows("SELECT * FROM Visit WHERE day = \(date, as: .iso8601)")
    /// ```
    /// A form that the type does not have throws `ColumnValueError` when the value would be bound.
    public mutating func appendInterpolation(_ value: some ColumnValue, as form: StoredForm) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value, inForm: form)]))
    }

    /// A value in a stored form of its type, or NULL for nil: `?`, bound.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ value: Value?, as form: StoredForm
    ) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value, inForm: form)]))
    }

    /// A value of any storage class: `?`, bound.
    public mutating func appendInterpolation(_ value: DatabaseValue) {
      sql.append(SQL(text: "?", bindings: [.value(value)]))
    }

    /// Many values behind one parameter, as a table of one column, `value`: for IN, FROM and JOIN.
    ///
    /// ```swift
    /// try db.rows("SELECT * FROM animal WHERE name IN \(array: names)")
    /// // … WHERE name IN (SELECT value FROM apus_array(?))
    /// ```
    ///
    /// The SQL, and with it the prepared statement, is the same for one value and for 100,000. The
    /// values keep their order, and their place is the `rowid` of `apus_array(?)`. One without a
    /// stored form throws when it would be bound.
    /// - SeeAlso: <https://www.sqlite.org/carray.html>
    public mutating func appendInterpolation<Value: ColumnValue>(array values: some Sequence<Value>)
    {
      sql.append(
        SQL(text: "(SELECT value FROM apus_array(?))", bindings: [BoundValue(array: values)]))
    }

    /// A BLOB of so many bytes, all zero: `?`, bound without making them.
    ///
    /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
    public mutating func appendInterpolation(zeroBlob count: Int) {
      sql.append(SQL(text: "?", bindings: [.zeroBlob(count)]))
    }

    /// Another piece of SQL, with its values.
    public mutating func appendInterpolation(_ other: SQL) {
      sql.append(other)
    }

    /// A name, quoted.
    public mutating func appendInterpolation(identifier name: String) {
      sql.append(SQL(unsafe: Identifier(name).quoted))
    }

    /// A name, quoted.
    public mutating func appendInterpolation(_ identifier: Identifier) {
      sql.append(SQL(unsafe: identifier.quoted))
    }

    /// Text made at run time, pasted as it is: nobody else's text belongs here.
    public mutating func appendInterpolation(unsafe text: String) {
      sql.append(SQL(unsafe: text))
    }
  }
}

extension SQL: CustomStringConvertible {
  /// The text, without the values.
  public var description: String { text }
}
