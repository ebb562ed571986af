import QueryDSL
import SQLCore

/// The plan for a query over one table. The changed rows are evaluated in memory, so the plan needs
/// neither the writer nor a reader.
final class RowPlan<Row: Sendable>: KeyedPlan {
  let query: KeyedQuery<Row>
  let table: ShadowTable
  /// The folded names of the columns that the query reads.
  let columns: Set<String>
  /// The key that the query requires, as with `WHERE id = ?`. Nil if it requires no key.
  private let requiredKey: RequiredValue?
  /// The storage classes whose values SQLite considers equal only to the identical stored key. If
  /// the value of `requiredKey` has another class, other keys may be equal to it, so changed rows
  /// cannot be looked up by this key.
  private let keyClasses: Set<StorageClass>
  /// The folded name of a column, and the value that the query requires of it in all rows of the
  /// result. Nil if there is no such column.
  private let requiredValue: (column: String, value: RequiredValue)?

  var readsSnapshots: Bool { false }
  var explanation: String {
    "a commit costs as much as the rows of \(table.name) that it touched"
  }

  init(_ query: Query<Row>, of planned: PlannedTable, in context: PlanningContext) throws {
    let select = query.statement
    let layout = planned.layout
    // If the key of a row contains NULL, the recorder identifies the row by its rowid. A fetch does
    // not select the rowid, so recorded rows and fetched rows could not be matched.
    guard planned.hasCompleteKeys else {
      throw RerunReason("the key of \(layout.tableName) may be NULL")
    }
    self.query = try KeyedQuery(query, of: [planned], reserve: context.reserve)
    table = planned.shadow
    columns = planned.columns
    let key = layout.keyColumns.first.flatMap { key in
      planned.keyCollations == [.binary] ? select.requiredValue(of: [key]) : nil
    }
    requiredKey = key?.value
    keyClasses = key.map { planned.exactClasses(of: $0.column) } ?? []
    let compared = layout.columns.indices.filter { index in
      !layout.columns[index].isPrimaryKey && (try? planned.collation(of: index)) == .binary
    }
    requiredValue = select.requiredValue(of: Set(compared)).map { found in
      (layout.columns[found.column].name.lowercasedASCII, found.value)
    }
  }

  func narrow(
    _ interests: inout [QualifiedTableName: Subscription.Interest], _ values: [DatabaseValue]
  ) {
    if let keys = keys(values) { interests[QualifiedTableName(table.name)]?.keys = keys }
  }

  /// If the query requires a key, returns the forms in which the key may be recorded. Returns nil
  /// if rows with other keys may be in the result.
  private func keys(_ values: [DatabaseValue]) -> Set<RowKey>? {
    guard let value = requiredKey?.value(values), keyClasses.contains(value.storageClass) else {
      return nil
    }
    return Set(RowKey.candidates([value]))
  }

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    // If the keys are known, only the rows with these keys are examined. If not, all changed rows
    // are examined.
    let rowCount =
      keys(means.values).map { $0.count * commits.count }
      ?? commits.reduce(0) { $0 + $1.rowCount }
    return try await means.evaluators.offloading(rowCount: rowCount) {
      try means.measuring { try self.merge(commits, into: held, means) }
    }
  }

  /// Merges the rows that commits touched into a held result.
  private func merge(
    _ commits: [Commit], into held: HeldRows, _ means: MaintenanceMeans
  ) throws -> MaintenanceOutcome {
    let changes = changes(in: commits, means.values)
    guard !changes.rows.isEmpty else { return .untouched }
    guard changes.isExact,
      changes.rows.count <= Planning.maximumTouched(of: held.window.entries.count),
      let entries = try? entries(of: changes, means.evaluators)
    else { return .unknown }
    var change = ResultChange(of: held.window)
    for row in changes.rows { change.set(row.key, to: entries[row.key]) }
    // If more rows were removed than the reserve had, the held rows are too few, and the result
    // must be fetched again.
    guard !change.after.isShort else { return .unknown }
    let last = commits.last?.sequence ?? held.snapshot.position.last
    return .changed(change, WatchedSnapshot(containing: last))
  }

  /// Returns the net changes that the commits made in the table, with the columns that the query
  /// reads.
  private func changes(in commits: [Commit], _ values: [DatabaseValue]) -> NettedRows {
    let keys = keys(values)
    let value = requiredValue?.value.certainValue(values)
    return Commit.nettedRows(
      commits, of: QualifiedTableName(table.name), columns: columns, needsOld: false
    ) { rows(of: $0, keys, value) }
  }

  /// Returns the rows of a write that may belong to the result, before or after the write.
  private func rows(
    of changes: NettedTable, _ keys: Set<RowKey>?, _ value: DatabaseValue?
  ) -> [NettedRow] {
    if let keys { return changes.indices(ofKeys: keys).map { changes.rows[$0] } }
    guard let value, let requiredValue,
      let place = changes.names.foldedColumns.firstIndex(of: requiredValue.column)
    else { return changes.rows }
    return changes.indices(of: value, at: place).map { changes.rows[$0] }
  }

  /// Returns the result entries of those touched rows that the query selects after the commits. The
  /// keys of the dictionary are the keys of the rows.
  private func entries(
    of touched: NettedRows, _ evaluators: RowEvaluators
  ) throws -> [RowKey: ResultEntry] {
    let values = touched.rows.compactMap { row in row.new.map { row.key.values + $0 } }
    guard !values.isEmpty else { return [:] }
    var entries: [RowKey: ResultEntry] = [:]
    try evaluators.evaluating(values, columns: touched.columns, in: table) { core in
      var unordered = query.statement
      unordered.order = .none
      for entry in try query.entries(of: unordered, on: core) { entries[entry.key] = entry }
    }
    return entries
  }
}
