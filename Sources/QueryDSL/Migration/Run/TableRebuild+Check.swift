import SQLCore

extension TableRebuild {
  /// Throws if the new table lacks a row, if a value that was only copied differs, or if a value
  /// that was only converted became NULL.
  func check(in connection: Connection) throws {
    let old = Identifier(table).quoted
    let new = Identifier(temporaryName).quoted
    let count = try connection.number("SELECT count(*) FROM \(old)")
    let copied = try connection.number("SELECT count(*) FROM \(new)")
    guard copied == count else {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "only \(copied) of the \(count) rows of \(table) would remain")
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
        reason: "\(count - equal) of the \(count) rows of \(table) would change")
    }
  }

  /// Throws if a value became NULL in a column that the user's conversions do not fill.
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
        reason: "only \(new[index]) of the \(old[index]) values of \(table).\(column) would remain")
    }
  }

  /// The SQL condition that matches a row of the old table with its copy; nil if nothing identifies
  /// it.
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
  /// The conditions joined by AND, as a balanced tree: SQLite allows an expression depth of at most
  /// 1,000.
  fileprivate var conjunction: String {
    guard count > 8 else { return joined(separator: " AND ") }
    let middle = startIndex + count / 2
    return "(\(self[..<middle].conjunction)) AND (\(self[middle...].conjunction))"
  }
}

/// The objects that are lost when a table is dropped: its indexes, triggers, AUTOINCREMENT counter,
/// and rows in `sqlite_stat1` and `sqlite_stat4`, which ANALYZE wrote.
struct AttachedObjects {
  private let table: String
  /// The SQL of the indexes and triggers, as in the schema.
  let definitions: [String]
  private let sequence: Int64?
  private let statistics: [(table: String, values: [DatabaseValue])]

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
    statistics = try ["sqlite_stat1", "sqlite_stat4"].filter(exists).flatMap { name in
      try connection.rows("SELECT * FROM \(unsafe: name) WHERE tbl = \(table)").map {
        (name, $0.values)
      }
    }
  }

  func restoreRows(in connection: Connection) throws {
    if let sequence, try connection.tableExists("sqlite_sequence") {
      try connection.execute("DELETE FROM sqlite_sequence WHERE name = \(table)")
      try connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (\(table), \(sequence))")
    }
    for (name, values) in statistics {
      let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
      let insert = try connection.prepare(SQL(unsafe: "INSERT INTO \(name) VALUES (\(places))"))
      try insert.bind(values)
      try insert.run()
    }
  }
}
