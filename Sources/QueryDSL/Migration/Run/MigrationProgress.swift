import SQLCore

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The table whose step runs, or the name of one of your own steps.
  public let table: String
  /// The statement that runs next.
  public let sql: String
  /// The number of rows that have been copied; 0 before a copy and outside of one.
  public let copiedRows: Int
  /// The number of rows to copy; 0 outside of a copy.
  public let rowCount: Int
}
