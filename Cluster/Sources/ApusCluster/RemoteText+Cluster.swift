import SQLCore

extension RemoteText {
  /// Throws for statements that make dqlite 1.11 abort the node.
  func checkForCluster() throws {
    let sql = sql.drop { $0.isWhitespace }.lowercased()
    if sql.hasPrefix("pragma"), sql.contains("wal_checkpoint") || sql.contains("journal_mode") {
      throw DatabaseError(
        code: .misuse,
        message: "dqlite keeps the write-ahead log itself; this PRAGMA would end the node",
        sql: self.sql)
    }
    if sql.hasPrefix("vacuum") {
      throw DatabaseError(
        code: .misuse, message: "VACUUM cannot run in a dqlite cluster", sql: self.sql)
    }
  }

  /// Returns the text, which names its columns shortly if their names are long.
  ///
  /// dqlite 1.11 repeats the names before the rows of each answer, and ends an answer when it has
  /// filled a page of memory. If the names fill a page, it sends answers without rows for ever. The
  /// name of an expression is its text, so a long expression is enough.
  ///
  /// ```sql
  /// WITH apus_rows (c0, c1) AS (SELECT …) SELECT * FROM apus_rows
  /// ```
  func sqlWithShortNames() throws -> String {
    guard Self.answerSize(of: columnNames) > Self.longNames else { return sql }
    let names = columnNames.indices.map { "c\($0)" }
    let isQuery = ["select", "with", "values"].contains(firstWord)
    guard isReadOnly, isQuery, Self.answerSize(of: names) < Self.maximumAnswerSize else {
      // Names that leave room for rows may stay.
      if Self.answerSize(of: columnNames) < Self.maximumAnswerSize { return sql }
      throw DatabaseError(
        code: .tooBig,
        message: "the result has \(columnNames.count) columns, whose names are too long together "
          + "for a dqlite cluster; return fewer columns, or name them with AS", sql: sql)
    }
    let query = sql.reversed().drop { $0.isWhitespace || $0 == ";" }.reversed()
    return "WITH apus_rows (\(names.joined(separator: ", "))) AS (\(String(query))\n) "
      + "SELECT * FROM apus_rows"
  }

  private var firstWord: String {
    sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
  }

  /// The size of the names from which on they are replaced: an answer is to consist of rows.
  private static let longNames = 1_024
  /// The size that the names must stay below: a page of memory.
  private static let maximumAnswerSize = 4_096

  /// Returns how many bytes of an answer the number of columns and their names take.
  private static func answerSize(of names: [String]) -> Int {
    names.reduce(8) { $0 + ($1.utf8.count / 8 + 1) * 8 }
  }
}
