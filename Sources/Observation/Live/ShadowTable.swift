import SQLCore

/// A table like another one in types and collations, in a database of its own in memory: there a
/// query is asked of a few rows alone.
///
/// The rows are those that the hook told of. Neither the writer nor a reader is needed, and what
/// others committed meanwhile is not seen.
struct ShadowTable: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    let name: String
    let declaredType: String
    /// The name of its collation.
    let collationName: String
    var collation: BuiltInCollation? { BuiltInCollation(named: collationName) }
  }

  let name: String
  /// The stored columns.
  let columns: [Column]
  let isStrict: Bool
  let encoding: TextEncoding

  /// Reads how the columns compare.
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
