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
  /// A number, a text or a word of SQL that Apus itself writes.
  case constant(String)
  /// A call of an aggregate or a window function.
  indirect case call(FunctionCall)
  indirect case cases(CaseNode)
  indirect case cast(ExpressionNode, StorageClass)
  indirect case collate(ExpressionNode, String)
  indirect case bitwiseNot(ExpressionNode)
  /// Raw SQL with expressions between its parts.
  case composed([SQLFragment.Part])
  /// A column of the result by its name there, as ORDER BY knows it.
  case resultColumn(String)
  /// A parameter of a prepared query.
  indirect case parameter(ParameterNode)
}

extension ExpressionNode {
  /// Whether it needs no parentheses inside another expression.
  private var isPrimary: Bool {
    switch self {
    case .column, .value, .function, .countOfRows, .subquery, .invalid, .constant, .cast,
      .resultColumn, .cases, .call, .parameter:
      true
    case .fragment, .negative, .binary, .predicate, .collate, .bitwiseNot, .composed: false
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
    case .bitwiseNot(let operand):
      try sink.token(.bitNot)
      try operand.writeOperand(to: &sink)
    case .binary(let sign, let left, let right):
      try left.writeOperand(to: &sink)
      try sink.token(sign)
      try right.writeOperand(to: &sink)
    case .function(let name, let arguments):
      try sink.function(name)
      try sink.token(.open)
      try Self.write(arguments, to: &sink)
      try sink.token(.close)
    case .countOfRows: try sink.token(.countStar)
    case .predicate(let predicate): try predicate.write(to: &sink)
    case .subquery(let statement):
      try sink.token(.open)
      try statement.write(to: &sink)
      try sink.token(.close)
    case .constant(let text): try sink.function(text)
    case .call(let call): try call.write(to: &sink)
    case .cases(let cases): try cases.write(to: &sink)
    case .cast(let operand, let storageClass):
      try sink.token(.cast)
      try operand.write(to: &sink)
      try sink.token(.as)
      try sink.token(storageClass.token)
      try sink.token(.close)
    case .collate(let operand, let name):
      try operand.writeOperand(to: &sink)
      try sink.token(.collate)
      try sink.alias(name)
    case .composed(let parts):
      for part in parts { try part.write(to: &sink) }
    case .resultColumn(let name): try sink.resultColumn(name)
    case .parameter(let parameter): try sink.value(parameter.bound(as: .standard))
    }
  }

  /// Writes expressions with commas between them.
  static func write<Sink: QuerySink>(_ list: [ExpressionNode], to sink: inout Sink) throws {
    for index in list.indices {
      if index > 0 { try sink.token(.comma) }
      try list[index].write(to: &sink)
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

extension ExpressionNode {
  /// The expression with the collation of a type, where that has one.
  func collated(as type: any ColumnValue.Type) -> ExpressionNode {
    guard let name = type.collationName else { return self }
    return .collate(self, name)
  }
}

extension StorageClass {
  /// The type's name behind CAST.
  fileprivate var token: SQLToken {
    switch self {
    case .integer: .integerType
    case .real: .realType
    case .text: .textType
    case .blob, .null: .blobType
    }
  }
}
