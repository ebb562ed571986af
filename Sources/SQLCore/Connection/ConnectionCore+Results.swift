import CSQLite

extension ConnectionCore {
  /// The names of the columns that a piece of SQL gives.
  package func columnNames(of sql: SQL) throws -> [String] {
    let statement = try lendStatement(text: sql.text)
    defer { giveBack(statement) }
    return statement.columnNames.names
  }

  /// Binds the values of a piece of SQL; as many as its parameters, else it throws.
  package func bind(_ sql: SQL, to statement: StatementPointer) throws {
    try bind(sql.bindings, to: statement)
  }
}

extension ConnectionCore {
  package var changeCount: Int { Int(sqlite3_changes64(handle)) }
  package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}
