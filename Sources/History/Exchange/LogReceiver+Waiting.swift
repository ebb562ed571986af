import QueryDSL
import SQLCore

extension LogReceiver {
  /// Returns whether the object that a change waits for exists now.
  mutating func isPresent(_ part: AwaitedPart) throws -> Bool {
    guard let table = try tables.table(part.table) else { return false }
    switch part.kind {
    case .table:
      let key = tables.present(part.columns, of: table)
      return table.isLogged && key.count == table.keys.count
        && key.allSatisfy { table.hasKeyColumn($0) }
    case .column:
      return tables.present(part.columns, of: table).allSatisfy { table.has($0) }
    case .parent:
      guard let parent = try tables.table(part.parent ?? "") else { return false }
      let columns = tables.present(part.parentColumns, of: parent)
      guard columns.allSatisfy({ parent.has($0) }) else { return false }
      return try parent.row(with: part.applied(to: columns), on: connection) != nil
    case .row:
      let columns = tables.present(part.columns, of: table)
      guard columns.allSatisfy({ table.has($0) }) else { return true }
      if try table.row(with: part.applied(to: columns), on: connection) != nil { return true }
      // The row does not exist. If no waiting change inserts it, its insertion was left out, so
      // other changes of the row need not wait for the insertion.
      return try !connection.insertionWaits(table: table.name, key: part.keyText)
    }
  }

  /// Finds the waiting changes whose row was deleted in this database, and ends their wait.
  ///
  /// - Parameter isNew: whether to consider only the deletions since the last transaction of
  ///   another database was applied. Earlier deletions were found at that time.
  mutating func endWaitingForDeletedRows(isNew: Bool = false) throws {
    guard hasWaiting else { return }
    let start = isNew ? try connection.lastAppliedLogEntry() : 0
    try connection.endWaitingForDeletedRows(after: start, in: &tables)
  }

  // MARK: Parents

  /// Returns the parent row that is missing if a change violates a foreign key; nil if no parent
  /// row is missing.
  mutating func missingParent(
    of change: AnyLogChange, in table: AppliedTable, _ failure: ConstraintFailure
  ) throws -> AwaitedPart? {
    let row = try table.row(of: change, on: connection)
    for key in try connection.use().foreignKeys(of: table.name)
    where key.columns.map(\.lowercasedASCII) == failure.columns.map(\.lowercasedASCII) {
      let values = key.columns.compactMap { change.new($0) ?? row?[$0] }
      guard values.count == key.columns.count, !values.contains(where: \.isNull) else { continue }
      let part = AwaitedPart(
        kind: .parent, table: table.name, columns: key.columns, parent: key.parent,
        parentColumns: key.parentColumns, values: values.map { CodedValue(value: $0) })
      if try !isPresent(part) { return part }
    }
    return nil
  }

  /// Finds the waiting changes whose parent row was deleted, according to the log. These changes no
  /// longer wait. They are left out and reported as conflicts.
  mutating func endWaitingForDeletedParents() throws {
    var deleted: [String: Set<String>] = [:]
    for (part, _) in try connection.awaitedParts() where part.kind == .parent {
      guard let parent = try tables.table(part.parent ?? ""),
        tables.present(part.parentColumns, of: parent).elementsEqual(
          parent.keys, by: { $0.isSame(as: $1) })
      else { continue }
      let known = try deleted[parent.name] ?? connection.deletedKeys(of: parent)
      deleted[parent.name] = known
      guard known.contains(part.keyText) else { continue }
      let waiting = try connection.waitingChanges(for: part)
      let failure = ConstraintFailure(kind: .foreignKey, table: part.table, columns: part.columns)
      conflicts += waiting.flatMap(\.transaction.changes).map {
        ResolvedConflict(
          conflict: ChangeConflict(change: $0, reason: .violates(failure), current: nil),
          wasApplied: false)
      }
      try connection.endWaiting(waiting.map(\.id))
    }
  }
}

extension AwaitedPart {
  /// The key of the awaited row as one text, such as `1, 'a'`. Rows are looked up in a set by this
  /// text.
  fileprivate var keyText: String { values.map(\.value.description).joined(separator: ", ") }

  fileprivate func applied(to columns: [String]) -> [AppliedValue] {
    zip(columns, values).map { AppliedValue(column: $0, value: $1.value) }
  }
}

extension WaitingChange {
  /// Returns the changes in groups. The changes of a group have the same entry and the same policy.
  static func grouped(_ changes: [WaitingChange]) -> [[WaitingChange]] {
    var groups: [[WaitingChange]] = []
    for change in changes {
      if let last = groups.last?.last, last.entry == change.entry, last.rule == change.rule {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
    return groups
  }
}

extension Connection {
  /// Ends the wait of changes whose row was deleted in this database after the changes had arrived.
  /// If the row exists again, for example after an undo or a REPLACE, its changes continue to wait.
  ///
  /// Reads the deletions in the log that came after the oldest waiting change.
  ///
  /// - Parameter start: the number of the entry after which the deletions are considered.
  func endWaitingForDeletedRows(after start: Int64 = 0, in tables: inout PresentTables) throws {
    let oldest = #"SELECT min("entry") FROM "apus_log_waiting" WHERE NOT "isDone""#
    guard let first = try row(SQL(unsafe: oldest))?.get(Int64?.self, at: 0) else { return }
    var waiting: [String: Set<String>] = [:]
    try forEach(#"SELECT DISTINCT "table", "key" FROM "apus_log_waiting" WHERE NOT "isDone""#) {
      row in
      waiting[try row.get(at: 0), default: []].insert(try row.get(at: 1))
    }
    for shape in try logShapes().values {
      guard let table = try tables.table(shape.table), !shape.key.isEmpty else { continue }
      let names = Set([shape.foldedTable, table.name.lowercasedASCII])
      let keys = names.reduce(into: Set<String>()) { $0.formUnion(waiting[$1] ?? []) }
      guard !keys.isEmpty else { continue }
      let columns = shape.key.map { "\"\(LogTables.valueColumns($0).old)\"" }
      var deleted: [String: (entry: Int64, key: [DatabaseValue])] = [:]
      try forEach(
        """
        SELECT "entry", \(unsafe: columns.joined(separator: ", ")) FROM "apus_log_change" \
        WHERE "id" >= (SELECT "firstChange" FROM "apus_log_entry" \
        WHERE "sequence" > \(max(first, start)) ORDER BY "sequence" LIMIT 1) \
        AND "shape" = \(shape.id) AND "kind" = 'delete'
        """
      ) { row in
        let key = try columns.indices.map { try row.databaseValue(at: $0 + 1) }
        let text = key.map(\.description).joined(separator: ", ")
        if keys.contains(text) { deleted[text] = (try row.get(at: 0), key) }
      }
      let keyNames = tables.present(shape.keyNames, of: table)
      guard keyNames.allSatisfy({ table.has($0) }) else { continue }
      for (text, deletion) in deleted {
        let values = zip(keyNames, deletion.key).map { AppliedValue(column: $0, value: $1) }
        guard try table.row(with: values, on: self) == nil else { continue }
        for name in names {
          try execute(
            """
            UPDATE "apus_log_waiting" SET "isDone" = 1 WHERE NOT "isDone" \
            AND "table" = \(name) AND "key" = \(text) AND "entry" < \(deletion.entry)
            """)
        }
      }
    }
  }

  /// Returns the number of the newest entry with a transaction of another database; 0 if the log
  /// has no such entry.
  fileprivate func lastAppliedLogEntry() throws -> Int64 {
    try row(
      """
      SELECT "sequence" FROM "apus_log_entry" WHERE "origin" IS NOT NULL \
      ORDER BY "sequence" DESC LIMIT 1
      """)?.get(at: 0) ?? 0
  }

  /// Returns, as texts, the keys of those rows of a table whose deletion is in the log. Reads all
  /// deletions of the table in the log.
  fileprivate func deletedKeys(of table: AppliedTable) throws -> Set<String> {
    var keys: Set<String> = []
    for shape in try logShapes().values where shape.table.isSame(as: table.name) {
      let places = table.keys.compactMap { shape.index(of: $0) }
      guard places.count == table.keys.count else { continue }
      let columns = places.map { "\"\(LogTables.valueColumns($0).old)\"" }
      try forEach(
        """
        SELECT \(unsafe: columns.joined(separator: ", ")) FROM "apus_log_change" \
        WHERE "shape" = \(shape.id) AND "kind" IN ('delete', 'gone')
        """
      ) { row in
        let values = try columns.indices.map { try row.databaseValue(at: $0) }
        keys.insert(values.map(\.description).joined(separator: ", "))
      }
    }
    return keys
  }
}

extension AppliedTable {
  func has(_ column: String) -> Bool { columns.contains { $0.isSame(as: column) } }

  func hasKeyColumn(_ column: String) -> Bool { keys.contains { $0.isSame(as: column) } }

  /// Returns whether the primary key of the table has the same columns as the key of a change.
  func hasKey(of change: AnyLogChange) -> Bool {
    !keys.isEmpty && keys.count == change.shape.key.count
      && change.shape.keyNames.allSatisfy { hasKeyColumn($0) }
  }

  /// Returns the columns of a change that the table does not have.
  func missingColumns(of change: AnyLogChange) -> [String] {
    changedColumns(of: change).filter { !has($0) }
  }
}
