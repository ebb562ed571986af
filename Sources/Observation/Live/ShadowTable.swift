import SQLCore

/// A table with the types and collations of another one, in a database of its own in memory, in
/// which a query is evaluated over only a few rows.
///
/// The rows are those that the hook reported. This needs neither the writer nor a reader, and does
/// not see what other connections committed meanwhile.
struct ShadowTable: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    let name: String
    let declaredType: String
    /// The name of the column's collation.
    let collationName: String
    var collation: BuiltInCollation? { BuiltInCollation(named: collationName) }
  }

  let name: String
  /// The columns whose values are stored.
  let columns: [Column]
  let isStrict: Bool
  let encoding: TextEncoding

  /// Reads the types and collations of the columns.
  init(of table: TrackedTable, on connection: Connection) throws {
    name = table.names.table
    encoding = try connection.textEncoding()
    let core = try connection.use()
    columns = try connection.declaredColumns(of: table.name)
      .filter { $0.generation != .virtual && $0.generation != .hidden }
      .map { column in
        Column(
          name: column.name, declaredType: column.declaredType,
          collationName: try core.collation(ofColumn: column.name, in: table.names.table))
      }
    isStrict =
      try connection.row("SELECT strict FROM pragma_table_list(\(name)) WHERE schema = 'main'")?
      .get(Bool.self, at: 0) == true
  }

  var creation: String {
    let columns = columns.map { column in
      "\(Identifier(column.name).quoted) \(column.declaredType) "
        + "COLLATE \(Identifier(column.collationName).quoted)"
    }
    return "CREATE TABLE \(Identifier(name).quoted) (\(columns.joined(separator: ", ")))"
      + (isStrict ? " STRICT" : "")
  }
}
