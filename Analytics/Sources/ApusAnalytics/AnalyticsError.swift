/// An error of a copy or a query in DuckDB.
public enum AnalyticsError: Error, Hashable, Sendable {
  /// A place where DuckDB's library was looked for, and why it was not used.
  public struct Attempt: Hashable, Sendable {
    /// The path or name that was given to the loader.
    public let path: String
    /// The reason why the library was not used, as the system's loader reports it.
    public let reason: String
  }

  /// DuckDB's library could not be loaded.
  case libraryNotFound(tried: [Attempt])
  /// The database could not be opened.
  case cannotOpen(path: String, reason: String)
  /// A query contains an operation that DuckDB lacks, or for which DuckDB and SQLite would return
  /// different results.
  case unsupported(feature: String, advice: String, sql: String)
  /// While a query ran, the result of a calculation was outside the range of its numeric type.
  case outOfRange(reason: String, sql: String)
  /// DuckDB refused or failed to run a statement.
  case failed(reason: String, sql: String)
  /// A column cannot be copied, because its values may have several types.
  case columnWithoutType(table: String, column: String, declaredType: String)
  /// A value cannot be copied.
  case value(table: String, column: String, row: String, reason: String)
  /// A table cannot be copied, or its copy cannot be brought up to date from the change log.
  case notFollowed(table: String, reason: String)
  /// The access was cancelled or its deadline passed.
  case interrupted
}

extension AnalyticsError: CustomStringConvertible {
  /// A description of what happened, and, for most errors, of what the user can do.
  public var description: String {
    switch self {
    case .libraryNotFound(let tried):
      let list = tried.map { "\n  \($0.path): \($0.reason)" }.joined()
      return
        "DuckDB's library was not found. Install libduckdb (https://duckdb.org/install), and set "
        + "the environment variable \(DuckDBLibrary.variable) to its path if it is in no usual place. "
        + "Tried:\(list)"
    case .cannotOpen(let path, let reason): return "\(path) cannot be opened by DuckDB: \(reason)"
    case .unsupported(let feature, let advice, let sql):
      return "\(feature); \(advice) — in: \(sql)"
    case .outOfRange(let reason, let sql):
      return "\(reason): a number left the range of its type, where SQLite would continue with a "
        + "REAL or fail; compute with Double — in: \(sql)"
    case .failed(let reason, let sql): return "DuckDB: \(reason) — in: \(sql)"
    case .columnWithoutType(let table, let column, let type):
      return
        "the column \(column) of \(table) is declared as \(type.isEmpty ? "no type" : type), so "
        + "its values may have several types; declare INTEGER, REAL, TEXT or BLOB, or copy a query "
        + "that casts it"
    case .value(let table, let column, let row, let reason):
      return "the value of \(column) in the row \(row) of \(table) cannot be copied: \(reason)"
    case .notFollowed(let table, let reason): return "\(table) cannot be followed: \(reason)"
    case .interrupted: return "the access was cancelled, or its deadline passed"
    }
  }
}
