import SQLCore

/// A value of a query, as a tree.
@usableFromInline
package enum ExpressionNode: Sendable {
  case column(ColumnID)
  case value(BoundValue)
  case fragment(SQL)
  /// An expression that cannot be rendered: rendering it throws its error.
  case invalid(QueryError)
  case countOfRows
  /// A number, a text or a keyword that the library writes itself.
  case constant(String)
  /// A column of the result, by its name there, as in ORDER BY.
  case resultColumn(String)
  /// A parameter of a prepared query.
  indirect case parameter(ParameterNode)
  /// An operator between two expressions.
  case chain(OperatorChain)
  /// Any other expression with operands, and the number of its levels.
  indirect case tree(ExpressionTree, depth: Int)
}

/// An expression that contains other expressions.
@usableFromInline
package enum ExpressionTree: Sendable {
  case negative(ExpressionNode)
  case bitwiseNot(ExpressionNode)
  case function(String, [ExpressionNode])
  /// A row value: `(a, b)`.
  case row([ExpressionNode])
  /// Several items of a SELECT clause: `a, b`.
  case list([ExpressionNode])
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
  /// The precedence of the outermost operator.
  private var precedence: Precedence {
    switch self {
    case .column, .value, .countOfRows, .invalid, .constant, .resultColumn, .parameter: .primary
    case .chain(let chain): chain.precedence
    case .fragment: .unknown
    case .tree(let tree, _):
      switch tree {
      case .function, .row, .list, .subquery, .call, .cases, .cast: .primary
      case .negative, .bitwiseNot: .sign
      case .collate: .collation
      case .predicate, .composed: .unknown
      }
    }
  }

  /// Writes the expression without parentheses around it.
  func write(to writer: inout ShapeWriter) throws {
    switch self {
    case .column(let column): writer.column(column)
    case .value(let value): writer.value(value)
    case .fragment(let sql): writer.fragment(sql)
    case .invalid(let error): throw error
    case .countOfRows: writer.token(.countStar)
    case .constant(let text): writer.function(text)
    case .resultColumn(let name): writer.resultColumn(name)
    case .parameter(let parameter): writer.value(parameter.bound(as: .standard))
    case .chain(let chain): try chain.write(to: &writer)
    case .tree(let tree, _): try tree.write(to: &writer)
    }
  }

  /// Writes expressions with commas between them.
  static func write(_ list: [ExpressionNode], to writer: inout ShapeWriter) throws {
    for index in list.indices {
      if index > 0 { writer.token(.comma) }
      try list[index].write(to: &writer)
    }
  }

  /// Writes the expression as an operand of an operator, in parentheses if its precedence is lower
  /// than its place needs.
  func writeOperand(to writer: inout ShapeWriter, binding needed: Precedence) throws {
    if precedence >= needed { return try write(to: &writer) }
    writer.token(.open)
    try write(to: &writer)
    writer.token(.close)
  }

  /// Writes the expression as an operand of a comparison, such as `a < b`, `a IS NULL` or
  /// `a IN (…)`.
  func writeOperand(to writer: inout ShapeWriter) throws {
    try writeOperand(to: &writer, binding: .bits)
  }
}

extension ExpressionTree {
  // Each kind is unpacked in a function of its own, for the reason given at `PredicateTree.write`.
  fileprivate func write(to writer: inout ShapeWriter) throws {
    switch self {
    case .negative: try writeNegative(to: &writer)
    case .bitwiseNot: try writeBitwiseNot(to: &writer)
    case .function: try writeFunction(to: &writer)
    case .row: try writeRow(to: &writer)
    case .list: try writeList(to: &writer)
    case .predicate: try writePredicate(to: &writer)
    case .subquery: try writeSubquery(to: &writer)
    case .call: try writeCall(to: &writer)
    case .cases: try writeCases(to: &writer)
    case .cast: try writeCast(to: &writer)
    case .collate: try writeCollate(to: &writer)
    case .composed: try writeParts(to: &writer)
    }
  }

  private func writeNegative(to writer: inout ShapeWriter) throws {
    guard case .negative(let operand) = self else { return }
    writer.token(.negate)
    try operand.writeOperand(to: &writer, binding: .primary)
  }

  private func writeBitwiseNot(to writer: inout ShapeWriter) throws {
    guard case .bitwiseNot(let operand) = self else { return }
    writer.token(.bitNot)
    try operand.writeOperand(to: &writer, binding: .primary)
  }

  private func writeFunction(to writer: inout ShapeWriter) throws {
    guard case .function(let name, let arguments) = self else { return }
    writer.function(name)
    writer.token(.open)
    try ExpressionNode.write(arguments, to: &writer)
    writer.token(.close)
  }

  private func writeRow(to writer: inout ShapeWriter) throws {
    guard case .row(let nodes) = self else { return }
    writer.token(.open)
    try ExpressionNode.write(nodes, to: &writer)
    writer.token(.close)
  }

  private func writeList(to writer: inout ShapeWriter) throws {
    guard case .list(let nodes) = self else { return }
    try ExpressionNode.write(nodes, to: &writer)
  }

  private func writePredicate(to writer: inout ShapeWriter) throws {
    guard case .predicate(let predicate) = self else { return }
    // GROUP BY 1 and ORDER BY 1 would mean the first column of the result.
    switch predicate {
    case .constant(let holds):
      writer.token(.one)
      writer.token(holds ? .equalOne : .equalZero)
    case .chain(let chain) where chain.isReadAsZero:
      writer.token(.open)
      try chain.write(to: &writer)
      writer.token(.close)
      writer.token(.equalOne)
    default: try predicate.write(to: &writer)
    }
  }

  private func writeSubquery(to writer: inout ShapeWriter) throws {
    guard case .subquery(let statement) = self else { return }
    writer.token(.open)
    try statement.write(to: &writer)
    writer.token(.close)
  }

  private func writeCall(to writer: inout ShapeWriter) throws {
    guard case .call(let call) = self else { return }
    try call.write(to: &writer)
  }

  private func writeCases(to writer: inout ShapeWriter) throws {
    guard case .cases(let cases) = self else { return }
    try cases.write(to: &writer)
  }

  private func writeCast(to writer: inout ShapeWriter) throws {
    guard case .cast(let operand, let storageClass) = self else { return }
    writer.token(.cast)
    try operand.write(to: &writer)
    writer.token(.as)
    writer.token(storageClass.token)
    writer.token(.close)
  }

  private func writeCollate(to writer: inout ShapeWriter) throws {
    guard case .collate(let operand, let name) = self else { return }
    try operand.writeOperand(to: &writer, binding: .collation)
    writer.token(.collate)
    writer.alias(name)
  }

  private func writeParts(to writer: inout ShapeWriter) throws {
    guard case .composed(let parts) = self else { return }
    for part in parts { try part.write(to: &writer) }
  }
}

extension ExpressionNode {
  /// Returns the expression with the collation of a type, if the type has one.
  func collated(as type: any ColumnValue.Type) -> ExpressionNode {
    guard let name = type.collationName else { return self }
    return .collate(self, name)
  }
}

extension StorageClass {
  /// The name of the type in CAST.
  fileprivate var token: SQLToken {
    switch self {
    case .integer: .integerType
    case .real: .realType
    case .text: .textType
    case .blob, .null: .blobType
    }
  }
}

/// A table of a query: its model, and a number that distinguishes it from other tables.
///
/// Each table of each query has a number of its own. So a query inside another never confuses its
/// tables with those of the other, even if they have the same model. In a shape, a table is
/// identified by its position among the tables in scope instead, so that a query that is built
/// again has the same shape.
@usableFromInline
package struct TableID: Hashable, BitwiseCopyable, Sendable {
  /// The source of the table in a declaration; tables of queries never have it.
  static var declared: UInt32 { 0 }

  package let source: UInt32
  /// The number of the model's layout.
  package let layout: UInt16

  @usableFromInline
  init(layout: UInt16, source: UInt32) {
    self.layout = layout
    self.source = source
  }
}

/// A column of a table of a query.
@usableFromInline
package struct ColumnID: Hashable, BitwiseCopyable, Sendable {
  @usableFromInline package let table: TableID
  @usableFromInline package let index: UInt16

  @inlinable
  package init(table: TableID, index: UInt16) {
    self.table = table
    self.index = index
  }
}
