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
