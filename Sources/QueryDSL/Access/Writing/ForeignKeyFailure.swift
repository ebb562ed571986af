import SQLCore

// SQLite reports that a foreign key was violated, but not which key. At that moment the statement
// is already undone, so the library can search for the cause. The cause is a reference to a row
// that does not exist, or rows that still refer to the deleted row. The search runs a few
// statements, only after a failure.

extension DatabaseError {
  /// Whether the error says that a foreign key was violated, but not which one.
  var isForeignKeyWithoutPlace: Bool {
    constraint?.kind == .foreignKey && constraint?.columns.isEmpty == true
  }

  /// Returns the error with the table and columns of the violated foreign key. In the message, they
  /// replace the list of all foreign keys that the statement may have violated.
  fileprivate func at(_ key: StoredForeignKey) -> DatabaseError {
    var located = self
    located.constraint?.table = key.table
    located.constraint?.columns = key.columns
    if let candidates = message.firstRange(of: ": one of ") {
      located.message.removeSubrange(candidates.lowerBound...)
    }
    located.message += ": " + key.columns.map { "\(key.table).\($0)" }.joined(separator: ", ")
    return located
  }

  /// Returns the error with the number of the failed row, such as `(row 3)`.
  package func at(row: Int?) -> DatabaseError {
    guard let row else { return self }
    var located = self
    located.message += " (row \(row))"
    return located
  }
}

extension ModelLayout {
  /// Returns the error with the violated foreign key, which is the foreign key by which the model
  /// refers to a parent row that does not exist.
  func locate(
    _ error: DatabaseError, writing model: UnsafeRawPointer, on core: ConnectionCore
  ) -> DatabaseError {
    locate(error, writing: [0], on: core) { databaseValue(ofColumn: $1, in: model) }
  }

  /// Returns the error with the violated foreign key, which is the foreign key by which one of the
  /// rows refers to a parent row that does not exist. If there are several rows, the error also
  /// gets the position of the first row with such a reference. The rows may refer to each other.
  ///
  /// If parent rows are missing for several foreign keys, it is not known which one failed, because
  /// one of them may be deferred. The error then keeps the list of all possible keys.
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
    var failed: [(key: StoredForeignKey, row: Int)] = []
    for key in core.knownForeignKeys(of: tableName) {
      let written =
        rows.count > 1 && key.parent.isSame(as: tableName)
        ? Set(rows.compactMap { values(key.parentColumns, of: $0) }) : []
      let row = rows.first { row in
        guard let values = values(key.columns, of: row), !written.contains(values) else {
          return false
        }
        var sql: SQL = "SELECT 1 FROM \(identifier: key.parent) WHERE 1"
        for (target, value) in zip(key.parentColumns, values) {
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

  /// Returns whether an error may come from a row that refers to a later row of the same array: a
  /// foreign key was violated, and the table has a foreign key to itself.
  func mayReferForward(_ error: any Error, on core: ConnectionCore) -> Bool {
    guard (error as? DatabaseError)?.constraint?.kind == .foreignKey else { return false }
    return core.knownForeignKeys(of: tableName).contains {
      $0.parent.isSame(as: tableName)
    }
  }

  /// Returns the error with the violated foreign key, which is the foreign key by which other rows
  /// still refer to the row to delete. Returns the error unchanged if there are several such
  /// foreign keys, or if an ON DELETE action may delete the referring rows or change their
  /// reference.
  func locate<ID>(
    _ error: DatabaseError, deleting id: ID, on core: ConnectionCore
  ) -> DatabaseError {
    guard error.isForeignKeyWithoutPlace else { return error }
    let connection = core.lend()
    let condition = condition(for: id)
    let holding = core.knownForeignKeys(of: tableName, isChild: false).filter { key in
      guard key.preventsDeletion else { return false }
      let columns = key.columns.map { Identifier($0).quoted }.joined(separator: ", ")
      let targets = key.parentColumns.map { Identifier($0).quoted }.joined(separator: ", ")
      let sql: SQL = """
        SELECT 1 FROM \(identifier: key.table) WHERE (\(unsafe: columns)) IN \
        (SELECT \(unsafe: targets) FROM \(identifier: tableName) WHERE \(condition))
        """
      let row = try? connection.row(sql)
      return row != nil
    }
    guard holding.count == 1, let key = holding.first,
      core.knownForeignKeys(of: key.table).allSatisfy({ other in
        other.preventsDeletion
          || other.onDelete != "CASCADE" && Set(other.columns).isDisjoint(with: key.columns)
      })
    else { return error }
    return error.at(key)
  }

  /// Returns the error with the foreign key that a deletion of many rows violated. This foreign key
  /// is known if no other foreign key can have prevented the deletion: all others that refer to the
  /// table are ON DELETE SET NULL, and there are no triggers. Otherwise, the error gets no foreign
  /// key.
  func locate(
    _ error: DatabaseError, running command: some ModelCommand, on core: ConnectionCore
  ) -> DatabaseError {
    if let error = error.overflowing(command.assignedColumns, of: tableName) { return error }
    guard error.isForeignKeyWithoutPlace, command.assignedColumns == nil else { return error }
    let connection = core.lend()
    let keys = core.knownForeignKeys(of: tableName, isChild: false)
    let holding = keys.filter(\.preventsDeletion)
    guard holding.count == 1, keys.allSatisfy({ $0.preventsDeletion || $0.onDelete == "SET NULL" }),
      let triggers = try? connection.row(
        """
        SELECT count(*) FROM (SELECT type FROM sqlite_schema UNION ALL \
        SELECT type FROM temp.sqlite_schema) WHERE type = 'trigger'
        """), triggers[0] == 0
    else { return error }
    return error.at(holding[0])
  }

  /// Returns the condition that selects the row with a key, such as `"id" = ?`.
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

  /// Reads one value of a key from the memory of a model's `ID`. Returns the value in its stored
  /// form.
  func plainValue<Value: ColumnValue>(
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

extension ConnectionCore {
  /// Returns the foreign keys that a table declares or, if `isChild` is false, the foreign keys
  /// that refer to the table. If they cannot be read, the list is empty.
  fileprivate func knownForeignKeys(of table: String, isChild: Bool = true) -> [StoredForeignKey] {
    (try? foreignKeys(of: table, isChild: isChild)) ?? []
  }
}
