import QueryDSL
import SQLCore

/// A step of your own in a migration. A step has a name, and runs once for each database, in the
/// migration's transaction.
///
/// ```swift
/// let options = MigrationOptions(steps: [
///   MigrationStep("slugs from titles") { connection in
///     try connection.execute("UPDATE Post SET slug = lower(replace(title, ' ', '-'))")
///   }
/// ])
/// ```
///
/// A step that runs `.after`, the default, sees both the new and the old columns. Columns, tables
/// and constraints that a schema drops are dropped after such a step, and unique indexes are
/// created after it. Foreign keys are not enforced while steps run; they are checked before the
/// migration commits.
///
/// A program with a lower `schemaVersion` than the file runs no steps, unless `newerSchema` is
/// `.replaced`.
///
/// A database that has none of the tables yet is new. By default, a step does not run on a new
/// database, because it has no rows to fix; the step is noted as done. Some things, such as FTS5
/// tables and initial rows, are needed in every database and cannot be declared in a schema. For
/// these, use a step that runs `.last`, also on new databases:
///
/// ```swift
/// MigrationStep("the search index", .last, onNewDatabase: .runs) { connection in
///   try connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS PostText USING fts5(title)")
/// }
/// ```
public struct MigrationStep: Sendable {
  /// The moment at which a step runs.
  public enum Moment: Hashable, Sendable {
    /// The step runs before the migration compares tables and columns with the models.
    case before
    /// The step runs after tables and columns are added and values are converted, but before
    /// columns, tables and constraints are dropped. Two kinds of objects are dropped before the
    /// step: indexes that the schema drops, no longer declares or declares differently, and views
    /// whose query differs. These views are also created again before the step.
    case after
    /// The step runs after all other steps, when the tables are as the models declare them.
    case last
  }

  /// The treatment of a step on a database that has none of the tables yet.
  public enum OnNewDatabase: Hashable, Sendable {
    /// The step is noted as done and does not run, because there are no rows to fix.
    case skipped
    /// The step runs, at its moment.
    case runs
  }

  /// The name under which the database notes that the step has run.
  public let name: String
  /// The moment at which the step runs.
  public let moment: Moment
  /// Whether the step runs on a new database.
  public let onNewDatabase: OnNewDatabase
  let body: @Sendable (Connection) throws -> Void

  /// Creates a step. An error that its closure throws ends the migration, and nothing is changed.
  public init(
    _ name: String, _ moment: Moment = .after, onNewDatabase: OnNewDatabase = .skipped,
    run body: @escaping @Sendable (Connection) throws -> Void
  ) {
    self.name = name
    self.moment = moment
    self.onNewDatabase = onNewDatabase
    self.body = body
  }
}
