import SQLCore

extension TrackedTable {
  /// The row before; nil where SQLite does not tell it.
  ///
  /// - Parameter look: reads the row as it is in the table: where a column that has a default shows
  ///   as NULL, the row may be older than the column, and the hook does not say which.
  func oldState(
    of event: borrowing PreUpdateEvent, look: (RowKey) throws -> [DatabaseValue]?
  ) -> RowEvent.State? {
    let kind = event.kind
    var isDoubtful = false
    let state = state(rowID: event.oldRowID) { place in
      event.oldDatabaseValue(at: index(of: place, kind: kind, isOld: true))
    } correct: { column, value in
      if column.mayBeMissing, value.isNull { isDoubtful = true }
      return column.isReal ? value.asReal : value
    }
    guard isDoubtful, let state, let found = try? look(state.key) else { return state }
    return RowEvent.State(key: state.key, values: found)
  }

  /// The row after; nil where SQLite does not tell it.
  func newState(of event: borrowing PreUpdateEvent) -> RowEvent.State? {
    let kind = event.kind
    return state(rowID: event.newRowID) { place in
      event.newDatabaseValue(at: index(of: place, kind: kind, isOld: false))
    } correct: { column, value in
      column.isReal ? value.asReal : value
    }
  }

  private func index(of place: ColumnPlace, kind: PreUpdateEvent.Kind, isOld: Bool) -> Int {
    HookConvention.current.index(of: place, kind: kind, isOld: isOld, hasRowID: hasRowID)
  }

  private func state(
    rowID: Int64, value: (ColumnPlace) -> DatabaseValue?,
    correct: (RecordedColumn, DatabaseValue) -> DatabaseValue
  ) -> RowEvent.State? {
    var values: [DatabaseValue] = []
    values.reserveCapacity(recorded.count)
    for column in recorded {
      guard let value = value(column.place) else { return nil }
      values.append(correct(column, value))
    }
    switch key {
    case .rowID:
      return RowEvent.State(key: .rowID(rowID), values: values)
    case .columns(let places):
      let keys = places.compactMap(value)
      guard keys.count == places.count else { return nil }
      let isIncomplete = hasRowID && keys.contains { $0.isNull }
      return RowEvent.State(
        key: isIncomplete ? .incomplete(keys, rowID: rowID) : .values(keys), values: values)
    }
  }

  /// The recorded values of a row as they are in the database now; nil where it is not there.
  func read(_ key: RowKey, on connection: Connection) throws -> [DatabaseValue]? {
    var sql: SQL = "SELECT 1"
    for column in recorded { sql.append(", \(identifier: column.name)") }
    sql.append(" FROM \(identifier: name.schema).\(identifier: name.name) WHERE ")
    switch key {
    case .rowID(let id):
      sql.append(keyNames.isEmpty ? "rowid = \(id)" : "\(identifier: keyNames[0]) = \(id)")
    case .incomplete(_, let id):
      sql.append("rowid = \(id)")
    case .values(let values):
      for (index, (name, value)) in zip(keyNames, values).enumerated() {
        sql.append("\(unsafe: index > 0 ? " AND " : "")\(identifier: name) = \(value)")
      }
    }
    return try connection.row(sql).map { Array($0.values.dropFirst()) }
  }

  /// What a write did to the table, before its rows are known.
  var emptyRows: TableRows {
    TableRows(
      name: declaredName, keyNames: keyNames, columns: recorded.map(\.name),
      foldedColumns: recorded.map(\.name.lowercasedASCII))
  }
}
