import SQLCore

/// The identity of a row: its rowid, or the values of its primary key.
package enum RowKey: Hashable, Sendable {
  case rowID(Int64)
  case values([DatabaseValue])
  /// The values of a primary key, at least one of which is NULL, and the rowid. SQLite allows
  /// several rows with the same values if one of the values is NULL. Only the rowids of these rows
  /// differ.
  case incomplete([DatabaseValue], rowID: Int64)

  /// The values of the key's columns, or the rowid if it is the key.
  package var values: [DatabaseValue] {
    switch self {
    case .rowID(let id): [.integer(id)]
    case .values(let values): values
    case .incomplete(let values, _): values
    }
  }
}

extension RecordedValues {
  /// Returns the key that a `NettedRow.key` refers to.
  func key(_ key: Int64, keyCount: Int?) -> RowKey {
    guard let keyCount else { return .rowID(key) }
    let values = values(of: Int(key), count: keyCount + 1)
    let own = Array(values.dropLast())
    if case .integer(let rowID)? = values.last { return .incomplete(own, rowID: rowID) }
    return .values(own)
  }
}

extension TrackedTable {
  /// Records a row from the hook. Returns nil if SQLite does not report all its values.
  ///
  /// - Parameters:
  ///   - place: the index of the table among the tracked tables.
  ///   - start: the number of bytes in `values` before the row is recorded.
  ///   - assigned: the columns that may have other values after an update; nil for all columns.
  ///   - recorder: the recorder that reads the row from the table if necessary. This is necessary
  ///     if the hook reports NULL for a column with a default, because the row may be older than
  ///     the column. The value of an older row is the default, but the hook reports NULL.
  func record(
    _ event: borrowing PreUpdateEvent, at place: Int, start: Int, in values: RecordedValues,
    assigned: AssignedColumns.Columns?, by recorder: Recorder
  ) -> RecordedRow? {
    var row = RecordedRow(table: place, start: start)
    let kind = event.kind
    let hasOld = kind != .insert
    let hasNew = kind != .delete
    guard takeKeys(of: event, into: &row, in: values, assigned: assigned) else { return nil }
    guard let state = values.reserve(states: hasOld && hasNew ? 2 : 1, of: recordedCount) else {
      return nil
    }
    if hasOld {
      row.old = state
      switch values.fill(state, before: true, of: event, from: recordedIndices.before(kind)) {
      case .complete: break
      case .unknown: return nil
      case .doubtful:
        // If the table has rowids, the row is read by its rowid, because indexes may no longer
        // contain the row.
        let key =
          hasRowID
          ? .incomplete([], rowID: event.oldRowID)
          : values.key(row.oldKey, keyCount: names.keyCount)
        if let found = try? recorder.reading({ try read(key, on: $0) }),
          !values.fill(state, with: found)
        {
          return nil
        }
      }
    }
    if hasNew {
      row.new = hasOld ? RecordedValues.state(behind: state, of: recordedCount) : state
      let sources = recordedIndices.after(kind)
      if let assigned {
        guard
          values.fill(row.new, after: row.old, but: assigned.places, of: event, from: sources)
        else { return nil }
      } else {
        guard case .complete = values.fill(row.new, before: false, of: event, from: sources) else {
          return nil
        }
      }
    }
    // SQLite reports a write to an incremental BLOB as a deletion, with only the old row.
    row.isUnknown = kind == .delete && event.blobColumn >= 0
    row.isNested = event.depth > 0
    return row
  }

  /// Records the key before and after the change. Returns false if SQLite does not report the key.
  private func takeKeys(
    of event: borrowing PreUpdateEvent, into row: inout RecordedRow, in values: RecordedValues,
    assigned: AssignedColumns.Columns?
  ) -> Bool {
    let kind = event.kind
    guard !isKeyedByRowID else {
      row.oldKey = kind == .insert ? event.newRowID : event.oldRowID
      row.newKey = kind == .delete ? event.oldRowID : event.newRowID
      return true
    }
    var old: Int64?
    if kind != .insert {
      old = key(of: event, before: true, rowID: event.oldRowID, in: values)
      guard old != nil else { return false }
    }
    let staysWithKey = assigned.map { !$0.includesKey } ?? false
    var new = old
    if kind == .insert || kind == .update && !(staysWithKey && event.oldRowID == event.newRowID) {
      new = key(of: event, before: false, rowID: event.newRowID, in: values)
    }
    guard let last = new ?? old, let first = old ?? new, new != nil || kind == .delete else {
      return false
    }
    row.oldKey = first
    let isSame = values.isSame(Int(first), Int(last), count: (names.keyCount ?? 0) + 1)
    row.newKey = isSame ? first : last
    return true
  }

  /// Records the values of the key. If one of the values is NULL, the rowid follows, because rows
  /// with NULL in the key may differ only in their rowids.
  private func key(
    of event: borrowing PreUpdateEvent, before isBefore: Bool, rowID: Int64,
    in values: RecordedValues
  ) -> Int64? {
    let sources = isBefore ? keyIndices.before(event.kind) : keyIndices.after(event.kind)
    let count = sources.count
    guard let state = values.reserve(of: count + 1) else { return nil }
    if case .unknown = values.fill(
      state, before: isBefore, of: event, from: sources, among: count + 1)
    {
      return nil
    }
    let isIncomplete = hasRowID && (0..<count).contains { values.isNull(state, at: $0) }
    _ = values.fill(state, at: count, of: count + 1, with: isIncomplete ? .integer(rowID) : .null)
    return Int64(state)
  }

  /// Reads the values of a row's recorded columns from the database. Returns nil if the row does
  /// not exist.
  func read(_ key: RowKey, on connection: Connection) throws -> [DatabaseValue]? {
    var sql: SQL = "SELECT 1"
    for column in recorded { sql.append(", \(identifier: column.name)") }
    sql.append(" FROM \(identifier: name.schema).\(identifier: name.name) WHERE ")
    switch key {
    case .rowID(let id), .incomplete(_, let id):
      sql.append("\(identifier: rowIDName) = \(id)")
    case .values(let values):
      for (index, (name, value)) in zip(names.keys, values).enumerated() {
        sql.append("\(unsafe: index > 0 ? " AND " : "")\(identifier: name) = \(value)")
      }
    }
    return try connection.row(sql).map { Array($0.values.dropFirst()) }
  }
}
