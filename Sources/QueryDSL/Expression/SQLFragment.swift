import SQLCore

/// A piece of raw SQL in a query: text, bound values, and expressions of the query.
///
/// ```swift
/// Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 }
/// // … WHERE (length("title")) > ?
/// ```
///
/// The literal itself is SQL. Interpolated values are bound, as in a literal of `SQL`. Interpolated
/// expressions and predicates are written in the same way as in the other parts of the query. For
/// example, a column is written with the name of its table if the query has several tables.
public struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
  @usableFromInline
  package enum Part: Sendable {
    case sql(SQL)
    indirect case expression(ExpressionNode)
    indirect case predicate(PredicateNode)
  }

  let parts: [Part]

  /// Makes a fragment of SQL with bound values but without expressions of the query.
  public init(_ sql: SQL) {
    parts = [.sql(sql)]
  }

  /// Makes a fragment of SQL without values.
  public init(stringLiteral value: String) {
    parts = [.sql(SQL(unsafe: value))]
  }

  /// Makes a fragment of an interpolated literal.
  public init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
  }

  /// Collects the literal parts and the interpolated parts.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    /// Starts an empty interpolation. The arguments, which say how large it may become, are
    /// ignored.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the literal.
    public mutating func appendLiteral(_ literal: String) {
      guard !literal.isEmpty else { return }
      parts.append(.sql(SQL(unsafe: literal)))
    }

    /// Appends an expression of the query, in parentheses if it contains an operator.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ expression: SQLExpression<Value>
    ) {
      parts.append(.expression(expression.node))
    }

    /// Appends a predicate of the query, in parentheses.
    public mutating func appendInterpolation(_ predicate: SQLPredicate) {
      parts.append(.predicate(predicate.node))
    }

    /// Binds a value. SQL: `?`
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      append { $0.appendInterpolation(value) }
    }

    /// Binds a value, or NULL for nil. SQL: `?`
    public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?) {
      append { $0.appendInterpolation(value) }
    }

    /// Binds a value in a stored form of its type, such as the form that its column declares.
    /// SQL: `?`
    public mutating func appendInterpolation(_ value: some ColumnValue, as form: StoredForm) {
      append { $0.appendInterpolation(value, as: form) }
    }

    /// Binds a value in a stored form of its type, or NULL for nil. SQL: `?`
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ value: Value?, as form: StoredForm
    ) {
      append { $0.appendInterpolation(value, as: form) }
    }

    /// Binds a value of any storage class. SQL: `?`
    public mutating func appendInterpolation(_ value: DatabaseValue) {
      append { $0.appendInterpolation(value) }
    }

    /// Appends another piece of SQL, with its values.
    public mutating func appendInterpolation(_ sql: SQL) {
      parts.append(.sql(sql))
    }

    /// Appends a name, quoted.
    public mutating func appendInterpolation(identifier name: String) {
      append { $0.appendInterpolation(identifier: name) }
    }

    /// Appends the name of a model's table, quoted.
    public mutating func appendInterpolation<M: TableModel>(_ model: M.Type) {
      append { $0.appendInterpolation(model) }
    }

    /// Appends text without binding or quoting it. Do not use it for text from outside the program.
    public mutating func appendInterpolation(unsafe text: String) {
      parts.append(.sql(SQL(unsafe: text)))
    }

    private mutating func append(_ piece: (inout SQL.StringInterpolation) -> Void) {
      var interpolation = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 1)
      piece(&interpolation)
      parts.append(.sql(SQL(stringInterpolation: interpolation)))
    }
  }
}

extension SQLFragment {
  /// The fragment as a node of an expression. If the fragment contains no expressions of the query,
  /// the node is `fragment`, which is simpler than `composed`.
  var node: ExpressionNode {
    if parts.count == 1, case .sql(let sql) = parts[0] { return .fragment(sql) }
    return .composed(parts)
  }

  /// The fragment as a condition.
  var predicate: PredicateNode {
    if parts.count == 1, case .sql(let sql) = parts[0] { return .fragment(sql) }
    return .composed(parts)
  }
}

extension SQLFragment.Part {
  func write(to writer: inout ShapeWriter) {
    switch self {
    case .sql(let sql): writer.fragment(sql)
    case .expression(let node): node.writeOperand(to: &writer, binding: .primary)
    case .predicate(let node):
      writer.token(.open)
      node.write(to: &writer)
      writer.token(.close)
    }
  }
}
