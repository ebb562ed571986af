/// A report of a statement that scanned a large table, with the indexes that would prevent the
/// scan.
///
/// It is passed to `Configuration.onTableScan`, which is meant for development.
/// - SeeAlso: <https://www.sqlite.org/queryplanner.html>
public struct TableScan: Hashable, Sendable, CustomStringConvertible {
  /// The SQL, with its values as parameters.
  public let sql: String
  /// The large tables that it scans, usually one.
  public let tables: [String]
  /// The number of times that the statement advanced to a next row, in all of its tables together.
  public let rowCount: Int
  /// The indexes that SQLite's planner would use instead of a scan or a sort. Empty if no index
  /// helps; several if only all of them together help, as for conditions joined by OR and for
  /// joins.
  public let indexes: [SuggestedIndex]

  /// The tables, the SQL and the indexes, one per line.
  public var description: String {
    let advice = indexes.isEmpty ? ["  no index would help"] : indexes.map { "  " + $0.sql }
    let names = tables.joined(separator: ", ")
    return (["a scan of \(names) read \(rowCount) rows: \(sql)"] + advice)
      .joined(separator: "\n")
  }
}

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
