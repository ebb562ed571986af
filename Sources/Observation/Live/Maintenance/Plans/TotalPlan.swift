import QueryDSL
import SQLCore

/// The plan for aggregates over all rows of a join, or of a query with subqueries.
///
/// The result has one row. The plan chooses one of the tables, whose rows are the *roots*. For each
/// root, the plan holds a *part*, which is not shown: the aggregates over the rows that belong to
/// the root. After a commit, a `RowPath` finds the affected roots. Their parts are calculated
/// again, and the totals change by the difference.
final class TotalPlan<Row: Sendable>: SnapshotPlan {
  let arrangement: ResultArrangement
  private let total: TotalRow<Row>
  private let aggregates: AggregateValues
  private let root: PlannedTable
  private let paths: [RowPath]
  /// Selects the key of each root, and the aggregates over the joined rows that contain the root.
  private let parts: SelectStatement
  /// The greatest number of parts. If there are more, the query is not maintained.
  private let maximumParts: Int

  /// The key of the only row that is shown. Its values are all NULL, so no row of the chosen table
  /// has the same key.
  private var totalKey: RowKey { .values(root.keyCollations.map { _ in .null }) }

  var explanation: String {
    let names = Planning.names([root.layout.tableName] + paths.map(\.table.layout.tableName))
    return "a commit that touches \(names) changes the values by the rows of "
      + "\(root.layout.tableName) that this concerns, while no more than \(maximumParts) of these have "
      + "a part in them"
  }

  /// - Parameter scoped: the tables that the subqueries read.
  init(
    _ query: Query<Row>, by groups: PlannedGroups, of tables: [PlannedTable],
    _ scopes: [QueryScope], scoped: [PlannedTable], in context: PlanningContext
  ) throws {
    let select = query.statement
    for table in tables + scoped where !table.hasCompleteKeys {
      throw RerunReason("the key of \(table.layout.tableName) may be NULL")
    }
    let aggregates = try AggregateValues(of: select.withKeys([]), by: groups, in: tables)
    total = try TotalRow(query, by: groups, aggregates: aggregates.nodes, of: tables)
    try context.requireLog()
    if let asked = aggregates.askedName {
      throw RerunReason("\(asked) over all rows cannot be calculated from those that changed")
    }
    let links = TableLinks(of: scopes, in: tables + scoped)
    let core = try context.connection.use()
    var found: (root: PlannedTable, paths: [RowPath], parts: SelectStatement)?
    var reason: RerunReason?
    for root in tables where found == nil && !links.isOptional(root) {
      do {
        let paths = try (tables + scoped).filter { $0.id != root.id }.map {
          try links.path(from: $0, to: root, selecting: root.keyColumns)
        }
        let keys = root.keyColumns.map { ExpressionNode.column($0) }
        var parts = links.probing(select)
        parts.selection = .terms((keys + aggregates.nodes).map { .expression($0) })
        parts.groups = keys
        try core.requireIndexes(
          for: [RestrictedStatement(root.restrict(parts, to: root.sampleKeys), after: root)]
            + paths.flatMap { try $0.statements() })
        found = (root, paths, parts)
      } catch let other as RerunReason {
        reason = reason ?? other
      }
    }
    guard let found else { throw reason ?? RerunReason("it reads no table") }
    (root, paths, parts) = found
    self.aggregates = aggregates
    maximumParts = context.maximumParts
    // The row with the totals comes first. All parts come after it.
    arrangement = ResultArrangement(
      order: RowOrder(
        terms: [RowOrder.Term(isDescending: false, collation: .binary)],
        keyCollations: found.root.keyCollations.map { _ in .binary }),
      limit: 1, offset: 0, reserve: Int.max / 8)
  }

  /// Throws a `RerunReason` if there are too many parts.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    var limited = parts
    limited.limitRows(to: maximumParts + 1)
    let parts = try core.values(of: limited)
    guard parts.count <= maximumParts else {
      let name = root.layout.tableName
      throw RerunReason(
        "more than \(maximumParts) rows of \(name) have a part in its values, for which "
          + "Configuration.maximumLiveMemory is too small")
    }
    guard let row = try total.fetch(on: core) else { return [] }
    return [entry(of: row)]
      + parts.map { part(Array($0[..<keyCount]), Array($0[keyCount...])) }
      .sorted { $0.key.compare($1.key) < 0 }
  }

  private var keyCount: Int { root.keyCollations.count }

  private func entry(of row: ResultEntry) -> ResultEntry {
    total.entry(of: row, key: totalKey, order: [.integer(0)])
  }

  private func part(_ key: [DatabaseValue], _ values: [DatabaseValue]) -> ResultEntry {
    ResultRowEntry(
      key: .values(key), order: [.integer(1)], aggregates: values, fingerprint: 0, row: ())
  }

  // MARK: Evaluating

  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    root.isTouched(by: commits) || paths.contains { $0.isTouched(by: commits, values) }
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let maximum = Planning.maximumTouched(of: window.entries.count)
    guard let held = window.entry(of: totalKey), var roots = root.touchedKeys(in: commits)
    else { return nil }
    for path in paths {
      guard let found = try path.values(of: commits, means.values, maximum: maximum, on: core)
      else { return nil }
      roots.formUnion(found)
    }
    var change = ResultChange(of: window)
    guard !roots.isEmpty else { return change }
    guard roots.seekCount <= maximum else { return nil }
    var new: [[DatabaseValue]: [DatabaseValue]] = [:]
    for row in try core.values(of: root.restrict(parts, to: roots)) {
      new[Array(row[..<keyCount])] = Array(row[keyCount...])
    }
    var totals: [DatabaseValue]? = held.aggregates
    for key in roots.union(new.keys) {
      let old = window.entry(of: .values(key))?.aggregates
      let values = new[key]
      guard old != values else { continue }
      totals = totals.flatMap { aggregates.values(after: $0, without: old, with: values) }
      change.set(.values(key), to: values.map { part(key, $0) })
    }
    guard let values = totals ?? sum(of: change.after),
      let row = try? total.row(
        of: aggregates.places.map { values[$0] }, carrying: values, means.evaluators)
    else { return nil }
    change.set(totalKey, to: entry(of: row))
    return change
  }

  /// Calculates the totals again from all held parts. Returns nil if the totals cannot be
  /// calculated exactly. This method is needed if a difference is not enough, for example after the
  /// row with the greatest value is gone.
  private func sum(of window: ResultWindow) -> [DatabaseValue]? {
    var values: [DatabaseValue]? = aggregates.valuesOfNone
    for entry in window.entries.run(from: 0, while: { _ in true })
    where entry.key != totalKey {
      values = values.flatMap { aggregates.values(after: $0, without: nil, with: entry.aggregates) }
    }
    return values
  }
}
