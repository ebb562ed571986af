/// A migration that changed a database: the argument of `Configuration.onMigration`.
public struct MigrationReport: Hashable, Sendable, CustomStringConvertible {
  /// The steps that were done, as a migration plan prints them. They may contain the beginning of a
  /// value, if rows with values that the declaration forbids were deleted.
  public let description: String
  /// The statements that the steps consist of, in their order. They contain no values of rows.
  public let statements: [String]
  /// The time that the migration took, with its waiting for other writers.
  public let duration: Duration

  package init(description: String, statements: [String], duration: Duration) {
    self.description = description
    self.statements = statements
    self.duration = duration
  }
}
