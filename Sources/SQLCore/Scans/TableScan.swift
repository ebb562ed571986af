/// A statement that went through a large table row by row, and what would spare it that.
///
/// `Configuration.onTableScan` is told of it, in development.
/// - SeeAlso: <https://www.sqlite.org/queryplanner.html>
public struct TableScan: Hashable, Sendable, CustomStringConvertible {
  /// The SQL, its values as parameters.
  public let sql: String
  /// The large tables that it goes through: one most often.
  public let tables: [String]
  /// How often the statement went on to a next row, in all of its tables together.
  public let rowCount: Int
  /// The indexes that SQLite would use in the place of a scan or of a sort; it was asked. Empty where
  /// none helps; several where only all of them together do, as for conditions with OR between them
  /// and for joins.
  public let indexes: [SuggestedIndex]

  /// The tables, the SQL and the indexes, a line each.
  public var description: String {
    let advice = indexes.isEmpty ? ["  no index would help"] : indexes.map { "  " + $0.sql }
    let names = tables.joined(separator: ", ")
    return (["\(rowCount) rows gone through, a scan of \(names): \(sql)"] + advice)
      .joined(separator: "\n")
  }
}

/// An index that is not there and that a statement would use.
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public struct SuggestedIndex: Hashable, Sendable, CustomStringConvertible {
  /// A column of an index.
  public struct Term: Hashable, Sendable {
    /// The name of the column.
    public let column: String
    /// The collation, where it is not the column's own.
    public let collation: String?
    /// Whether it is ordered from the greatest.
    public let isDescending: Bool

    /// The column as CREATE INDEX has it.
    var sql: String {
      Identifier(column).quoted + (collation.map { " COLLATE " + Identifier($0).quoted } ?? "")
        + (isDescending ? " DESC" : "")
    }
  }

  /// Its name, which no index has yet: as a schema's `Index(…)` would be called.
  public let name: String
  /// The table.
  public let table: String
  /// The columns, in the order of the index.
  public let terms: [Term]

  /// CREATE INDEX, ready to run.
  public var sql: String {
    "CREATE INDEX \(Identifier(name).quoted) ON \(Identifier(table).quoted) "
      + "(\(terms.map(\.sql).joined(separator: ", ")))"
  }

  /// The SQL.
  public var description: String { sql }
}
