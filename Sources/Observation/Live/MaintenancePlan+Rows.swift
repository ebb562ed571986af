import QueryDSL
import SQLCore

/// The rows of a table that commits touched, with the values that a query reads.
struct TouchedRows {
  /// Their columns: those of the key, and those that were recorded.
  let columns: [String]
  let rows: [NetChange]
}

extension MaintenancePlan {
  /// The keys that the query's rows may have, where it says so.
  var requiredKeys: Set<RowKey>? {
    guard order.keyCollations == [.binary],
      let layout = LayoutRegistry.shared.layout(number: statement.from.layout),
      let key = layout.keyColumns.first
    else { return nil }
    let column = ColumnID(table: statement.from, index: UInt16(truncatingIfNeeded: key))
    return statement.requiredKey(column: column).map { Set(RowKey.candidates([$0])) }
  }

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
      let rows = last.rows.filter { last.differs($0, at: places) }
      return TouchedRows(columns: names, rows: rows.map { last.newState(of: $0, at: places) })
    }
    var netted = NettedRows()
    for changes in touched {
      let places = changes.names.places(of: columns)
      for row in changes.rows { netted.add(changes.change(row, at: places)) }
    }
    return TouchedRows(columns: names, rows: netted.rows)
  }

  /// Those of the rows that the query gives now, by key.
  func entries(
    of touched: TouchedRows, _ evaluators: RowEvaluators
  ) throws -> [RowKey: ResultEntry] {
    let values = touched.rows.compactMap { row in row.new.map { row.key.values + $0 } }
    guard !values.isEmpty else { return [:] }
    var entries: [RowKey: ResultEntry] = [:]
    try evaluators.withEvaluator { evaluator in
      try evaluator.evaluating(values, columns: touched.columns, in: table) { core in
        var unordered = statement
        unordered.order = .none
        let statement = try core.lendStatement(for: unordered)
        defer { core.giveBack(statement) }
        while try core.step(statement) {
          let entry = try entry(of: statement, on: core)
          entries[entry.key] = entry
        }
      }
    }
    return entries
  }
}
