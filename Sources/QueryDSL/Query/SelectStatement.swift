import SQLCore

/// A SELECT as a tree.
@usableFromInline
package struct SelectStatement: Sendable {
  /// What stands behind SELECT.
  @usableFromInline
  package enum Selection: Sendable {
    case table(TableID)
    case terms([SelectTerm])
  }

  /// One of several things behind SELECT.
  @usableFromInline
  package enum SelectTerm: Sendable {
    case table(TableID)
    case expression(ExpressionNode)
    case aliased(ExpressionNode, String)
  }

  package struct Join: Sendable {
    package let kind: SQLToken
    package let table: TableID
    /// nil for a cross join.
    package let condition: PredicateNode?
  }

  package struct OrderTerm: Sendable {
    package let expression: ExpressionNode
    package let isDescending: Bool
    /// Where NULL stands, if it is said.
    package let nulls: NullOrder?

    package init(
      _ expression: consuming ExpressionNode, _ direction: SortDirection,
      _ nulls: NullOrder? = nil
    ) {
      self.expression = expression
      self.isDescending = direction == .descending
      self.nulls = nulls
    }
  }

  package var selection: Selection
  package var isDistinct = false
  package var from: TableID
  package var predicates: ShortList<PredicateNode> = .none
  package var order: ShortList<OrderTerm> = .none
  package var limit: BoundValue?
  package var offset: BoundValue?
  /// What few queries have; nil for a SELECT over the table of one model.
  package private(set) var extras: SelectExtras?

  @usableFromInline
  package init(selection: Selection, from: TableID) {
    self.selection = selection
    self.from = from
  }

  /// The greatest number of rows that the limit lets through.
  @usableFromInline var maximumRowCount: Int {
    guard case .value(.integer(let count)) = limit else { return .max }
    return Int(truncatingIfNeeded: count)
  }

  /// Adds predicates that must hold as well.
  @usableFromInline
  mutating func add(_ lines: consuming PredicateLines) {
    predicates.append(contentsOf: lines.nodes)
  }

  /// Orders by one more expression.
  @usableFromInline
  mutating func addOrder(
    _ expression: consuming ExpressionNode, _ direction: SortDirection, _ nulls: NullOrder?
  ) {
    order.append(OrderTerm(expression, direction, nulls))
  }

  /// The tables, in the order of FROM and its joins.
  package var tables: [TableID] { [from] + joins.map(\.table) }
}

// What few queries have.
extension SelectStatement {
  package var joins: [Join] {
    get { extras?.content.joins ?? [] }
    set { changeExtras { $0.joins = newValue } }
  }

  package var groups: [ExpressionNode] {
    get { extras?.content.groups ?? [] }
    set { changeExtras { $0.groups = newValue } }
  }

  package var having: ShortList<PredicateNode> {
    get { extras?.content.having ?? .none }
    set { changeExtras { $0.having = newValue } }
  }

  /// What the compiler could not see, thrown when the query would be rendered.
  package var problem: QueryError? { extras?.content.problem }

  /// Notes what the query cannot be; the first problem is the one that is thrown.
  mutating func note(_ problem: QueryError?) {
    guard let problem, self.problem == nil else { return }
    changeExtras { $0.problem = problem }
  }

  mutating func changeExtras(_ change: (inout SelectExtras.Content) -> Void) {
    var content = extras?.content ?? SelectExtras.Content()
    change(&content)
    extras = SelectExtras(content)
  }
}

/// What few queries have, apart from the rest, so that a SELECT stays small.
package final class SelectExtras: Sendable {
  package struct Content: Sendable {
    package var joins: [SelectStatement.Join] = []
    package var groups: [ExpressionNode] = []
    package var having: ShortList<PredicateNode> = .none
    package var problem: QueryError?
    package var commonTables: [CommonTableNode] = []
    /// Tables of FROM and joins that are no model's own.
    package var sources: [(table: TableID, source: TableSource)] = []
    package var windows: [(name: String, window: WindowSpecification)] = []
    package var compound: CompoundNode?

    /// Whether the tables are those of models, and the rows those of one SELECT.
    var isPlain: Bool {
      commonTables.isEmpty && sources.isEmpty && windows.isEmpty && compound == nil
    }
  }

  package let content: Content

  init(_ content: Content) {
    self.content = content
  }

  /// What a table is, where it is no model's own.
  func source(of table: TableID) -> TableSource? {
    content.sources.first { $0.table == table }?.source
  }
}

/// What stands in FROM in place of a table.
package enum TableSource: Sendable {
  /// A query, and how many levels it has; made by `query(_:)`.
  indirect case nested(SelectStatement, depth: Int)
  case common(CommonTableName)
  /// The row that an upsert would have inserted.
  case excluded
}

/// Several SELECTs as one: UNION, INTERSECT, EXCEPT.
package struct CompoundNode: Sendable {
  package let first: SelectStatement
  package private(set) var others: [(operation: SQLToken, statement: SelectStatement)]
  /// How many levels the deepest has.
  let depth: Int

  init(first: SelectStatement, others: [(operation: SQLToken, statement: SelectStatement)]) {
    let nested = first.nested
    self.first = nested.statement
    self.others = []
    var depth = nested.depth
    for other in others {
      let nested = other.statement.nested
      self.others.append((other.operation, nested.statement))
      depth = max(depth, nested.depth)
    }
    self.depth = depth
  }

  /// The same with one more; it is nested already.
  func appending(_ operation: SQLToken, _ statement: SelectStatement) -> CompoundNode {
    let nested = statement.nested
    return CompoundNode(
      first: first, others: others + [(operation, nested.statement)],
      depth: max(depth, nested.depth))
  }

  private init(
    first: SelectStatement, others: [(operation: SQLToken, statement: SelectStatement)], depth: Int
  ) {
    self.first = first
    self.others = others
    self.depth = depth
  }
}

/// The name of a common table, and what tells it from another of the same name.
package struct CommonTableName: Hashable, Sendable {
  package let id: UInt32
  package let name: String
}

/// A common table with its query.
package struct CommonTableNode: Sendable {
  package let name: CommonTableName
  /// The number of the layout whose columns it has.
  package let layout: UInt16
  package let query: SelectStatement
  /// How many levels the query has.
  let depth: Int
  package let isRecursive: Bool
  /// Whether SQLite is to run the query once and keep its rows; nil leaves it to SQLite.
  package let isMaterialized: Bool?

  init(
    name: CommonTableName, layout: UInt16, query: SelectStatement, isRecursive: Bool,
    isMaterialized: Bool?
  ) {
    self.name = name
    self.layout = layout
    let nested = query.nested
    self.query = nested.statement
    depth = nested.depth
    self.isRecursive = isRecursive
    self.isMaterialized = isMaterialized
  }
}
