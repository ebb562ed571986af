import CSQLite

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

  /// Whether a table is STRICT. It asks once for each table, until a statement of this connection
  /// changes the schema.
  package func isStrict(_ table: String) -> Bool {
    if let known = state.pointee.strictTables[table] { return known }
    let found = try? texts("SELECT min(strict) FROM pragma_table_list(?)", table)
    let isStrict = found == [["1"]]
    state.pointee.strictTables[table] = isStrict
    return isStrict
  }
}
