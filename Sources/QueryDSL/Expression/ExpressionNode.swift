import SQLCore

/// A value in SQL, as a tree.
@usableFromInline
package enum ExpressionNode: Sendable {
  case column(ColumnID)
  case value(BoundValue)
  case fragment(SQL)
  /// An expression that cannot be rendered; its error is thrown when it would be.
  case invalid(QueryError)
  case countOfRows
  /// A number, a text or a word of SQL that Apus itself writes.
  case constant(String)
  /// A column of the result by its name there, as ORDER BY knows it.
  case resultColumn(String)
  /// A parameter of a prepared query.
  indirect case parameter(ParameterNode)
  /// An operator between two expressions.
  case chain(OperatorChain)
  /// Any other expression with operands, and how many levels it has.
  indirect case tree(ExpressionTree, depth: Int)
}

/// An expression with operands inside it.
@usableFromInline
package enum ExpressionTree: Sendable {
  case negative(ExpressionNode)
  case bitwiseNot(ExpressionNode)
  case function(String, [ExpressionNode])
  case predicate(PredicateNode)
  case subquery(SelectStatement)
  /// A call of an aggregate or a window function.
  case call(FunctionCall)
  case cases(CaseNode)
  case cast(ExpressionNode, StorageClass)
  case collate(ExpressionNode, String)
  /// Raw SQL with expressions between its parts.
  case composed([SQLFragment.Part])
}

extension ExpressionNode {
  /// How tightly it binds.
  private var precedence: Precedence {
    switch self {
    case .column, .value, .countOfRows, .invalid, .constant, .resultColumn, .parameter: .primary
    case .chain(let chain): chain.precedence
    case .fragment: .unknown
    case .tree(let tree, _):
      switch tree {
      case .function, .subquery, .call, .cases, .cast: .primary
      case .negative, .bitwiseNot: .sign
      case .collate: .collation
      case .predicate, .composed: .unknown
      }
    }
  }

  /// Writes the expression where it may stand alone.
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .column(let column): try sink.column(column)
    case .value(let value): try sink.value(value)
    case .fragment(let sql): try sink.fragment(sql)
    case .invalid(let error): throw error
    case .countOfRows: try sink.token(.countStar)
    case .constant(let text): try sink.function(text)
    case .resultColumn(let name): try sink.resultColumn(name)
    case .parameter(let parameter): try sink.value(parameter.bound(as: .standard))
    case .chain(let chain): try chain.write(to: &sink)
    case .tree(let tree, _): try tree.write(to: &sink)
    }
  }

  /// Writes expressions with commas between them.
  static func write<Sink: QuerySink>(_ list: [ExpressionNode], to sink: inout Sink) throws {
    for index in list.indices {
      if index > 0 { try sink.token(.comma) }
      try list[index].write(to: &sink)
    }
  }

  /// Writes the expression as an operand of an operator, in parentheses if it binds less tightly than
  /// its place needs.
  func writeOperand<Sink: QuerySink>(to sink: inout Sink, binding needed: Precedence) throws {
    if precedence >= needed { return try write(to: &sink) }
    try sink.token(.open)
    try write(to: &sink)
    try sink.token(.close)
  }

  /// Writes the expression as an operand of a comparison: `a < b`, `a IS NULL`, `a IN (…)`.
  func writeOperand<Sink: QuerySink>(to sink: inout Sink) throws {
    try writeOperand(to: &sink, binding: .bits)
  }
}

extension ExpressionTree {
  // Each kind that holds much has a function of its own, so that the frame of this one, which lies on
  // the stack once for each level, stays small.
  fileprivate func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .negative(let operand):
      try sink.token(.negate)
      try operand.writeOperand(to: &sink, binding: .primary)
    case .bitwiseNot(let operand):
      try sink.token(.bitNot)
      try operand.writeOperand(to: &sink, binding: .primary)
    case .function(let name, let arguments):
      try sink.function(name)
      try sink.token(.open)
      try ExpressionNode.write(arguments, to: &sink)
      try sink.token(.close)
    case .predicate(let predicate): try predicate.write(to: &sink)
    case .subquery(let statement):
      try sink.token(.open)
      try statement.write(to: &sink)
      try sink.token(.close)
    case .call(let call): try call.write(to: &sink)
    case .cases(let cases): try cases.write(to: &sink)
    case .cast(let operand, let storageClass):
      try sink.token(.cast)
      try operand.write(to: &sink)
      try sink.token(.as)
      try sink.token(storageClass.token)
      try sink.token(.close)
    case .collate(let operand, let name):
      try operand.writeOperand(to: &sink, binding: .collation)
      try sink.token(.collate)
      try sink.alias(name)
    case .composed(let parts):
      for part in parts { try part.write(to: &sink) }
    }
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
