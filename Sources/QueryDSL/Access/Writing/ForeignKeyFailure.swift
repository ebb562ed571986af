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

  /// Whether it prevents the deletion of a row to which others refer.
  var holds: Bool { onDelete == "NO ACTION" || onDelete == "RESTRICT" }
}

extension DatabaseError {
  /// Whether this is the violation of a foreign key whose columns are not known.
  var isForeignKeyWithoutPlace: Bool {
    constraint?.kind == .foreignKey && constraint?.columns.isEmpty == true
  }

  /// Returns the error with the table and columns of the foreign key, in place of all those that the
  /// statement can have violated.
  fileprivate func at(_ key: DeclaredForeignKey) -> DatabaseError {
    var located = self
    located.constraint?.table = key.child
    located.constraint?.columns = key.columns
    if let candidates = message.firstRange(of: ": one of ") {
      located.message.removeSubrange(candidates.lowerBound...)
    }
    located.message += ": " + key.columns.map { "\(key.child).\($0)" }.joined(separator: ", ")
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
  ///
  /// If several keys of the row have no parent, one of them may be deferred, so that the error keeps
  /// all that are possible.
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
    var failed: [(key: DeclaredForeignKey, row: Int)] = []
    for key in connection.keys(of: tableName) {
      let written =
        rows.count > 1 && key.parent.isSame(as: tableName)
        ? Set(rows.compactMap { values(key.targets, of: $0) }) : []
      let row = rows.first { row in
        guard let values = values(key.columns, of: row), !written.contains(values) else {
          return false
        }
        var sql: SQL = "SELECT 1 FROM \(identifier: key.parent) WHERE 1"
        for (target, value) in zip(key.targets, values) {
          sql.append(" AND \(identifier: target) = \(value)")
        }
        let isMissing = try? connection.row(sql) == nil
        return isMissing ?? false
      }
      if let row { failed.append((key, row)) }
    }
    guard failed.count == 1, let (key, row) = failed.first else { return error }
    return (error.isForeignKeyWithoutPlace ? error.at(key) : error).at(
      row: rows.count > 1 ? row : nil)
  }

  /// Whether an error may be due to a row that refers to a later one of the same array: a foreign
  /// key was violated, and the table has one that refers to itself.
  func mayReferForward(_ error: any Error, on core: ConnectionCore) -> Bool {
    guard (error as? DatabaseError)?.constraint?.kind == .foreignKey else { return false }
    return core.lend().keys(of: tableName).contains { $0.parent.isSame(as: tableName) }
  }

  /// Adds to an error the foreign key whose rows still refer to the row that was to be deleted, if
  /// there is only one, and no action deletes these rows or changes their reference.
  func locate<ID>(
    _ error: DatabaseError, deleting id: ID, on core: ConnectionCore
  ) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace else { return error }
    let connection = core.lend()
    let condition = condition(for: id)
    let holding = connection.keys(referringTo: tableName).filter { key in
      guard key.holds else { return false }
      let columns = key.columns.map { Identifier($0).quoted }.joined(separator: ", ")
      let targets = key.targets.map { Identifier($0).quoted }.joined(separator: ", ")
      let sql: SQL = """
        SELECT 1 FROM \(identifier: key.child) WHERE (\(unsafe: columns)) IN \
        (SELECT \(unsafe: targets) FROM \(identifier: tableName) WHERE \(condition))
        """
      let row = try? connection.row(sql)
      return row != nil
    }
    guard holding.count == 1, let key = holding.first,
      connection.keys(of: key.child).allSatisfy({ other in
        other.holds
          || other.onDelete != "CASCADE" && Set(other.columns).isDisjoint(with: key.columns)
      })
    else { return error }
    return error.at(key)
  }

  /// Adds to an error the foreign key that a deletion of many rows violated, if only one is possible:
  /// all others set the reference to NULL, and no trigger writes further rows.
  func locate(
    _ error: DatabaseError, running command: some ModelCommand, on core: ConnectionCore
  ) -> DatabaseError {
    if let error = error.overflowing(command.assignedColumns, of: tableName) { return error }
    guard error.isForeignKeyWithoutPlace, command.assignedColumns == nil else { return error }
    let connection = core.lend()
    let keys = connection.keys(referringTo: tableName)
    let holding = keys.filter(\.holds)
    guard holding.count == 1, keys.allSatisfy({ $0.holds || $0.onDelete == "SET NULL" }),
      let triggers = try? connection.row(
        """
        SELECT count(*) FROM (SELECT type FROM sqlite_schema UNION ALL \
        SELECT type FROM temp.sqlite_schema) WHERE type = 'trigger'
        """), triggers[0] == 0
    else { return error }
    return error.at(holding[0])
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

  /// Returns the foreign keys, of any table, that refer to this table.
  fileprivate func keys(referringTo table: String) -> [DeclaredForeignKey] {
    (try? foreignKeys(where: "lower(f.\"table\") = lower(\(table))")) ?? []
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
