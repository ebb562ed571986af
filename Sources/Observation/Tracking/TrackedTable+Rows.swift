import SQLCore

extension TrackedTable {
  /// The row before; nil where SQLite does not tell it.
  func oldState(of event: borrowing PreUpdateEvent) -> RowEvent.State? {
    let kind = event.kind
    return state(rowID: event.oldRowID) { place in
      event.oldDatabaseValue(at: index(of: place, kind: kind, isOld: true))
    }
  }

  /// The row after; nil where SQLite does not tell it.
  func newState(of event: borrowing PreUpdateEvent) -> RowEvent.State? {
    let kind = event.kind
    return state(rowID: event.newRowID) { place in
      event.newDatabaseValue(at: index(of: place, kind: kind, isOld: false))
    }
  }

  private func index(of place: ColumnPlace, kind: PreUpdateEvent.Kind, isOld: Bool) -> Int {
    HookConvention.current.index(of: place, kind: kind, isOld: isOld, hasRowID: hasRowID)
  }

  private func state(
    rowID: Int64, value: (ColumnPlace) -> DatabaseValue?
  ) -> RowEvent.State? {
    var values: [DatabaseValue] = []
    values.reserveCapacity(recorded.count)
    for column in recorded {
      guard let value = value(column.place) else { return nil }
      values.append(column.corrected(value))
    }
    switch key {
    case .rowID:
      return RowEvent.State(key: .rowID(rowID), values: values)
    case .columns(let places):
      let keys = places.compactMap(value)
      guard keys.count == places.count else { return nil }
      return RowEvent.State(key: .values(keys), values: values)
    }
  }

  /// The recorded values of a row as they are in the database now; nil where it is not there.
  func read(_ key: RowKey, on connection: Connection) throws -> [DatabaseValue]? {
    var sql: SQL = "SELECT 1"
    for column in recorded { sql.append(", \(identifier: column.name)") }
    sql.append(" FROM \(identifier: name) WHERE ")
    switch key {
    case .rowID(let id):
      sql.append(keyNames.isEmpty ? "rowid = \(id)" : "\(identifier: keyNames[0]) = \(id)")
    case .values(let values):
      for (index, (name, value)) in zip(keyNames, values).enumerated() {
        sql.append("\(unsafe: index > 0 ? " AND " : "")\(identifier: name) IS \(value)")
      }
    }
    return try connection.row(sql).map { Array($0.values.dropFirst()) }
  }
}

extension TrackedTable.RecordedColumn {
  /// The value as a SELECT would give it.
  fileprivate func corrected(_ value: DatabaseValue) -> DatabaseValue {
    switch value {
    case .null: missingValue ?? .null
    case .integer(let integer) where isReal: .real(Double(integer))
    default: value
    }
  }
}
