@_spi(Engines) import ApusRemote
import SQLCore

extension RemoteText {
  /// Throws for statements that would make the node of dqlite 1.11 abort, or that would damage its
  /// database.
  func checkForCluster() throws {
    var tokens = firstTokens[...]
    // SQLite executes some PRAGMAs already when it compiles them, even if they follow EXPLAIN.
    if tokens.first == "explain" {
      tokens = tokens.drop { ["explain", "query", "plan"].contains($0) }
    }
    switch tokens.popFirst() {
    case "vacuum":
      throw DatabaseError(
        code: .misuse, message: "VACUUM cannot run in a dqlite cluster", sql: sql)
    case "pragma":
      // The name of a schema and a point may precede the name of the PRAGMA.
      if tokens.dropFirst().first == "." { tokens = tokens.dropFirst(2) }
      let name = tokens.popFirst() ?? ""
      let hasValue = tokens.first == "=" || tokens.first == "("
      guard name == "wal_checkpoint" || hasValue && Self.settingsOfNode.contains(name) else {
        return
      }
      throw DatabaseError(
        code: .misuse,
        message: "dqlite keeps the file and its write-ahead log itself; this PRAGMA would end the "
          + "node or damage the database", sql: sql)
    default:
      return
    }
  }

  /// The settings that only dqlite itself may change. A statement that only reads such a setting is
  /// allowed.
  private static let settingsOfNode: Set = [
    "journal_mode", "locking_mode", "page_size", "synchronous",
  ]

  /// Returns the SQL that is sent to dqlite. This is a rewritten form if dqlite would otherwise
  /// change the values of the rows, or never return the rows.
  ///
  /// dqlite 1.11 converts the values of columns that are declared as DATE, DATETIME, TIMESTAMP or
  /// BOOLEAN. An expression has no declared type, so each such column is replaced by an expression,
  /// such as `+c1`.
  ///
  /// dqlite sends a result in several answers. Each answer begins with the names of the columns,
  /// and ends when it has filled a page of memory. If the names alone fill a page, dqlite sends
  /// answers without rows forever. One long expression is enough for this, because the text of an
  /// expression is its name. So long names are replaced by short ones.
  ///
  /// ```sql
  /// WITH apus_rows (c0, c1) AS (SELECT …) SELECT c0, +c1 FROM apus_rows
  /// ```
  func sqlForCluster() throws -> String {
    let converted = columns.first { $0.isConverted }
    let size = Self.answerSize(columns.lazy.map(\.name.utf8.count))
    guard converted != nil || size > Self.longNames else { return sql }
    let isQuery = isReadOnly && ["select", "with", "values"].contains(firstTokens.first)
    if !isQuery, let converted {
      throw DatabaseError(
        code: .mismatch,
        message: "the column \(converted.name) is declared as \(converted.declaredType ?? ""), "
          + "and a dqlite cluster would change its values; declare it as INTEGER, REAL or TEXT, "
          + "or do not return it", sql: sql)
    }
    let shortSize = Self.answerSize(columns.indices.lazy.map { "+c\($0)".utf8.count })
    guard min(size, isQuery ? shortSize : size) < Self.maximumAnswerSize else {
      throw DatabaseError(
        code: .tooBig,
        message: "the result has \(columns.count) columns, whose names are too long together for a "
          + "dqlite cluster; return fewer columns, or name them with AS", sql: sql)
    }
    guard isQuery else { return sql }
    let names = columns.indices.map { "c\($0)" }
    let values = zip(names, columns).map { $1.isConverted ? "+\($0)" : $0 }
    return "WITH apus_rows (\(names.joined(separator: ", "))) AS (\(bareSQL)) "
      + "SELECT \(values.joined(separator: ", ")) FROM apus_rows"
  }

  /// The limit, in bytes, of the size of the original names. If they are larger, they are replaced
  /// by short names, so that most of each answer is left for rows.
  private static let longNames = 1_024
  /// The size in bytes that the names must not reach. If they filled a page of memory, 4,096 bytes,
  /// dqlite 1.11 would send no row. With 490 columns, whose names take 3,928 bytes, a node crashed.
  private static let maximumAnswerSize = 3_264

  /// Returns the number of bytes that the number of columns and the names of the columns take in an
  /// answer. `lengths` has the lengths of the names.
  private static func answerSize(_ lengths: some Sequence<Int>) -> Int {
    lengths.reduce(8) { $0 + ($1 / 8 + 1) * 8 }
  }
}

extension RemoteText.Column {
  /// Whether dqlite converts the values of the column.
  fileprivate var isConverted: Bool {
    guard let declaredType else { return false }
    return ["date", "datetime", "timestamp", "boolean"].contains(declaredType.lowercased())
  }
}
