import SQLCore
import Synchronization

/// A named query that another query uses as a table: WITH, and WITH RECURSIVE.
///
/// ```swift
/// struct Level: ResultRow {
///   @Column var id: Int
///   @Column var depth: Int
/// }
///
/// let levels = CommonTable("levels", startingWith: Query { (root: Columns<Category>) in
///   From(root)
///   Where { root.$parentID == nil }
///   Select(root.$id.as("id"), SQLExpression(0).as("depth"), into: Level.self)
/// }) { levels in
///   Query { (parent: Columns<Level>, child: Columns<Category>) in
///     From(levels.as(parent))
///     Join(child, on: child.$parentID == parent.$id.optional)
///     Select(child.$id.as("id"), (parent.$depth + 1).as("depth"), into: Level.self)
///   }
/// }
/// let query = Query { (level: Columns<Level>) in
///   With(levels)
///   From(levels.as(level))
///   Select(level)
/// }
/// // WITH RECURSIVE "levels"("id", "depth") AS (SELECT … UNION ALL SELECT …)
/// //   SELECT "id", "depth" FROM "levels"
/// ```
///
/// The row type is a `ResultRow`, such as a model. A query may use the common table more than once,
/// through different parameters.
/// - SeeAlso: <https://www.sqlite.org/lang_with.html>
public struct CommonTable<Row: ResultRow>: Sendable {
  let node: CommonTableNode

  /// Makes a common table that has the rows of a query.
  ///
  /// - Parameter materialized: Whether to run the query once and store its rows; nil lets SQLite
  ///   decide.
  public init(_ name: String, _ query: some Fetchable<Row>, materialized: Bool? = nil) {
    let statement = query.query.tableStatement
    node = CommonTableNode(
      name: CommonTableName(id: CommonTableName.nextID(), name: name), layout: Self.layoutNumber,
      query: statement, isRecursive: false, isMaterialized: materialized)
  }

  /// Makes a recursive common table. The query `start` returns the first rows of the table. Then
  /// SQLite runs the query `step` for each row of the table, and adds the rows that `step` returns,
  /// until there are no new rows.
  ///
  /// - Parameters:
  ///   - start: the query for the first rows.
  ///   - distinct: whether to drop rows that the table already has (`UNION`). This also ends a
  ///     recursion in a graph with cycles, unless a column such as `depth` makes each row new.
  ///   - step: the query for the following rows. It uses the common table once, in its FROM or a
  ///     join.
  public init(
    _ name: String, startingWith start: some Fetchable<Row>, distinct: Bool = false,
    _ step: (CommonTable<Row>) -> some Fetchable<Row>
  ) {
    let name = CommonTableName(id: CommonTableName.nextID(), name: name)
    let first = start.query
    let itself = CommonTable(
      node: CommonTableNode(
        name: name, layout: Self.layoutNumber, query: first.statement, isRecursive: true,
        isMaterialized: nil))
    let next = step(itself)
    let all = distinct ? start.union(next) : start.unionAll(next)
    var statement = all.query.statement
    if !next.query.statement.isSimpleOperand {
      statement.note(
        QueryError(
          "the step of the recursive table \(name.name) cannot have an order, a limit, WITH or a "
            + "RIGHT or FULL JOIN, and cannot be a UNION; write order and limit after the table: "
            + "CommonTable(…) { … }.limit(20)"))
    }
    node = CommonTableNode(
      name: name, layout: Self.layoutNumber, query: statement, isRecursive: true,
      isMaterialized: nil)
  }

  private init(node: CommonTableNode) {
    self.node = node
  }

  private static var layoutNumber: UInt16 { (try? Row.layout)?.number ?? 0 }
}

extension CommonTable {
  /// Orders the rows of the table by one of its columns, after the existing terms of ORDER BY.
  ///
  /// SQLite runs the step of a recursive table for one row after another, in this order. A
  /// descending order by depth walks a tree depth-first: each row comes directly before its
  /// descendants.
  ///
  /// ```swift
  /// levels.order(by: \.$depth, .descending)
  /// // in its query: WITH RECURSIVE "levels"("id", "depth") AS
  /// //   (SELECT … UNION ALL SELECT … ORDER BY "depth" DESC)
  /// ```
  /// - SeeAlso: <https://www.sqlite.org/lang_with.html#recursive_common_table_expressions>
  public func order<Value: ColumnValue>(
    by column: KeyPath<Row, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> CommonTable {
    changing { statement in
      guard let layout = try? Row.layout, let index = layout.index(of: column) else {
        return statement.note(Columns<Row>.noColumn(column))
      }
      statement.addOrder(.resultColumn(layout.columns[index].name), direction, nulls)
    }
  }

  /// Limits the table to `count` rows. A recursion ends when the table has that many rows.
  /// SQL: `LIMIT ?`
  ///
  /// The new limit replaces the limit of the query; nil removes the limit. A negative `count`
  /// throws `QueryError` when the query is rendered.
  public func limit(_ count: Int?) -> CommonTable {
    changing { $0.setLimit(count) }
  }

  private func changing(_ change: (inout SelectStatement) -> Void) -> CommonTable {
    var statement = node.query
    change(&statement)
    return CommonTable(
      node: CommonTableNode(
        name: node.name, layout: node.layout, query: statement, isRecursive: node.isRecursive,
        isMaterialized: node.isMaterialized))
  }
}

extension CommonTableName {
  private static let ids = Atomic<UInt32>(0)

  fileprivate static func nextID() -> UInt32 {
    ids.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
