import SQLCore

// SQLite reports that a foreign key was violated, but not which one. The statement is undone by
// then, so the cause can be searched for: a reference to a row that does not exist, or rows that
// still refer to the deleted one. This costs a few statements, only after a failure.

/// A foreign key that the database declares.
private struct DeclaredForeignKey {
  let child: String
  let parent: String
  var columns: [String]
  var targets: [String]
  let onDelete: String
}

extension DatabaseError {
  /// Whether this is the violation of a foreign key whose columns are not known.
  var isForeignKeyWithoutPlace: Bool {
    constraint?.kind == .foreignKey && constraint?.columns.isEmpty == true
  }

  /// Returns the error with the table and columns of the foreign key.
  fileprivate func at(_ key: DeclaredForeignKey?, orTable table: String) -> DatabaseError {
    var located = self
    located.constraint?.table = key?.child ?? table
    located.constraint?.columns = key?.columns ?? []
    // The message may have the foreign keys that the statement can have violated.
    if let candidates = message.firstRange(of: ": one of ") {
      guard key != nil else { return located }
      located.message.removeSubrange(candidates.lowerBound...)
    }
    let names = key.map { key in key.columns.map { "\(key.child).\($0)" } } ?? [table]
    located.message += ": " + names.joined(separator: ", ")
    return located
  }

  /// Returns the error with the position of the model that failed.
  package func at(row: Int?) -> DatabaseError {
    guard let row else { return self }
    var located = self
    located.message += " (row \(row))"
    return located
  }
}

extension ModelLayout {
  /// Adds to an error the foreign key of a model whose parent row does not exist.
  func locate(
    _ error: DatabaseError, writing model: UnsafeRawPointer, on core: ConnectionCore
  ) -> DatabaseError {
    locate(error, writing: [0], on: core) { databaseValue(ofColumn: $1, in: model) }
  }

  /// Adds to an error the foreign key of the first of several rows whose parent row does not exist,
  /// and the position of the row if there are several. They may refer to each other.
  func locate(
    _ error: DatabaseError, writing rows: [Int], on core: ConnectionCore,
    _ value: (_ row: Int, _ column: String) -> DatabaseValue?
  ) -> DatabaseError {
    if let error = error.overflowing([], of: tableName) { return error }
    guard error.isForeignKeyWithoutPlace || error.constraint?.kind == .foreignKey && rows.count > 1
    else { return error }
    let connection = core.lend()
    func values(_ columns: [String], of row: Int) -> [DatabaseValue]? {
      let values = columns.compactMap { value(row, $0) }
      return values.count == columns.count && !values.contains(.null) ? values : nil
    }
    for key in connection.keys(of: tableName) {
      let written =
        rows.count > 1 && key.parent.isSame(as: tableName)
        ? Set(rows.compactMap { values(key.targets, of: $0) }) : []
      for row in rows {
        guard let values = values(key.columns, of: row), !written.contains(values) else { continue }
        var sql: SQL = "SELECT 1 FROM \(identifier: key.parent) WHERE 1"
        for (target, value) in zip(key.targets, values) {
          sql.append(" AND \(identifier: target) = \(value)")
        }
        let isMissing = try? connection.row(sql) == nil
        guard isMissing ?? false else { continue }
        let located = error.isForeignKeyWithoutPlace ? error.at(key, orTable: tableName) : error
        return located.at(row: rows.count > 1 ? row : nil)
      }
    }
    return error.isForeignKeyWithoutPlace ? error.at(nil, orTable: tableName) : error
  }

  /// Whether an error may be due to a row that refers to a later one of the same array: a foreign
  /// key was violated, and the table has one that refers to itself.
  func mayReferForward(_ error: any Error, on core: ConnectionCore) -> Bool {
    guard (error as? DatabaseError)?.constraint?.kind == .foreignKey else { return false }
    return core.lend().keys(of: tableName).contains { $0.parent.isSame(as: tableName) }
  }

  /// Adds to an error the foreign key whose rows still refer to the row that was to be deleted.
  func locate<ID>(
    _ error: DatabaseError, deleting id: ID, on core: ConnectionCore
  ) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace else { return error }
    let connection = core.lend()
    let condition = condition(for: id)
    let failed = connection.keysThatHold(tableName).first { key in
      let columns = key.columns.map { Identifier($0).quoted }.joined(separator: ", ")
      let targets = key.targets.map { Identifier($0).quoted }.joined(separator: ", ")
      let sql: SQL = """
        SELECT 1 FROM \(identifier: key.child) WHERE (\(unsafe: columns)) IN \
        (SELECT \(unsafe: targets) FROM \(identifier: tableName) WHERE \(condition))
        """
      let row = try? connection.row(sql)
      return row != nil
    }
    return error.at(failed, orTable: tableName)
  }

  /// Adds to an error the foreign key that a change of many rows violated, if only one is possible;
  /// else the table.
  func locate(
    _ error: DatabaseError, running command: some ModelCommand, on core: ConnectionCore
  ) -> DatabaseError {
    if let error = error.overflowing(command.assignedColumns, of: tableName) { return error }
    guard error.isForeignKeyWithoutPlace else { return error }
    let connection = core.lend()
    guard let assigned = command.assignedColumns?.map(\.lowercasedASCII) else {
      let keys = connection.keysThatHold(tableName)
      return error.at(keys.count == 1 ? keys[0] : nil, orTable: tableName)
    }
    let keys = connection.keys(of: tableName).filter { key in
      key.columns.contains { assigned.contains($0.lowercasedASCII) }
    }
    return error.at(keys.count == 1 ? keys[0] : nil, orTable: tableName)
  }

  /// Returns the condition for a key, which has `"id" = ?` for each of its columns.
  private func condition<ID>(for id: ID) -> SQL {
    var condition: SQL = "1"
    withUnsafeBytes(of: id) { memory in
      guard let memory = memory.baseAddress else { return }
      for (index, slot) in zip(keyColumns, keySlots.slots) {
        let value = try? plainValue(slot.type, at: memory + Int(slot.offset), form: slot.form)
        condition.append(" AND \(identifier: columns[index].name) = \(value ?? .null)")
      }
    }
    return condition
  }

  private func plainValue<Value: ColumnValue>(
    _ type: Value.Type, at memory: UnsafeRawPointer, form: StoredForm
  ) throws -> DatabaseValue {
    try memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: form)
  }

  func databaseValue(
    ofColumn name: String, in model: UnsafeRawPointer
  ) -> DatabaseValue? {
    guard let index = index(named: name) else { return nil }
    let slot = slots.slots[index]
    return try? slot.type._databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form)
  }
}

extension Connection {
  /// Returns the foreign keys of a table.
  fileprivate func keys(of table: String) -> [DeclaredForeignKey] {
    (try? foreignKeys(where: "lower(m.name) = lower(\(table))")) ?? []
  }

  /// Returns the foreign keys, of any table, that prevent the deletion of a referenced row of this
  /// table.
  fileprivate func keysThatHold(_ table: String) -> [DeclaredForeignKey] {
    let keys = try? foreignKeys(where: "lower(f.\"table\") = lower(\(table))")
    return keys?.filter { $0.onDelete == "NO ACTION" || $0.onDelete == "RESTRICT" } ?? []
  }

  /// Returns the foreign keys that meet a condition on the table `m` in `sqlite_schema` and the row
  /// `f` of the pragma.
  fileprivate func foreignKeys(where condition: SQL) throws -> [DeclaredForeignKey] {
    var keys: [DeclaredForeignKey] = []
    let rows = try rows(
      """
      SELECT m.name, f."table", f."from", f."to", f.on_delete, f.seq
      FROM sqlite_schema AS m JOIN pragma_foreign_key_list(m.name) AS f
      WHERE m.type = 'table' AND \(condition) ORDER BY m.name, f.id, f.seq
      """)
    for row in rows {
      let parent = try row.get(String.self, at: 1)
      let position = try row.get(Int.self, at: 5)
      if position == 0 {
        keys.append(
          DeclaredForeignKey(
            child: try row.get(at: 0), parent: parent, columns: [], targets: [],
            onDelete: try row.get(at: 4)))
      }
      guard let last = keys.indices.last else { continue }
      keys[last].columns.append(try row.get(at: 2))
      // REFERENCES without columns means the parent's primary key.
      let target =
        try row.get(String?.self, at: 3)
        ?? columns(ofTable: parent).first { $0.primaryKeyPosition == position + 1 }?.name
      keys[last].targets.append(target ?? "")
    }
    return keys
  }
}
