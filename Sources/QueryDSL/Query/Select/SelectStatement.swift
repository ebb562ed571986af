import SQLCore

/// A SELECT statement as a tree.
@usableFromInline
package struct SelectStatement: Sendable {
  /// The selected columns: all columns of one table, or a list of terms.
  @usableFromInline
  package enum Selection: Sendable {
    case table(TableID)
    case terms([SelectTerm])
  }

  /// An item of the list of selected columns.
  @usableFromInline
  package enum SelectTerm: Sendable {
    case table(TableID)
    case expression(ExpressionNode)
    case aliased(ExpressionNode, String)
  }

  package struct Join: Sendable {
    package let kind: SQLToken
    package let table: TableID
    /// The condition after ON; nil if the join has none.
    package let condition: PredicateNode?
  }

  package struct OrderTerm: Sendable {
    package let expression: ExpressionNode
    package let isDescending: Bool
    /// Whether NULL comes first or last; nil if the query does not say.
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
  /// The table in FROM, without the joined tables; `none` for a SELECT without FROM.
  package var from: TableID
  package var predicates: ShortList<PredicateNode> = .none
  package var order: ShortList<OrderTerm> = .none
  package var limit: RowCount?
  package var offset: RowCount?
  /// The parts that few queries have, such as joins and groups; nil for a query without such parts.
  package private(set) var extras: SelectExtras?

  @usableFromInline
  package init(selection: Selection, from: TableID) {
    self.selection = selection
    self.from = from
  }

  /// The greatest number of rows that the limit of the query allows. It is `Int.max` if the query
  /// has no limit, or if the limit is a parameter or an expression.
  @usableFromInline var maximumRowCount: Int {
    guard case .number(let count) = limit else { return .max }
    return count
  }

  /// Adds predicates to the existing ones; all of them must hold.
  @usableFromInline
  mutating func add(_ lines: consuming PredicateLines) {
    predicates.append(contentsOf: lines.nodes)
  }

  /// Adds an expression to the end of ORDER BY, in ascending order.
  package mutating func orderUpwards(by expression: ExpressionNode) {
    addOrder(expression, .ascending, nil)
  }

  /// Adds an expression to the end of ORDER BY.
  @usableFromInline
  mutating func addOrder(
    _ expression: consuming ExpressionNode, _ direction: SortDirection, _ nulls: NullOrder?
  ) {
    order.append(OrderTerm(expression, direction, nulls))
  }

  /// The tables of FROM and its joins, in their order.
  package var tables: [TableID] { from.isNone ? [] : [from] + joins.map(\.table) }
}

// The parts that few queries have.
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

  /// The first mistake that the compiler could not see, such as a negative limit. It is thrown when
  /// the query is rendered.
  package var problem: QueryError? { extras?.content.problem }

  /// Records an error in the query, unless there is one already.
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

/// The parts that few queries have, kept outside `SelectStatement` to keep it small.
package final class SelectExtras: Sendable {
  package struct Content: Sendable {
    package var joins: [SelectStatement.Join] = []
    package var groups: [ExpressionNode] = []
    package var having: ShortList<PredicateNode> = .none
    package var problem: QueryError?
    package var commonTables: [CommonTableNode] = []
    /// The tables of FROM and joins whose rows do not come from the table of a model.
    package var sources: [(table: TableID, source: TableReference.Source)] = []
    package var windows: [(name: String, window: WindowSpecification)] = []
    package var compound: CompoundNode?
    /// The expressions of LIMIT and OFFSET, if they are neither numbers nor parameters.
    package var limit: ExpressionNode?
    package var offset: ExpressionNode?
    /// The search in a vector index. It finds the rows that the query then orders by distance.
    var nearest: NearestSearch?

    /// Whether the query is a single SELECT over tables of models, without WITH, WINDOW or a search
    /// in a vector index.
    var isPlain: Bool {
      commonTables.isEmpty && sources.isEmpty && windows.isEmpty && compound == nil
        && nearest == nil
    }
  }

  package let content: Content

  init(_ content: Content) {
    self.content = content
  }

  /// Returns the source of a table's rows; nil for the table of a model.
  func source(of table: TableID) -> TableReference.Source? {
    content.sources.first { $0.table == table }?.source
  }
}

/// Several SELECT statements combined by UNION, INTERSECT or EXCEPT.
package final class CompoundNode: Sendable {
  package let first: SelectStatement
  package let others: [(operation: SQLToken, statement: SelectStatement)]
  /// The number of nested levels in the deepest combined statement.
  let depth: Int

  init(first: SelectStatement, others: [(operation: SQLToken, statement: SelectStatement)]) {
    let nested = first.nested
    self.first = nested.statement
    var nestedOthers: [(operation: SQLToken, statement: SelectStatement)] = []
    var depth = nested.depth
    for other in others {
      let nested = other.statement.nested
      nestedOthers.append((other.operation, nested.statement))
      depth = max(depth, nested.depth)
    }
    self.others = nestedOthers
    self.depth = depth
  }

  /// Returns the compound with one more statement at the end. The depth of the earlier statements
  /// is not checked again.
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

/// The name of a common table, with a number that distinguishes common tables of the same name.
package struct CommonTableName: Hashable, Sendable {
  package let id: UInt32
  package let name: String
}

/// A common table with its query.
package final class CommonTableNode: Sendable {
  package let name: CommonTableName
  /// The number of the `ModelLayout` that describes the columns of the common table.
  package let layout: UInt16
  package let query: SelectStatement
  /// The number of nested levels of the query.
  let depth: Int
  package let isRecursive: Bool
  /// Whether SQLite runs the query once and stores its rows; nil lets SQLite decide.
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

extension TableID {
  /// The table of a SELECT without FROM. No layout has the number 0.
  static let none = TableID(layout: 0, source: 0)

  /// Whether the reference stands for no table.
  var isNone: Bool { layout == 0 && source == 0 }
}
