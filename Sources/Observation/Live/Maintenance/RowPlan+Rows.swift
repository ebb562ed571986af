import QueryDSL
import SQLCore

extension RowPlan {
  /// Returns the net changes of the commits to the table's rows, in the columns that the query
  /// reads.
  func changes(in commits: [Commit]) -> NettedRows {
    let name = QualifiedTableName(table.name)
    var touched: [NettedTable] = []
    for commit in commits {
      for write in commit.writes {
        if let changes = write.tables[name] { touched.append(changes) }
      }
    }
    guard let last = touched.last else { return NettedRows(columns: [], rows: []) }
    let places = last.names.places(of: columns)
    let names = last.names.keys + places.map { last.names.columns[$0] }
    // Usually there is only one write since the last update, which lists each of its rows once.
    guard touched.count > 1 else {
      let rows = rows(of: last).filter { last.differs($0, at: places) }
      return NettedRows(
        columns: names, rows: rows.map { last.newState(of: $0, at: places) },
        isExact: rows.allSatisfy { last.isExact($0, at: places) })
    }
    var rows: [NettedRowValues] = []
    var isExact = true
    for changes in touched {
      let places = changes.names.places(of: columns)
      for row in self.rows(of: changes) {
        rows.append(changes.change(row, at: places))
        isExact = isExact && changes.isExact(row, at: places)
      }
    }
    return NettedRows(columns: names, rows: rows.netted(), isExact: isExact)
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
