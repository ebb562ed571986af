import SQLCore

/// A value in SQL, as a tree.
@usableFromInline
package enum ExpressionNode: Sendable {
  case column(ColumnID)
  case value(BoundValue)
  case fragment(SQL)
  /// An expression that cannot be rendered; its error is thrown when it would be.
  case invalid(QueryError)
  indirect case negative(ExpressionNode)
  indirect case binary(SQLToken, ExpressionNode, ExpressionNode)
  case function(String, [ExpressionNode])
  case countOfRows
  indirect case predicate(PredicateNode)
  indirect case subquery(SelectStatement)
}

extension ExpressionNode {
  /// Whether it needs no parentheses inside another expression.
  private var isPrimary: Bool {
    switch self {
    case .column, .value, .function, .countOfRows, .subquery, .invalid: true
    case .fragment, .negative, .binary, .predicate: false
    }
  }

  /// Writes the expression where it may stand alone.
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .column(let column): try sink.column(column)
    case .value(let value): try sink.value(value)
    case .fragment(let sql): try sink.fragment(sql)
    case .invalid(let error): throw error
    case .negative(let operand):
      try sink.token(.negate)
      try operand.writeOperand(to: &sink)
    case .binary(let sign, let left, let right):
      try left.writeOperand(to: &sink)
      try sink.token(sign)
      try right.writeOperand(to: &sink)
    case .function(let name, let arguments):
      try sink.function(name)
      try sink.token(.open)
      for (index, argument) in arguments.enumerated() {
        if index > 0 { try sink.token(.comma) }
        try argument.write(to: &sink)
      }
      try sink.token(.close)
    case .countOfRows: try sink.token(.countStar)
    case .predicate(let predicate): try predicate.write(to: &sink)
    case .subquery(let statement):
      try sink.token(.open)
      try statement.write(to: &sink)
      try sink.token(.close)
    }
  }

  /// Writes the expression as an operand, in parentheses where it needs them.
  func writeOperand<Sink: QuerySink>(to sink: inout Sink) throws {
    if isPrimary { return try write(to: &sink) }
    try sink.token(.open)
    try write(to: &sink)
    try sink.token(.close)
  }
}
