import SQLCore

/// A piece of raw SQL in a query: text, bound values, and expressions of the query.
///
/// ```swift
/// Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 }
/// // … WHERE (length("title")) > ?
/// ```
///
/// A literal is SQL. What is interpolated is bound, as in `SQL`; an expression or a predicate is
/// written as it is written elsewhere in the query, with the table's name where it needs one.
public struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
  @usableFromInline
  package enum Part: Sendable {
    case sql(SQL)
    indirect case expression(ExpressionNode)
    indirect case predicate(PredicateNode)
  }

  let parts: [Part]

  /// SQL that stands by itself, with its values.
  public init(_ sql: SQL) {
    parts = [.sql(sql)]
  }

  /// SQL without values.
  public init(stringLiteral value: String) {
    parts = [.sql(SQL(unsafe: value))]
  }

  /// SQL with what was interpolated.
  public init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
  }

  /// Collects the literal parts and what stands between them.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    /// Makes room for a text of about that size.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// A part of the literal.
    public mutating func appendLiteral(_ literal: String) {
      guard !literal.isEmpty else { return }
      parts.append(.sql(SQL(unsafe: literal)))
    }

    /// An expression of the query, in parentheses where it is more than a name.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ expression: SQLExpression<Value>
    ) {
      parts.append(.expression(expression.node))
    }

    /// A predicate of the query, in parentheses.
    public mutating func appendInterpolation(_ predicate: SQLPredicate) {
      parts.append(.predicate(predicate.node))
    }

    /// A value: `?`, bound.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      append { $0.appendInterpolation(value) }
    }

    /// A value, or NULL for nil: `?`, bound.
    public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?) {
      append { $0.appendInterpolation(value) }
    }

    /// A value in a stored form of its type, as its column declares it: `?`, bound.
    public mutating func appendInterpolation(_ value: some ColumnValue, as form: StoredForm) {
      append { $0.appendInterpolation(value, as: form) }
    }

    /// A value in a stored form of its type, or NULL for nil: `?`, bound.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ value: Value?, as form: StoredForm
    ) {
      append { $0.appendInterpolation(value, as: form) }
    }

    /// A value of any storage class: `?`, bound.
    public mutating func appendInterpolation(_ value: DatabaseValue) {
      append { $0.appendInterpolation(value) }
    }

    /// Another piece of SQL, with its values.
    public mutating func appendInterpolation(_ sql: SQL) {
      parts.append(.sql(sql))
    }

    /// A name, quoted.
    public mutating func appendInterpolation(identifier name: String) {
      append { $0.appendInterpolation(identifier: name) }
    }

    /// The name of a model's table, quoted.
    public mutating func appendInterpolation<M: Model>(_ model: M.Type) {
      append { $0.appendInterpolation(model) }
    }

    /// Text made at run time, pasted as it is: nobody else's text belongs here.
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
  /// The fragment as a tree; raw SQL alone is the simpler one.
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
  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .sql(let sql): try sink.fragment(sql)
    case .expression(let node): try node.writeOperand(to: &sink, binding: .primary)
    case .predicate(let node):
      try sink.token(.open)
      try node.write(to: &sink)
      try sink.token(.close)
    }
  }
}
