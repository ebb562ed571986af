import CSQLite

/// A table whose rows may be cached.
package struct CachedTable: Sendable {
  /// Whether the rowids of the rows can be read. The pre-update hook reports changed rows by their
  /// rowids. If the rowids cannot be read, as in a table WITHOUT ROWID, each commit that touches
  /// the table removes all cached rows of the table.
  package let hasRowID: Bool
}

/// The facts that one connection has found out about the tables of cached models. They are stored
/// by the `CachedModel.number` of each model.
struct CachedTables {
  private var tables: [Int: (schemaVersion: Int32, table: CachedTable?)] = [:]

  /// Returns the facts about a table. Returns nil if they are not known for this version of the
  /// schema. Returns `.some(nil)` if it is known that the rows of the table must not be cached.
  func table(_ number: Int, schemaVersion: Int32) -> CachedTable?? {
    guard let known = tables[number], known.schemaVersion == schemaVersion else { return nil }
    return .some(known.table)
  }

  mutating func note(_ table: CachedTable?, _ number: Int, schemaVersion: Int32) {
    tables[number] = (schemaVersion, table)
  }
}

extension ConnectionCore {
  /// Returns the facts about the table of a model, if the rows of the table can be cached. Returns
  /// nil if the rows must not be cached.
  ///
  /// The rows can be cached if the table is an ordinary table with the same primary key as the
  /// model, because at most one row then has a given key.
  ///
  /// - Parameter rowID: The name by which SQL refers to the rowid: `rowid`, `_rowid_` or `oid`. Nil
  ///   if the model has columns with all three names.
  package func cachedTable(
    of model: CachedModel, key columns: [String], rowID: String?
  ) throws -> CachedTable? {
    // An authorizer that was added only to this connection may hide values from it, so this
    // connection must not store rows in the cache.
    guard state.pointee.hooks.listeners.authorizer.isEmpty else { return nil }
    let version = try schemaVersion()
    let number = model.number
    if let known = state.pointee.cachedTables.table(number, schemaVersion: version) {
      return known
    }
    let table = try findCachedTable(model.table, key: columns, rowID: rowID)
    state.pointee.cachedTables.note(table, number, schemaVersion: version)
    return table
  }

  private func findCachedTable(
    _ name: String, key columns: [String], rowID: String?
  ) throws -> CachedTable? {
    let tables = try ownRows(
      "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main' AND type = 'table'", [name])
    guard let isWithoutRowID = tables.first.map({ $0[0] == "1" }) else { return nil }
    let known = try self.columns(ofTable: name, in: "main")
    let key = known.filter { $0.primaryKeyPosition > 0 }.map(\.name.lowercasedASCII)
    guard Set(key) == Set(columns.map(\.lowercasedASCII)) else { return nil }
    // If the index of the key has another collation than its columns, several rows may have keys
    // that compare as equal.
    let indexed = try ownRows(
      """
      SELECT c.name, c.coll FROM pragma_index_list(?, 'main') AS i, \
      pragma_index_xinfo(i.name, 'main') AS c WHERE i.origin = 'pk' AND c.key
      """, [name])
    for row in indexed {
      guard let column = row[0],
        try collation(ofColumn: column, in: name).lowercasedASCII == row[1]?.lowercasedASCII
      else { return nil }
    }
    // The table may have a column, unknown to the model, that has the name of the rowid. SQL then
    // cannot read the rowid by this name.
    let hidesRowID = known.contains { $0.name.lowercasedASCII == rowID }
    return CachedTable(hasRowID: !isWithoutRowID && rowID != nil && !hidesRowID)
  }

  /// Returns the number of bytes of all texts and BLOBs in the current row of a statement.
  package func contentByteCount(of statement: StatementPointer) -> Int {
    (0..<sqlite3_column_count(statement.handle)).reduce(0) { total, column in
      switch sqlite3_column_type(statement.handle, column) {
      case SQLITE_TEXT, SQLITE_BLOB: total + Int(sqlite3_column_bytes(statement.handle, column))
      default: total
      }
    }
  }
}
