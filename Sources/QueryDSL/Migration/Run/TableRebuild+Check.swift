import SQLCore

extension TableRebuild {
  /// Throws where a row, or a value that was only to be copied, is not in the new table as it is in
  /// the old one, or where a value that was only to take another form became NULL.
  func check(in connection: Connection) throws {
    let old = Identifier(table).quoted
    let new = Identifier(temporaryName).quoted
    let count = try connection.number("SELECT count(*) FROM \(old)")
    let copied = try connection.number("SELECT count(*) FROM \(new)")
    guard copied == count else {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "\(copied) of the \(count) rows of \(table) would be left")
    }
    try checkNulls(in: connection)
    guard let isSameRow else { return }
    let values = sources.filter(\.isSame).map { source in
      "old.\(source.sql) COLLATE BINARY IS new.\(Identifier(source.column).quoted)"
    }
    let equal = try connection.number(
      "SELECT count(*) FROM \(old) AS old JOIN \(new) AS new ON \(isSameRow) WHERE "
        + (values.isEmpty ? "1" : values[...].conjunction))
    guard equal == count else {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "\(count - equal) of the \(count) rows of \(table) would have other values")
    }
  }

  /// NULL comes from NULL alone, in all columns but those that the user converts.
  private func checkNulls(in connection: Connection) throws {
    let columns = sources.filter(\.keepsNull).map(\.column)
    guard !columns.isEmpty else { return }
    let counts = columns.map { "count(\(Identifier($0).quoted))" }.joined(separator: ", ")
    func values(in table: String) throws -> [DatabaseValue] {
      let sql = "SELECT \(counts) FROM \(Identifier(table).quoted)"
      return try connection.row(SQL(unsafe: sql))?.values ?? []
    }
    let (old, new) = (try values(in: table), try values(in: temporaryName))
    for (index, column) in columns.enumerated() where old[index] != new[index] {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "\(new[index]) of the \(old[index]) values of \(table).\(column) would be left")
    }
  }

  /// How a row of the old table finds its copy; nil where nothing tells it.
  private var isSameRow: String? {
    if let rowID, let oldRowID { return "old.\(oldRowID) = new.\(rowID)" }
    guard !key.isEmpty else { return nil }
    return key.map { name in
      let column = Identifier(name).quoted
      return "old.\(column) IS new.\(column)"
    }.joined(separator: " AND ")
  }
}

extension ArraySlice<String> {
  /// The conditions, all of which must hold; as a tree that is as low as it can be, since SQLite takes
  /// no more than 1,000 levels.
  fileprivate var conjunction: String {
    guard count > 8 else { return joined(separator: " AND ") }
    let middle = startIndex + count / 2
    return "(\(self[..<middle].conjunction)) AND (\(self[middle...].conjunction))"
  }
}

/// What belongs to a table and goes with it when it is dropped: indexes, triggers, the count of its
/// AUTOINCREMENT, and what ANALYZE found.
struct AttachedObjects {
  private let table: String
  /// The indexes and triggers, as they are written in the schema.
  let definitions: [String]
  private let sequence: Int64?
  private let statistics: [[DatabaseValue]]

  init(of table: String, in connection: Connection) throws {
    self.table = table
    definitions = try connection.rows(
      """
      SELECT sql FROM sqlite_schema WHERE lower(tbl_name) = lower(\(table)) AND sql IS NOT NULL
        AND type IN ('index', 'trigger') ORDER BY type, rowid
      """
    ).map { try $0.get(at: 0) }
    func exists(_ name: String) throws -> Bool { try connection.tableExists(name) }
    sequence =
      try exists("sqlite_sequence")
      ? connection.row("SELECT seq FROM sqlite_sequence WHERE name = \(table)")?.get(at: 0) : nil
    statistics =
      try exists("sqlite_stat1")
      ? connection.rows("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = \(table)").map(\.values)
      : []
  }

  func restoreRows(in connection: Connection) throws {
    if let sequence, try connection.tableExists("sqlite_sequence") {
      try connection.execute("DELETE FROM sqlite_sequence WHERE name = \(table)")
      try connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (\(table), \(sequence))")
    }
    for row in statistics {
      try connection.execute("INSERT INTO sqlite_stat1 VALUES (\(table), \(row[0]), \(row[1]))")
    }
  }
}
