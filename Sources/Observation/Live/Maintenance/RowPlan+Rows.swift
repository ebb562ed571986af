import QueryDSL
import SQLCore

extension RowPlan {
  /// Returns the net changes of the commits to the table's rows, in the columns that the query
  /// reads.
  func changes(in commits: [Commit]) -> NettedRows {
    commits.rows(
      of: QualifiedTableName(table.name), columns: columns, needsOld: false, rows(of:))
  }

  /// Returns the rows of a write that may belong to the result now, or may have belonged to it
  /// before.
  private func rows(of changes: NettedTable) -> [NettedRow] {
    if let keys { return changes.indices(ofKeys: keys).map { changes.rows[$0] } }
    guard let requiredValue,
      let place = changes.names.foldedColumns.firstIndex(of: requiredValue.column)
    else { return changes.rows }
    return changes.indices(of: requiredValue.value, at: place).map { changes.rows[$0] }
  }

  /// Returns, by key, the entries of those touched rows that the query selects now.
  func entries(
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
