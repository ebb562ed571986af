import SQLCore

/// A table whose rows somebody watches: where its columns stand in the hook, which of them are
/// recorded, and how a row is named.
///
/// Generated columns that are calculated on reading are not recorded: the hook has no value of them.
struct TrackedTable {
  struct RecordedColumn {
    let name: String
    let place: ColumnPlace
    /// Whether whole numbers come as integers though the column holds reals.
    let isReal: Bool
    /// What a row holds that is older than the column; nil where that is NULL.
    let missingValue: DatabaseValue?
  }

  /// How a row is named over its changes.
  enum Key {
    case rowID
    /// The columns of the primary key.
    case columns([ColumnPlace])
  }

  let name: String
  let hasRowID: Bool
  let key: Key
  let keyNames: [String]
  let recorded: [RecordedColumn]

  /// Reads the table's columns; nil where there is no such table.
  ///
  /// - Parameter columns: the columns to record, folded; nil for all.
  init?(named name: String, recording columns: Set<String>?, on connection: Connection) throws {
    let declared = try connection.columns(ofTable: name)
    guard !declared.isEmpty else { return nil }
    self.name = name
    let stored = declared.filter { $0.generation != .virtual && $0.generation != .hidden }
    let keys = declared.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    let isRowIDKey = try connection.hasRowIDKey(table: name, keys: keys)
    keyNames = keys.map(\.name)
    hasRowID = try connection.hasRowID(table: name)
    func place(of column: TableColumn) -> ColumnPlace {
      ColumnPlace(
        declared: declared.firstIndex { $0.name == column.name } ?? 0,
        stored: stored.firstIndex { $0.name == column.name } ?? 0)
    }
    key = keys.isEmpty || isRowIDKey ? .rowID : .columns(keys.map(place))
    recorded = try stored.compactMap { column in
      let isKey = column.primaryKeyPosition > 0
      guard columns?.contains(column.name.lowercasedASCII) ?? true, !isKey else { return nil }
      return RecordedColumn(
        name: column.name, place: place(of: column),
        isReal: Self.hasRealAffinity(column.declaredType),
        missingValue: try Self.missingValue(of: column, on: connection))
    }
  }

  /// A NULL in a NOT NULL column can only be a value that the row is too old to have.
  private static func missingValue(
    of column: TableColumn, on connection: Connection
  ) throws -> DatabaseValue? {
    guard column.isNotNull, let text = column.defaultText else { return nil }
    // The text is the schema's own, a constant: ALTER TABLE takes no other.
    return try connection.row("SELECT \(unsafe: text)")?[0]
  }

  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  private static func hasRealAffinity(_ type: String) -> Bool {
    let type = type.lowercasedASCII
    guard !["int", "char", "clob", "text", "blob"].contains(where: type.contains) else {
      return false
    }
    return ["real", "floa", "doub"].contains(where: type.contains)
  }
}

extension Connection {
  /// Whether the table has a rowid.
  ///
  /// - SeeAlso: <https://www.sqlite.org/withoutrowid.html>
  fileprivate func hasRowID(table: String) throws -> Bool {
    try row("SELECT wr FROM pragma_table_list(\(table)) WHERE schema = 'main'")?
      .get(Bool.self, at: 0) != true
  }

  /// Whether the primary key is the rowid itself: one column, declared INTEGER and nothing else.
  fileprivate func hasRowIDKey(table: String, keys: [TableColumn]) throws -> Bool {
    guard keys.count == 1, keys[0].declaredType.lowercasedASCII == "integer" else { return false }
    // An INTEGER PRIMARY KEY that is no rowid has an index: WITHOUT ROWID, or DESC.
    return try row("SELECT 1 FROM pragma_index_list(\(table)) WHERE origin = 'pk'") == nil
  }
}
