import CSQLite

extension ConnectionCore {
  /// Lends the statement of a piece of SQL, its values bound.
  package func lendStatement(for sql: SQL) throws -> StatementPointer {
    let statement = try lendStatement(text: sql.text)
    do {
      try bind(sql.bindings, to: statement)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }

  /// Binds the values of a piece of SQL; as many as its parameters, else it throws.
  package func bind(_ sql: SQL, to statement: StatementPointer) throws {
    try bind(sql.bindings, to: statement)
  }
}

extension ConnectionCore {
  package var changeCount: Int { Int(sqlite3_changes64(handle)) }

  /// How many parameters a statement may have.
  package var maximumParameterCount: Int {
    Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// The rowid that was inserted last; what is set here, the next insert replaces.
  package var lastInsertRowID: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }
}

extension ConnectionCore {
  /// The name of the collation of a column of a table of the main database.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/table_column_metadata.html>
  package func collation(ofColumn column: String, in table: String) throws -> String {
    var collation: UnsafePointer<CChar>?
    try check(
      sqlite3_table_column_metadata(
        handle, "main", table, column, nil, &collation, nil, nil, nil))
    return collation.map { String(cString: $0) } ?? "BINARY"
  }

  /// How SQLite compares what a column of the main database holds: the storage class that it
  /// prefers, nil for NUMERIC and none, and whether text is compared by its bytes. Nil for a column
  /// of a view, and one that is not there.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/table_column_metadata.html>
  package func comparison(
    ofColumn column: String, in table: String
  ) -> (storageClass: StorageClass?, isBinary: Bool)? {
    var type: UnsafePointer<CChar>?
    var collation: UnsafePointer<CChar>?
    guard
      sqlite3_table_column_metadata(
        handle, "main", table, column, &type, &collation, nil, nil, nil) == SQLITE_OK
    else { return nil }
    return (
      type.flatMap { StorageClass(declaredType: String(cString: $0)) },
      collation.map { sqlite3_stricmp($0, "BINARY") == 0 } ?? true
    )
  }
}
