import SQLCore

/// An expression of a query, as a tree of nodes.
@usableFromInline
package enum ExpressionNode: Sendable {
  case column(ColumnID)
  /// The rowid of a table, even if the model has no column for it.
  case rowID(TableID)
  case value(BoundValue)
  case fragment(SQL)
  /// An expression that cannot be rendered. Rendering it throws the error.
  case invalid(QueryError)
  case countOfRows
  /// SQL that the library writes itself, such as a number, the text `'%Y'` or a keyword.
  case constant(String)
  /// A column of the result by its name, such as `total` in `sum(a) AS total … ORDER BY total`.
  case resultColumn(String)
  /// A parameter of a prepared query.
  indirect case parameter(ParameterNode)
  /// An expression, such as the current time, that takes the stored form of the column with which
  /// it is combined.
  indirect case adapting(AdaptingNode)
  /// An operator between two expressions.
  case chain(OperatorChain)
  /// Any other expression with operands. `depth` counts the levels of operands.
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
  /// Raw SQL that contains expressions of the query.
  case composed([SQLFragment.Part])
}

extension ExpressionNode {
  /// The precedence of the outermost operator.
  private var precedence: Precedence {
    switch self {
    case .column, .rowID, .value, .countOfRows, .invalid, .constant, .resultColumn, .parameter:
      .primary
    case .chain(let chain): chain.precedence
    case .adapting(let adapting): adapting.standard.precedence
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
  func write(to writer: inout ShapeWriter) {
    switch self {
    case .column(let column): writer.column(column)
    case .rowID(let table): writer.column(.rowID(of: table))
    case .value(let value): writer.value(value)
    case .fragment(let sql): writer.fragment(sql)
    case .invalid(let error): writer.fail(error)
    case .countOfRows: writer.token(.countStar)
    case .constant(let text): writer.function(text)
    case .resultColumn(let name): writer.resultColumn(name)
    case .parameter(let parameter): writer.value(parameter.bound(as: .standard))
    case .adapting(let adapting): adapting.standard.write(to: &writer)
    case .chain(let chain): chain.write(to: &writer)
    case .tree(let tree, _): tree.write(to: &writer)
    }
  }

  /// Writes expressions with commas between them.
  static func write(_ list: [ExpressionNode], to writer: inout ShapeWriter) {
    for index in list.indices {
      if index > 0 { writer.token(.comma) }
      list[index].write(to: &writer)
    }
  }

  /// Writes expressions in parentheses, with commas between them.
  static func write(row list: [ExpressionNode], to writer: inout ShapeWriter) {
    writer.token(.open)
    write(list, to: &writer)
    writer.token(.close)
  }

  /// Writes the expression as an operand of an operator. Adds parentheses if the precedence of the
  /// expression is lower than `needed`.
  func writeOperand(to writer: inout ShapeWriter, binding needed: Precedence) {
    if precedence >= needed { return write(to: &writer) }
    writer.token(.open)
    write(to: &writer)
    writer.token(.close)
  }

  /// Writes the expression as an operand of a comparison, such as `a < b`, `a IS NULL` or
  /// `a IN (…)`.
  func writeOperand(to writer: inout ShapeWriter) {
    writeOperand(to: &writer, binding: .bits)
  }
}

extension ExpressionTree {
  // This function is not inlined, because a copy in each of its many callers would enlarge their
  // stack frames.
  @inline(never)
  fileprivate func write(to writer: inout ShapeWriter) {
    switch self {
    case .negative(let operand):
      writer.token(.negate)
      operand.writeOperand(to: &writer, binding: .primary)
    case .bitwiseNot(let operand):
      writer.token(.bitNot)
      operand.writeOperand(to: &writer, binding: .primary)
    case .function(let name, let arguments):
      writer.function(name)
      ExpressionNode.write(row: arguments, to: &writer)
    case .row(let nodes): ExpressionNode.write(row: nodes, to: &writer)
    case .list(let nodes): ExpressionNode.write(nodes, to: &writer)
    case .predicate(let predicate): predicate.writeValue(to: &writer)
    case .subquery(let statement): statement.write(inParenthesesTo: &writer)
    case .call(let call): call.write(to: &writer)
    case .cases(let cases): cases.write(to: &writer)
    case .cast(let operand, let storageClass):
      writer.token(.cast)
      operand.write(to: &writer)
      writer.token(.as)
      writer.token(storageClass.token)
      writer.token(.close)
    case .collate(let operand, let name):
      operand.writeOperand(to: &writer, binding: .collation)
      writer.token(.collate)
      writer.alias(name)
    case .composed(let parts): for part in parts { part.write(to: &writer) }
    }
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
/// Each table of each query has its own number. This distinguishes the tables of an inner query
/// from the tables of the outer query, even if both have the same model. The number is not written
/// into a `Shape`, the compact form of a query, because a query that is built again must have the
/// same shape. A shape identifies a table by its position among the tables in scope.
@usableFromInline
package struct TableID: Hashable, BitwiseCopyable, Sendable {
  /// The number that stands for the table in a declaration, such as the condition of a partial
  /// index. No table of a query has this number.
  static var declared: UInt32 { 0 }

  package let source: UInt32
  /// The number by which `LayoutRegistry` finds the columns of the model.
  package let layout: UInt16

  @usableFromInline
  init(layout: UInt16, source: UInt32) {
    self.layout = layout
    self.source = source
  }
}

/// A column of a table in a query.
@usableFromInline
package struct ColumnID: Hashable, BitwiseCopyable, Sendable {
  @usableFromInline package let table: TableID
  @usableFromInline package let index: UInt16

  @inlinable
  package init(table: TableID, index: UInt16) {
    self.table = table
    self.index = index
  }

  /// Returns a column that stands for the rowid of a table when a query is written. Its index is
  /// `rowIDIndex`, and not an index into the model's columns.
  static func rowID(of table: TableID) -> ColumnID {
    ColumnID(table: table, index: rowIDIndex)
  }

  static let rowIDIndex = UInt16.max
}
