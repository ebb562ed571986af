/// A missing index that a statement would use.
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public struct SuggestedIndex: Hashable, Sendable, CustomStringConvertible {
  /// A column of an index.
  public struct Term: Hashable, Sendable {
    /// The name of the column.
    public let column: String
    /// The collation, if it differs from the column's own.
    public let collation: String?
    /// Whether the column is in descending order.
    public let isDescending: Bool

    /// The column as it is written in CREATE INDEX.
    var sql: String {
      Identifier(column).quoted + (collation.map { " COLLATE " + Identifier($0).quoted } ?? "")
        + (isDescending ? " DESC" : "")
    }
  }

  /// The name of the index, which no index has yet; a schema's `Index(…)` would have the same name.
  public let name: String
  /// The table.
  public let table: String
  /// The columns, in the order of the index.
  public let terms: [Term]

  /// The CREATE INDEX statement, ready to run.
  public var sql: String {
    "CREATE INDEX \(Identifier(name).quoted) ON \(Identifier(table).quoted) "
      + "(\(terms.map(\.sql).joined(separator: ", ")))"
  }

  /// The CREATE INDEX statement.
  public var description: String { sql }
}

extension Connection {
  /// Returns the indexes that SQLite's planner would use for a statement in place of scans and
  /// sorts; empty if no index would help. The statement does not run.
  ///
  /// ```swift
  /// try connection.suggestedIndexes(for: "SELECT * FROM Post WHERE status = 'draft'")
  /// // [CREATE INDEX "Post_on_status" ON "Post" ("status")]
  /// ```
  ///
  /// A parameter counts as a value that is not known. Creates the schema again in memory, without
  /// rows, which takes some milliseconds. Throws `DatabaseError` if the statement does not compile.
  /// `Configuration.onTableScan` suggests indexes for the statements that a program runs.
  public func suggestedIndexes(for sql: SQL) throws -> [SuggestedIndex] {
    _ = try prepare(SQL(unsafe: sql.text))
    return try use().missingIndexes(for: sql.text)
  }
}
