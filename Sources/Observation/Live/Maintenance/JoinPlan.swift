import QueryDSL
import SQLCore

/// The plan for inner and left joins: the query is evaluated again only for the *roots* that a
/// commit concerns, which are rows of the first table in FROM.
///
/// Each row of the result carries the keys of all its tables. After a commit, these roots are
/// affected:
///
/// - the touched rows of the first table;
/// - the roots of the held rows that contain a touched row of a joined table;
/// - the roots to which the joins now give a touched row of a joined table.
///
/// The rows of these roots are replaced by those that the query gives with the condition that the
/// first table's key is one of them.
final class JoinPlan<Row: Sendable>: SnapshotPlan {
  let query: KeyedQuery<Row>
  let indexedPlaces: [Range<Int>]
  private let root: PlannedTable
  private let joined: [JoinedTable]

  /// A joined table, with the statement that finds the roots of its rows.
  private struct JoinedTable {
    let table: PlannedTable
    /// The place of its key among the values of a row's key.
    let places: Range<Int>
    /// Selects the keys of the roots to which the joins give a row of this table.
    let roots: SelectStatement
    /// Whether a row that is not held may come before held ones when it loses its row of this table.
    let ordersLimitedRows: Bool
  }

  var readsSnapshots: Bool { true }
  var explanation: String {
    let names = joined.map(\.table.layout.tableName).joined(separator: ", ")
    return "a commit that touches \(root.layout.tableName) or \(names) evaluates it again only for "
      + "the rows of \(root.layout.tableName) that this concerns"
  }

  init(_ query: Query<Row>, of tables: [PlannedTable], in context: PlanningContext) throws {
    let select = query.statement
    for table in tables where !table.hasCompleteKeys {
      throw RerunReason("the key of \(table.layout.tableName) may be NULL")
    }
    let core = try context.connection.use()
    try context.requireLog()
    let filters = try JoinFilters(of: select)
    var end = tables[0].keyCollations.count
    var joined: [JoinedTable] = []
    for (index, table) in tables.enumerated().dropFirst() {
      let places = end..<(end + table.keyCollations.count)
      end = places.upperBound
      let roots = try filters.roots(of: select, joining: index, keys: tables[0].keyColumns)
      let later = Set(select.tables[index...])
      joined.append(
        JoinedTable(
          table: table, places: places, roots: roots,
          ordersLimitedRows: select.limit != nil && select.joins[index - 1].kind == .left
            && !filters.require(table.id) && select.isOrdered(by: later)))
    }
    root = tables[0]
    self.joined = joined
    indexedPlaces = joined.map(\.places)
    self.query = try KeyedQuery(query, of: tables, reserve: context.reserve)
    try requireIndexes(on: core)
  }

  /// Throws a `RerunReason` if one of the restricted statements would scan a table.
  private func requireIndexes(on core: ConnectionCore) throws {
    let sample: KeySet = [root.keyCollations.map { _ in .integer(0) }]
    try core.requireIndex(for: restrict(query.statement, root, to: sample), changing: root)
    for joined in joined {
      let sample: KeySet = [joined.places.map { _ in .integer(0) }]
      try core.requireIndex(
        for: restrict(joined.roots, joined.table, to: sample), changing: joined.table)
    }
  }

  // MARK: Evaluating

  /// The keys of rows of one table.
  typealias KeySet = Set<[DatabaseValue]>

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    try await changeInSnapshot(of: held, by: commits, with: means)
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let maximum = Planning.maximumTouched(of: window.entries.count)
    guard let roots = try affectedRoots(of: window, by: commits, maximum: maximum, on: core)
    else { return nil }
    var change = ResultChange(of: window)
    guard !roots.isEmpty else { return change }
    guard root.seekCount(of: roots) <= maximum else { return nil }
    var statement = restrict(query.statement, root, to: roots)
    statement.order = .none
    let rootPlaces = 0..<root.keyCollations.count
    let entries = Dictionary(grouping: try query.entries(of: statement, on: core)) {
      Array($0.key.values[rootPlaces])
    }
    // Where values of a key can be equal without being the same, there are other roots as well. All
    // rows of these are there, too.
    change.replace(
      roots.union(entries.keys).map { root in
        ResultChange.Part(
          old: window.entries(withKey: root, at: rootPlaces), new: entries[root] ?? [])
      })
    return change
  }

  /// Returns the keys of the roots whose rows the commits may have changed; nil if there are more
  /// than `maximum`, or if a key is not known exactly.
  private func affectedRoots(
    of window: ResultWindow, by commits: [Commit], maximum: Int, on core: ConnectionCore
  ) throws -> KeySet? {
    guard var roots = root.touchedKeys(in: commits) else { return nil }
    for joined in joined {
      guard let keys = joined.table.touchedKeys(in: commits),
        roots.count + joined.table.seekCount(of: keys) <= maximum
      else { return nil }
      guard !keys.isEmpty else { continue }
      // The roots that lost such a row, and are not held, are not known.
      if joined.ordersLimitedRows, window.hasFrontier, joined.table.lostRows(in: commits) {
        return nil
      }
      for key in keys {
        for entry in window.entries(withKey: key, at: joined.places) {
          roots.insert(Array(entry.key.values[..<root.keyCollations.count]))
        }
      }
      var statement = restrict(joined.roots, joined.table, to: keys)
      statement.limitRows(to: maximum + 1)
      let found = try rootKeys(of: statement, on: core)
      guard found.count <= maximum else { return nil }
      roots.formUnion(found)
    }
    return roots.count <= maximum ? roots : nil
  }

  private func rootKeys(
    of statement: SelectStatement, on core: ConnectionCore
  ) throws -> [[DatabaseValue]] {
    let statement = try core.lendStatement(for: statement)
    defer { core.giveBack(statement) }
    var keys: [[DatabaseValue]] = []
    while try core.step(statement) {
      let values = StatementRow(statement: statement)
      keys.append(try root.keyCollations.indices.map { try values.databaseValue(at: $0) })
    }
    return keys
  }

  /// Returns a statement with the condition that a table's key is one of the given ones. If the key
  /// has several columns, the rows may also have any other combination of their values.
  private func restrict(
    _ statement: SelectStatement, _ table: PlannedTable, to keys: KeySet
  ) -> SelectStatement {
    var statement = statement
    for (place, column) in table.keyColumns.enumerated() {
      statement.restrict(column, to: Array(Set(keys.map { $0[place] })))
    }
    return statement
  }
}

extension PlannedTable {
  /// Returns whether commits deleted rows, or changed them in the columns that the query reads.
  func lostRows(in commits: [Commit]) -> Bool {
    commits.rows(of: self).rows.contains { $0.old != nil }
  }

  /// Returns the keys of the rows that commits touched in the columns that the query reads; nil if
  /// one is not known exactly.
  func touchedKeys(in commits: [Commit]) -> Set<[DatabaseValue]>? {
    var keys: Set<[DatabaseValue]> = []
    for commit in commits {
      for write in commit.writes {
        guard let changes = write.tables[name] else { continue }
        let places = changes.names.places(of: columns)
        for row in changes.rows where changes.differs(row, at: places) {
          guard changes.isExact(row, at: []) else { return nil }
          keys.insert(changes.key(of: row).values)
        }
      }
    }
    return keys
  }

  /// Returns the number of places at which SQLite looks for rows with the given keys: all
  /// combinations of the values of each column.
  func seekCount(of keys: Set<[DatabaseValue]>) -> Int {
    keyCollations.indices.reduce(1) { count, place in
      let values = keyCollations.count == 1 ? keys.count : Set(keys.map { $0[place] }).count
      return count.multipliedReportingOverflow(by: values).overflow ? .max : count * values
    }
  }
}
