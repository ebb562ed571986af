import QueryDSL
import SQLCore

extension MaintenancePlan {
  /// Fetches all rows of the query or, if it has a limit, as many as the window holds.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    var limited = statement
    if let count = ResultWindow.fetchCount(limit: limit, offset: offset) {
      limited.limit = .number(count)
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

  /// Reads the row at which a run of `statement` stands.
  private func entry(of statement: StatementPointer, on core: ConnectionCore) throws -> ResultEntry
  {
    let (row, next) = try query.read(statement, on: core)
    let values = StatementRow(statement: statement)
    let keyStart = next + order.terms.count
    let orderValues = try (next..<keyStart).map { try values.databaseValue(at: $0) }
    let key: RowKey
    if isKeyedByRowID {
      key = .rowID(try values.get(Int64.self, at: keyStart))
    } else {
      let end = keyStart + order.keyCollations.count
      key = .values(try (keyStart..<end).map { try values.databaseValue(at: $0) })
    }
    return ResultRowEntry(
      key: key, order: orderValues, fingerprint: values.fingerprint(ofFirst: next), row: row)
  }

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
