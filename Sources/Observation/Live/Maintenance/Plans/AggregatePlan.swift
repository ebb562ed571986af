import QueryDSL
import SQLCore

/// The plan for a query with GROUP BY or aggregates over one table. A commit changes the values of
/// a group by the difference that the touched rows make.
///
/// SQLite calculates the aggregates over the touched rows twice: with the old values and with the
/// new values. This happens in memory, as in a `RowPlan`. Some differences cannot be calculated,
/// for example after the row with the greatest value is gone. Then a reader evaluates the query
/// again, but only for the affected groups.
final class AggregatePlan<Row: Sendable>: SnapshotPlan, KeyedPlan {
  let query: KeyedQuery<Row>
  private let table: PlannedTable
  private let groups: PlannedGroups
  private let aggregates: AggregateValues
  /// The statement that calculates, for each group, the aggregates over only the touched rows of
  /// the group.
  private let sums: SelectStatement
  /// The query without ORDER BY. It selects the terms of ORDER BY as further columns.
  private let shown: SelectStatement
  /// Whether the result may lack a group although the group has rows. This is so if the query has
  /// HAVING, a limit or an offset.
  private let lacksGroups: Bool
  /// Whether a statement on a reader can calculate single groups again.
  private let canAsk: Bool

  var readsSnapshots: Bool { canAsk }
  var explanation: String {
    let name = table.layout.tableName
    let what = groups.nodes.isEmpty ? "the values" : "the values of the groups"
    let sentence = "a commit changes \(what) by the rows of \(name) that it touched"
    guard let asked = aggregates.askedName else { return sentence }
    return "\(sentence), and calculates \(asked) again for each touched group"
  }

  init(
    _ query: Query<Row>, by groups: PlannedGroups, of table: PlannedTable,
    in context: PlanningContext
  ) throws {
    let select = query.statement
    self.groups = groups
    var shown = try select.withKeys([]).markingGroups()
    shown.order = .none
    aggregates = try AggregateValues(of: shown, by: groups, in: [table])
    self.table = table
    self.shown = shown
    self.query = try KeyedQuery(
      query, groupedBy: groups, aggregates: aggregates.nodes, of: [table],
      reserve: context.reserve)
    lacksGroups = !select.having.isEmpty || select.limit != nil || select.offset != nil
    var sums = shown
    sums.having = .none
    sums.selection = .terms(
      (groups.nodes + aggregates.nodes).map { .expression($0) })
    self.sums = sums
    let obstacle = try groups.obstacle(to: self.query.statement, of: table, in: context)
    if let obstacle, lacksGroups || aggregates.askedName != nil {
      guard groups.nodes.isEmpty, let asked = aggregates.askedName else { throw obstacle }
      throw RerunReason("\(asked) over all rows cannot be calculated from those that changed")
    }
    canAsk = obstacle == nil
  }

  // MARK: Evaluating

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    let rowCount = commits.reduce(0) { $0 + $1.rowCount }
    let outcome = try await means.evaluators.offloading(rowCount: rowCount) {
      try means.measuring {
        try self.changeWithoutReader(of: held, by: commits, means.evaluators)
      }
    }
    if let outcome { return outcome }
    guard canAsk else { return .unknown }
    return try await changeInSnapshot(of: held, by: commits, with: means)
  }

  /// Returns the change that commits make in the result, calculated without a reader. Returns nil
  /// if a reader must evaluate a group.
  private func changeWithoutReader(
    of held: HeldRows, by commits: [Commit], _ evaluators: RowEvaluators
  ) throws -> MaintenanceOutcome? {
    let rows = Commit.nettedRows(commits, of: table)
    guard !rows.rows.isEmpty else { return .untouched }
    guard let touched = touchedGroups(rows, in: held.window, evaluators) else {
      return .unknown
    }
    guard touched.asked.isEmpty else { return nil }
    let change = self.change(of: held.window, touched.known)
    guard !change.after.isShort else { return .unknown }
    var snapshot = held.snapshot
    snapshot.position =
      WatchedSnapshot(
        containing: commits.last?.sequence ?? snapshot.position.last
      ).position
    return .changed(change, snapshot)
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let rows = Commit.nettedRows(commits, of: table)
    guard var touched = touchedGroups(rows, in: window, means.evaluators) else { return nil }
    if !touched.asked.isEmpty {
      let asked = Set(touched.asked.map(groups.key(of:)))
      for key in asked { touched.known[key] = .some(nil) }
      var statement = groups.restricting(query.statement, to: touched.asked)
      statement.order = .none
      for entry in try query.entries(of: statement, on: core) where asked.contains(entry.key) {
        if aggregates.haveEqualValues(entry.aggregates) { return nil }
        touched.known[entry.key] = entry
      }
    }
    return change(of: window, touched.known)
  }

  private func change(of window: ResultWindow, _ groups: [RowKey: ResultEntry?]) -> ResultChange {
    var change = ResultChange(of: window)
    for (key, entry) in groups { change.set(key, to: entry) }
    return change
  }

  /// Returns the groups that the changed rows left or joined. Returns nil if the result must be
  /// fetched.
  private func touchedGroups(
    _ rows: NettedRows, in window: ResultWindow, _ evaluators: RowEvaluators
  ) -> TouchedGroups? {
    guard rows.isExact, rows.rows.count <= Planning.maximumTouched(of: window.entries.count),
      let old = try? sums(
        of: rows.rows.compactMap { row in row.old.map { row.key.values + $0 } }, rows.columns,
        evaluators),
      let new = try? sums(
        of: rows.rows.compactMap { row in row.new.map { row.key.values + $0 } }, rows.columns,
        evaluators)
    else { return nil }
    var touched = TouchedGroups()
    for key in Set(old.keys).union(new.keys) {
      let group = new[key]?.group ?? old[key]?.group ?? []
      let held = window.entry(of: key)
      guard held != nil || !lacksGroups && !groups.nodes.isEmpty,
        let values = aggregates.values(
          after: held?.aggregates, without: old[key]?.values, with: new[key]?.values)
      else {
        touched.asked.append(group)
        continue
      }
      guard
        !aggregates.haveEqualValues(values),
        !(held.map { aggregates.haveEqualValues($0.aggregates) } ?? false)
      else { return nil }
      do {
        touched.known[key] = .some(try row(of: group, values, evaluators))
      } catch {
        // The error may come from a value that does not belong to the result. So the error is
        // ignored, and the result is fetched again.
        return nil
      }
    }
    return touched
  }

  /// Returns the aggregates over the given rows, for each of their groups.
  private func sums(
    of rows: [[DatabaseValue]], _ columns: [String], _ evaluators: RowEvaluators
  ) throws -> [RowKey: GroupSums] {
    guard !rows.isEmpty else { return [:] }
    return try evaluators.evaluating(rows, columns: columns, in: table.shadow) { core in
      let statement = try core.lendStatement(for: sums)
      defer { core.giveBack(statement) }
      let count = groups.nodes.count
      var sums: [RowKey: GroupSums] = [:]
      while try core.step(statement) {
        let row = StatementRow(statement: statement)
        let values = try (0..<(count + aggregates.nodes.count)).map {
          try row.validValue(at: $0)
        }
        let group = Array(values[..<count])
        sums[groups.key(of: group)] = GroupSums(
          group: group, values: Array(values[count...]))
      }
      return sums
    }
  }

  /// Returns the result row of a group; nil if the result has no row for the group.
  private func row(
    of group: [DatabaseValue], _ values: [DatabaseValue], _ evaluators: RowEvaluators
  ) throws -> ResultEntry? {
    if aggregates.countsRows, values.first == .integer(0) { return nil }
    var places = aggregates.places[...]
    var statement = try shown.replacingAggregates { _ in
      .value(.value(places.popFirst().map { values[$0] } ?? .null))
    }.withoutGroups
    if groups.hasExpressions { statement = try statement.replacingMarks(by: group) }
    statement = statement.withKeys(groups.keyNodes(of: group), values.map { .value(.value($0)) })
    statement.order = .none
    // Without GROUP BY, the group has no columns. But the statement still needs one row to read, so
    // this row has only a NULL.
    let (row, columns) =
      groups.columns.isEmpty
      ? ([.null], [table.shadow.columns.first?.name ?? ""])
      : (groups.columnValues(of: group), groups.names)
    return try evaluators.evaluating([row], columns: columns, in: table.shadow) { core in
      try query.entries(of: statement, on: core).first
    }
  }
}

// The following types are not members of the generic class, because each use of them would then
// have to look up metadata at run time.

/// The groups that changed rows left or joined.
private struct TouchedGroups {
  /// The groups whose new row in the result is known. The row is nil if the result no longer has
  /// the group.
  var known: [RowKey: ResultEntry?] = [:]
  /// The groups that a reader must calculate again, each as the values of its GROUP BY terms.
  var asked: [[DatabaseValue]] = []
}

/// The values of a group's GROUP BY terms, and the aggregates over some rows of the group.
private struct GroupSums {
  let group: [DatabaseValue]
  let values: [DatabaseValue]
}
