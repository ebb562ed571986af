/// A piece of SQL: its text, and the values bound to its parameters.
///
/// In a literal, the text is SQL, and interpolated values are bound rather than pasted into the
/// text:
///
/// ```swift
/// try db.execute("UPDATE Post SET status = \(Status.archived) WHERE createdAt < \(date)")
/// // UPDATE Post SET status = ? WHERE createdAt < ?
/// ```
///
/// `\(identifier: "name")` inserts a quoted name. `\(other)` inserts another piece of SQL with its
/// values. `\(unsafe: text)` inserts text that was made at run time, unchanged. A `String` variable
/// is not accepted as SQL; use `SQL(unsafe:)` to convert one.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#parameters>
public struct SQL: Sendable {
  /// The text of the SQL, in which a `?` stands for each value.
  public private(set) var text: String
  /// The values for the `?` in the text, in order.
  package private(set) var bindings: [BoundValue]

  /// Makes SQL from text that was made at run time, without values. The text is run unchanged, so
  /// it must not contain untrusted input.
  public init(unsafe text: String) {
    self.text = text
    self.bindings = []
  }

  /// Makes SQL from text that was made at run time, with values for its parameters in their order.
  /// The text runs unchanged, so it must not contain untrusted input. If there are too few or too
  /// many values, running the SQL throws `DatabaseError` (`.range`).
  ///
  /// ```swift
  /// try db.execute(SQL(unsafe: "INSERT INTO animal VALUES (?, ?)", values: [33, "lulu"]))
  /// ```
  public init(unsafe text: String, values: [DatabaseValue]) {
    self.init(text: text, bindings: values.map { .value($0) })
  }

  /// Makes SQL from text that was made at run time, with values for its parameters by name.
  ///
  /// ```swift
  /// let sql = try SQL(
  ///   unsafe: "SELECT * FROM animal WHERE legs = :legs OR name = @name",
  ///   values: [":legs": 4, "@name": "lulu"])
  /// let rows = try db.rows(sql)
  /// ```
  ///
  /// Each named parameter is replaced by `?` in the text, and its value is bound there. Throws
  /// `DatabaseError` (`.range`) if a parameter has no value, if a value has no parameter, or for a
  /// parameter without a name.
  /// - SeeAlso: <https://www.sqlite.org/lang_expr.html#parameters>
  public init(unsafe text: String, values: [String: DatabaseValue]) throws {
    let tokens = SQLTokens(text)
    var (written, position, bindings) = ([UInt8](), 0, [BoundValue]())
    var unused = Set(values.keys)
    for token in tokens.tokens where token.kind == .parameter {
      guard let value = values[token.value] else {
        throw DatabaseError(
          code: .range, message: "no value was given for the parameter \(token.value)", sql: text)
      }
      unused.remove(token.value)
      written += tokens.bytes[position..<token.range.lowerBound] + [UInt8(ascii: "?")]
      position = token.range.upperBound
      bindings.append(.value(value))
    }
    if let name = unused.min() {
      throw DatabaseError(code: .range, message: "there is no parameter \(name)", sql: text)
    }
    written += tokens.bytes[position...]
    self.init(text: String(decoding: written, as: UTF8.self), bindings: bindings)
  }

  package init(text: String, bindings: [BoundValue]) {
    self.text = text
    self.bindings = bindings
  }

  /// The values bound to the parameters, in order. An array or a zero BLOB is replaced by a text
  /// that describes it. Throws `ColumnValueError` if a value cannot be stored.
  public var values: [DatabaseValue] {
    get throws { try bindings.map { try $0.databaseValue } }
  }

  /// Appends the text and the values of another piece of SQL.
  public mutating func append(_ other: SQL) {
    text += other.text
    bindings += other.bindings
  }

  /// Returns the two pieces joined, without a space between them.
  public static func + (left: SQL, right: SQL) -> SQL {
    var sum = left
    sum.append(right)
    return sum
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Makes SQL without values.
  public init(stringLiteral value: String) {
    self.init(unsafe: value)
  }

  /// Makes SQL from a string literal and the values that are interpolated in it.
  public init(stringInterpolation interpolation: StringInterpolation) {
    self = interpolation.sql
  }

  /// A collector of the parts of a string literal and of the values between them.
  public struct StringInterpolation: StringInterpolationProtocol {
    package var sql = SQL(unsafe: "")

    /// Makes an empty collector; the capacities are ignored.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the literal.
    public mutating func appendLiteral(_ literal: String) {
      sql.append(SQL(unsafe: literal))
    }

    /// Appends `?` and binds the value.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value)]))
    }

    /// Appends `?` and binds the value, or NULL for nil. Without this overload, the compiler would
    /// warn about an interpolated optional.
    public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value)]))
    }

    /// Appends `?` and binds the value in a stored form of its type. Choose the same form that the
    /// column declares, because a value in another form usually equals no stored value.
    ///
    /// ```swift
    /// try db.rows("SELECT * FROM Visit WHERE day = \(date, as: .iso8601)")
    /// ```
    /// If the type does not have that form, binding the value throws `ColumnValueError`.
    public mutating func appendInterpolation(_ value: some ColumnValue, as form: StoredForm) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value, inForm: form)]))
    }

    /// Appends `?` and binds the value in a stored form of its type, or NULL for nil.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ value: Value?, as form: StoredForm
    ) {
      sql.append(SQL(text: "?", bindings: [BoundValue(value, inForm: form)]))
    }

    /// Appends `?` and binds a value of any storage class.
    public mutating func appendInterpolation(_ value: DatabaseValue) {
      sql.append(SQL(text: "?", bindings: [.value(value)]))
    }

    /// Appends a table of the given values, which are all bound to one parameter. The table has one
    /// column, `value`, and a row for each value. It can be used after IN, FROM and JOIN.
    ///
    /// ```swift
    /// try db.rows("SELECT * FROM animal WHERE name IN \(array: names)")
    /// // … WHERE name IN (SELECT value FROM apus_array(?))
    /// ```
    ///
    /// The SQL, and therefore the prepared statement, is the same for one value and for 100,000.
    /// The values keep their order; the `rowid` of `apus_array(?)` is the index of the value. If a
    /// value has no stored form, binding throws `ColumnValueError`.
    /// - SeeAlso: <https://www.sqlite.org/carray.html>
    public mutating func appendInterpolation<Value: ColumnValue>(array values: some Sequence<Value>)
    {
      sql.append(
        SQL(text: "(SELECT value FROM apus_array(?))", bindings: [BoundValue(array: values)]))
    }

    /// Appends `?` and binds a BLOB of `count` zero bytes, without allocating them.
    ///
    /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
    public mutating func appendInterpolation(zeroBlob count: Int) {
      sql.append(SQL(text: "?", bindings: [.zeroBlob(count)]))
    }

    /// Appends another piece of SQL, with its values.
    public mutating func appendInterpolation(_ other: SQL) {
      sql.append(other)
    }

    /// Appends a quoted name.
    public mutating func appendInterpolation(identifier name: String) {
      sql.append(SQL(unsafe: Identifier(name).quoted))
    }

    /// Appends a quoted name.
    public mutating func appendInterpolation(_ identifier: Identifier) {
      sql.append(SQL(unsafe: identifier.quoted))
    }

    /// Appends the quoted name of a table.
    public mutating func appendInterpolation(_ table: TableName) {
      sql.append(SQL(unsafe: Identifier(table.name).quoted))
    }

    /// Appends text unchanged. It must not contain untrusted input.
    public mutating func appendInterpolation(unsafe text: String) {
      sql.append(SQL(unsafe: text))
    }
  }
}

extension SQL: CustomStringConvertible {
  /// The text, without the values.
  public var description: String { text }
}

extension SQL: Hashable {
  /// Returns whether two pieces have the same text, byte by byte, and bind the same values.
  ///
  /// A user interface that shows the result of a query uses this to find out whether the query has
  /// changed.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
      && left.bindings.elementsEqual(right.bindings) { $0.isSame(as: $1) }
  }

  /// Hashes the text and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    for binding in bindings { binding.hashContent(into: &hasher) }
  }
}

extension BoundValue {
  fileprivate func isSame(as other: BoundValue) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): left == right
    case (.array(let left), .array(let right)): left.values == right.values
    case (.zeroBlob(let left), .zeroBlob(let right)): left == right
    case (.unstorable(let left), .unstorable(let right)): left.description == right.description
    case (.argument(let left), .argument(let right)): left == right
    default: false
    }
  }

  fileprivate func hashContent(into hasher: inout Hasher) {
    switch self {
    case .value(let value): hasher.combine(value)
    case .array(let array): hasher.combine(array.values)
    case .zeroBlob(let count): hasher.combine(count)
    case .unstorable(let error): hasher.combine(error.description)
    case .argument(let argument): hasher.combine(argument)
    }
  }
}
