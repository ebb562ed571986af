import CSQLite

extension ConnectionCore {
  /// Lends the statement of a piece of SQL, with its values bound.
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

  /// Binds the values of a piece of SQL. Throws if their number differs from the number of
  /// parameters.
  package func bind(_ sql: SQL, to statement: StatementPointer) throws {
    try bind(sql.bindings, to: statement)
  }
}

extension ConnectionCore {
  package var changeCount: Int { Int(sqlite3_changes64(handle)) }

  /// The maximum number of parameters of a statement.
  package var maximumParameterCount: Int {
    Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
  }

  /// The rowid of the last insert. A value that is set here lasts until the next insert.
  package var lastInsertRowID: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }
}

extension ConnectionCore {
  /// Returns the name of the collation of a column in the main database.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/table_column_metadata.html>
  package func collation(ofColumn column: String, in table: String) throws -> String {
    var collation: UnsafePointer<CChar>?
    try check(
      sqlite3_table_column_metadata(
        handle, "main", table, column, nil, &collation, nil, nil, nil))
    return collation.map { String(cString: $0) } ?? "BINARY"
  }

  /// Returns how SQLite compares the values of a column in the main database: the storage class
  /// that the column prefers (nil for NUMERIC and for none), and whether text is compared by its
  /// bytes. Returns nil for a column of a view, and for one that does not exist.
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
      collation.map { $0.isSame(as: "BINARY") } ?? true
    )
  }
}
