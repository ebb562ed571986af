import QueryDSL
import SQLCore

/// The rows of a table that commits touched, with the values that a query reads.
struct TouchedRows {
  /// Their columns: those of the key, and those that were recorded.
  let columns: [String]
  let rows: [NetChange]
  /// Whether the values are what SQLite has, so that the query can be asked of them.
  var isExact = true
}

extension MaintenancePlan {
  /// All rows of the query, or as many as its window holds.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    var limited = statement
    if let count = ResultWindow.fetchCount(limit: limit, offset: offset) {
      limited.limit = BoundValue(count)
    }
    let statement = try core.lendStatement(for: limited)
    defer { core.giveBack(statement) }
    var entries: [ResultEntry] = []
    while try core.step(statement) {
      do {
        entries.append(try entry(of: statement, on: core))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: entries.count)
      }
    }
    return entries
  }

  /// What the commits did to the rows of the table, in the columns that the query reads.
  func changes(in commits: [Commit]) -> TouchedRows {
    let name = QualifiedTableName(table.name)
    var touched: [TableRows] = []
    for commit in commits {
      for write in commit.writes {
        if let changes = write.tables[name] { touched.append(changes) }
      }
    }
    guard let last = touched.last else { return TouchedRows(columns: [], rows: []) }
    let places = last.names.places(of: columns)
    let names = last.names.keys + places.map { last.names.columns[$0] }
    // Most often one write lies between two looks: each of its rows is told once.
    guard touched.count > 1 else {
      let rows = rows(of: last).filter { last.differs($0, at: places) }
      return TouchedRows(
        columns: names, rows: rows.map { last.newState(of: $0, at: places) },
        isExact: rows.allSatisfy { last.isExact($0, at: places) })
    }
    var netted = NettedRows()
    var isExact = true
    for changes in touched {
      let places = changes.names.places(of: columns)
      for row in rows(of: changes) {
        netted.add(changes.change(row, at: places))
        isExact = isExact && changes.isExact(row, at: places)
      }
    }
    return TouchedRows(columns: names, rows: netted.rows, isExact: isExact)
  }

  /// The rows of a write that may belong to the result, or may have belonged to it.
  private func rows(of changes: TableRows) -> [RecordedRow] {
    if let keys { return changes.indices(ofKeys: keys).map { changes.rows[$0] } }
    guard let requiredValue,
      let place = changes.names.foldedColumns.firstIndex(of: requiredValue.column)
    else { return changes.rows }
    return changes.indices(of: requiredValue.value, at: place).map { changes.rows[$0] }
  }

  /// Those of the rows that the query gives now, by key.
  func entries(
    of touched: TouchedRows, _ evaluators: RowEvaluators
  ) throws -> [RowKey: ResultEntry] {
    let values = touched.rows.compactMap { row in row.new.map { row.key.values + $0 } }
    guard !values.isEmpty else { return [:] }
    var entries: [RowKey: ResultEntry] = [:]
    try evaluators.evaluating(values, columns: touched.columns, in: table) { core in
      var unordered = statement
      unordered.order = .none
      let statement = try core.lendStatement(for: unordered)
      defer { core.giveBack(statement) }
      while try core.step(statement) {
        let entry = try entry(of: statement, on: core)
        entries[entry.key] = entry
      }
    }
    return entries
  }
}
