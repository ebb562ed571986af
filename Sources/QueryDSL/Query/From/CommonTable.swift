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
/// Its rows have the type of a `ResultRow`, such as a model. A query may use it more than once,
/// through different parameters.
/// - SeeAlso: <https://www.sqlite.org/lang_with.html>
public struct CommonTable<Row: ResultRow>: Sendable {
  let node: CommonTableNode

  /// Makes a common table of a query.
  ///
  /// - Parameter materialized: whether SQLite runs the query once and stores its rows; nil lets
  ///   SQLite decide.
  public init(_ name: String, _ query: some Fetchable<Row>, materialized: Bool? = nil) {
    let statement = query.query.statement
    node = CommonTableNode(
      name: CommonTableName(id: CommonTableName.nextID(), name: name), layout: Self.layoutNumber,
      query: statement, isRecursive: false, isMaterialized: materialized)
  }

  /// Makes a recursive common table: the first rows, and the rows that follow from each row, until
  /// there are no new ones.
  ///
  /// - Parameters:
  ///   - start: the query for the first rows.
  ///   - distinct: whether a row that exists already is dropped (`UNION`), which also ends a walk
  ///     in a circle.
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
    node = CommonTableNode(
      name: name, layout: Self.layoutNumber, query: all.query.statement, isRecursive: true,
      isMaterialized: nil)
  }

  private init(node: CommonTableNode) {
    self.node = node
  }

  private static var layoutNumber: UInt16 { (try? Row.layout)?.number ?? 0 }
}

extension CommonTableName {
  private static let ids = Atomic<UInt32>(0)

  fileprivate static func nextID() -> UInt32 {
    ids.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
