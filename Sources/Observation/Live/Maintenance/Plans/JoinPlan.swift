import QueryDSL
import SQLCore

/// The plan for inner and left joins, and for subqueries. The rows of the first table in FROM are
/// the *roots*. After a commit, the query is evaluated again only for the affected roots.
///
/// Each row of the result carries the keys of the table rows that it joins. A commit affects these
/// roots:
///
/// - the touched rows of the first table;
/// - the roots of held rows that contain a touched row of a joined table;
/// - the roots that the joins combine, after the commit, with a touched row of a joined table;
/// - the roots that a `RowPath` finds from a touched row of a subquery's table, or of a left-joined
///   table whose rows decide which other rows are in the result. `LEFT JOIN … WHERE … IS NULL` is
///   an example.
///
/// The query runs with the condition that the first table's key is the key of an affected root. The
/// new rows replace the held rows of these roots. The plan does not keep state for subqueries:
/// SQLite finds their rows again by an index.
final class JoinPlan<Row: Sendable>: SnapshotPlan, KeyedPlan {
  let query: KeyedQuery<Row>
  let indexedPlaces: [Range<Int>]
  private let root: PlannedTable
  private let joined: [JoinedTable]
  private let paths: [RowPath]
  /// The statement of the query, without a condition on the roots. Each update adds the condition
  /// that limits the statement to the affected roots.
  private let restricted: SelectStatement

  /// A table of the join other than the first one, with the statement that finds the roots which
  /// are joined with given rows of this table.
  private struct JoinedTable {
    let table: PlannedTable
    /// The range of indices at which this table's key is stored in the key of a result row.
    let places: Range<Int>
    /// Selects the keys of the *roots*: the rows of the first table that the joins combine with
    /// given rows of this table.
    let roots: SelectStatement
    /// Whether a row beyond the limit, which is not held, may move up among the held rows when the
    /// left join no longer finds a row of this table.
    let ordersLimitedRows: Bool
    /// The folded names of the table's columns that decide which rows the joins produce, and in
    /// which order. If only other columns of a row change, the row stays part of the same result
    /// rows.
    let decidingColumns: Set<String>
  }

  var explanation: String {
    let others = joined.map(\.table.layout.tableName) + paths.map(\.table.layout.tableName)
    let names = Planning.names([root.layout.tableName] + others)
    return "a commit that touches \(names) evaluates it again only for the rows of "
      + "\(root.layout.tableName) that this concerns"
  }

  /// The number of values in the key of a result row.
  var keyCount: Int { query.arrangement.order.keyCollations.count }

  /// - Parameters:
  ///   - scoped: the tables that the subqueries read.
  ///   - others: further expressions to select for each row.
  init(
    _ query: Query<Row>, of tables: [PlannedTable], _ scopes: [QueryScope],
    scoped: [PlannedTable], selecting others: [ExpressionNode] = [], in context: PlanningContext
  ) throws {
    let select = query.statement
    for table in tables + scoped where !table.hasCompleteKeys {
      throw RerunReason("the key of \(table.layout.tableName) may be NULL")
    }
    let core = try context.connection.use()
    try context.requireLog()
    let links = TableLinks(of: scopes, in: tables + scoped)
    let probed = links.probing(select)
    let filters = try JoinFilters(of: probed)
    let deciding = try select.decidingColumns
    var end = tables[0].keyCollations.count
    var joined: [JoinedTable] = []
    for (index, table) in tables.enumerated().dropFirst() {
      let places = end..<(end + table.keyCollations.count)
      end = places.upperBound
      let roots = try filters.roots(of: probed, joining: index, keys: tables[0].keyColumns)
      let later = Set(select.tables[index...])
      joined.append(
        JoinedTable(
          table: table, places: places, roots: roots,
          ordersLimitedRows: select.limit != nil && select.joins[index - 1].kind == .left
            && !filters.require(table.id) && select.isOrdered(by: later),
          decidingColumns: table.names(of: deciding)))
    }
    root = tables[0]
    self.joined = joined
    indexedPlaces = joined.map(\.places)
    let absent = tables.filter { filters.absentTables.contains($0.id) }
    paths = try (absent + scoped).map {
      try links.path(from: $0, to: tables[0], selecting: tables[0].keyColumns)
    }
    self.query = try KeyedQuery(query, of: tables, selecting: others, reserve: context.reserve)
    restricted = links.probing(self.query.statement)
    try core.requireIndexes(
      for: [
        RestrictedStatement(root.restrict(restricted, to: root.sampleKeys), after: root)
      ]
        + joined.map { joined in
          try RestrictedStatement(
            joined.table.restrict(joined.roots, to: joined.table.sampleKeys), after: joined.table)
        } + paths.flatMap { try $0.statements() })
  }

  // MARK: Evaluating

  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    root.isTouched(by: commits) || joined.contains { $0.table.isTouched(by: commits) }
      || paths.contains { $0.isTouched(by: commits, values) }
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let maximum = Planning.maximumTouched(of: window.entries.count)
    guard
      let roots = try affectedRoots(
        of: window, by: commits, means.values, maximum: maximum, on: core)
    else { return nil }
    var change = ResultChange(of: window)
    guard !roots.isEmpty else { return change }
    guard roots.seekCount <= maximum else { return nil }
    var statement = root.restrict(restricted, to: roots)
    statement.order = .none
    change.replaceRows(
      ofRoots: roots, by: try query.entries(of: statement, on: core),
      keyedByFirst: root.keyCollations.count)
    return change
  }

  /// Returns the keys of the roots that the commits may have affected. Returns nil if there are
  /// more than `maximum`, or if some of them cannot be found.
  private func affectedRoots(
    of window: ResultWindow, by commits: [Commit], _ values: [DatabaseValue], maximum: Int,
    on core: ConnectionCore
  ) throws -> KeySet? {
    guard var roots = root.touchedKeys(in: commits) else { return nil }
    for joined in joined {
      guard let keys = joined.table.touchedKeys(in: commits),
        keys.seekCount <= maximum - roots.count
      else { return nil }
      guard !keys.isEmpty else { continue }
      // A root beyond the limit may have lost its row of this table, and may now belong among the
      // held rows. Because such a root is not held, it cannot be found.
      let columns = joined.decidingColumns
      if joined.ordersLimitedRows, window.hasFrontier,
        joined.table.lostRows(in: commits, columns: columns)
      {
        return nil
      }
      for key in keys {
        for held in window.keys(with: key, at: joined.places) {
          roots.insert(Array(held[..<root.keyCollations.count]))
        }
      }
      guard let joining = joined.table.touchedKeys(in: commits, columns: columns) else {
        return nil
      }
      guard !joining.isEmpty else { continue }
      guard
        let found = try core.keys(
          of: joined.table.restrict(joined.roots, to: joining), maximum: maximum)
      else { return nil }
      roots.formUnion(found)
    }
    for path in paths {
      guard let found = try path.values(of: commits, values, maximum: maximum, on: core) else {
        return nil
      }
      roots.formUnion(found)
    }
    return roots.count <= maximum ? roots : nil
  }
}

/// The conditions that can remove rows from a join: the conditions of WHERE and of inner joins.
struct JoinFilters {
  private struct Filter {
    let condition: PredicateNode
    let tables: Set<TableID>
  }

  private let filters: [Filter]
  /// The conditions of WHERE.
  private let whereFilters: [Filter]
  /// The left-joined tables that must contribute a row to each result row. If the left join found
  /// no row, the columns would be NULL, and a condition of the query would reject the NULL.
  private let required: Set<TableID>
  /// The left-joined tables whose changed rows may affect the result although no held row contains
  /// them.
  ///
  /// For example, `WHERE mark.id IS NULL` removes a post if the left join finds a mark, and keeps
  /// the post if it finds none. The mark is then not part of any held row, although it decides
  /// whether the post is held.
  let absentTables: Set<TableID>

  init(of select: SelectStatement) throws {
    func filters(_ conditions: [PredicateNode]) throws -> [Filter] {
      try conditions.map { Filter(condition: $0, tables: try $0.tables) }
    }
    let left = select.joins.filter { $0.kind == .left }
    whereFilters = try filters(select.predicates.flatMap(\.conjuncts))
    let inner = select.joins.filter { $0.kind != .left }
      .compactMap(\.condition).flatMap(\.conjuncts)
    self.filters = try whereFilters + filters(inner)
    // Later tables are examined first, because the condition of a later table may require a row of
    // an earlier table.
    var required: Set<TableID> = []
    for (index, join) in left.enumerated().reversed() {
      let later = left[(index + 1)...].filter { required.contains($0.table) }
        .compactMap(\.condition).flatMap(\.conjuncts)
      if (self.filters.map(\.condition) + later).contains(where: {
        $0.rejectsNull(in: join.table)
      }) {
        required.insert(join.table)
      }
    }
    self.required = required
    var absent: Set<TableID> = []
    for (index, join) in left.enumerated() where !required.contains(join.table) {
      var dependent: Set<TableID> = [join.table]
      for later in left[(index + 1)...] {
        guard let condition = later.condition else { continue }
        if try !condition.tables.isDisjoint(with: dependent) { dependent.insert(later.table) }
      }
      if !self.filters.allSatisfy({ $0.tables.isDisjoint(with: dependent) }) {
        absent.insert(join.table)
      }
    }
    absentTables = absent
  }

  /// Returns whether each row of the result must contain a row of the given left-joined table.
  func require(_ table: TableID) -> Bool { required.contains(table) }

  /// Returns the statement that selects the keys of the *roots*: the rows of the first table that
  /// the joins combine with rows of one joined table. It may select more roots than needed, but
  /// never fewer.
  ///
  /// The statement has no conditions on later tables. If a left join may find no row of this table,
  /// the statement has no conditions on this table either. The reason is that a new row that fails
  /// such a condition can still remove a result row that exists only because the join found no row
  /// before.
  ///
  /// - Parameter index: the index of the table among the tables of the query.
  func roots(
    of select: SelectStatement, joining index: Int, keys: [ColumnID]
  ) throws -> SelectStatement {
    var statement = select
    let join = select.joins[index - 1]
    var known = Set(select.tables[..<index])
    if join.kind != .left || required.contains(join.table) { known.insert(join.table) }
    statement.selection = .terms(keys.map { .expression(.column($0)) })
    statement.predicates = ShortList(
      whereFilters.filter { $0.tables.isSubset(of: known) }.map(\.condition))
    (statement.order, statement.limit, statement.offset) = (.none, nil, nil)
    statement.endJoins(withInner: index - 1)
    return statement
  }
}
