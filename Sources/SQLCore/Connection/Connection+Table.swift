import CSQLite

extension Connection {
  /// Returns the rows of a statement as a text table, for display.
  ///
  /// ```swift
  /// print(try connection.table("SELECT id, name FROM Author"))
  /// ```
  ///
  /// A column's type is the Swift type for its declared type: Int64, Double, String or Data. For a
  /// column without a declared type, such as an expression, it is the type of the first value that
  /// is not NULL, or Any if all values are NULL. BLOBs are shown by their size, and a text that is not
  /// UTF-8 as `CAST(x'FF41' AS TEXT)`. Runs one statement and holds all its rows in memory.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func table(_ sql: SQL) throws -> ResultTable {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql, to: statement)
    var rows: [[String?]] = []
    var types: [StorageClass?] = []
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      if rows.isEmpty { types = statement.declaredStorageClasses }
      for index in types.indices where types[index] == nil || types[index] == .null {
        types[index] = try row.storageClass(at: index)
      }
      rows.append(try (0..<row.count).map { try row.text(at: $0) })
    }
    if rows.isEmpty { types = statement.declaredStorageClasses }
    let columns = zip(statement.columnNames.names, types).map { name, type in
      ResultTable.Column(name: name, type: type?.valueType.map { String(describing: $0) } ?? "Any")
    }
    return ResultTable(columns: columns, rows: rows)
  }
}

extension StatementPointer {
  /// The storage class of each result column, according to its declared type; nil for a column
  /// without one.
  ///
  /// Read it after the first step, which may recompile the statement.
  package var declaredStorageClasses: [StorageClass?] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_decltype(handle, index)
        .flatMap { StorageClass(declaredType: String(cString: $0)) }
    }
  }
}
