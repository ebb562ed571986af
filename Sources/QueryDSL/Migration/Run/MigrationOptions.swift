import SQLCore

/// Options for a migration.
public struct MigrationOptions: Sendable {
  /// The treatment of rows with a value that its type cannot read, that would change in the new
  /// type, or that a new constraint forbids.
  public enum InvalidValues: Hashable, Sendable {
    /// The migration is refused, and the plan says how many rows there are.
    case refused
    /// The rows are deleted. Rows of other tables that refer to them are not: if there are any, the
    /// migration throws `MigrationError`, and nothing is changed.
    case deleted
    /// The rows of some tables, or with values of some columns, are deleted; all others are
    /// refused. Use `deleted(in:)`.
    case deletedIn(Set<String>)

    /// Deletes the rows with invalid values in some columns, and refuses all others. Each place is
    /// a table and a column, `.deleted(in: "Note.size")`, or a table, which stands for all its
    /// columns and constraints.
    public static func deleted(in places: String...) -> InvalidValues {
      .deletedIn(Set(places))
    }

    /// Returns whether the rows of a table that are invalid for a column are deleted. Without a
    /// column, they are invalid for a constraint of the table.
    func deletes(_ table: String, _ column: String? = nil) -> Bool {
      switch self {
      case .refused: false
      case .deleted: true
      case .deletedIn(let places):
        places.contains { place in
          place.isSame(as: table) || column.map { place.isSame(as: "\(table).\($0)") } ?? false
        }
      }
    }
  }

  /// The value that existing rows get in a new column that is not optional and has no `Default`.
  public enum MissingDefaults: Hashable, Sendable {
    /// The migration is refused, with the line that declares a value. A table without rows needs no
    /// value.
    case refused
    /// Zero, `false`, or the empty text or bytes, which also become the column's default. A type
    /// without such a value, such as a date or an enumeration, is refused nevertheless.
    ///
    /// Choose this if a step of your own fills the new column, or if the values have no meaning
    /// yet.
    case zeroOrEmpty
  }

  /// The treatment of rows with a value that its type cannot read, that would change in the new
  /// type, or that a new constraint forbids.
  public var invalidValues: InvalidValues
  /// The value that existing rows get in a new column that is not optional and has no `Default`.
  public var missingDefaults: MissingDefaults
  /// Whether the migration reads all values of the models' columns, even if nothing changed.
  ///
  /// A text column whose property becomes an enumeration looks the same in the file. Only this
  /// option finds a text that is not one of the cases. It reads every row.
  public var checksValues: Bool
  /// The path of a copy of the file that is made by `VACUUM INTO` before anything is changed; nil
  /// for none. A migration with nothing to do makes no copy. Throws if a file exists at the path.
  public var copyPath: String?
  /// How long to wait for another process that migrates the same file.
  public var waiting: Duration
  /// Steps of your own, in the order in which they run.
  public var steps: [MigrationStep]
  /// The treatment of tables that a newer program has changed.
  public var newerSchema: NewerSchema
  /// The number of this program's schema, if you number it; higher is newer. With nil, only the
  /// definitions are compared.
  ///
  /// The file keeps the number of the program that migrated it last. A program with a lower number
  /// is older, whatever it declares. A program with a higher number is newer, and migrates even to
  /// a schema that the file had before. So a higher number declares an intended return to an
  /// earlier schema.
  public var schemaVersion: Int?
  /// A closure that is called before each statement, and while the rows of a large table are
  /// copied.
  ///
  /// It runs inside the transaction. An error that it throws ends the migration, and nothing is
  /// changed.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?

  /// Creates options; each has a default.
  public init(
    invalidValues: InvalidValues = .refused, missingDefaults: MissingDefaults = .refused,
    checksValues: Bool = false, copyPath: String? = nil, waiting: Duration = .seconds(600),
    steps: [MigrationStep] = [],
    newerSchema: NewerSchema = .kept, schemaVersion: Int? = nil,
    progress: (@Sendable (MigrationProgress) throws -> Void)? = nil
  ) {
    self.invalidValues = invalidValues
    self.missingDefaults = missingDefaults
    self.checksValues = checksValues
    self.copyPath = copyPath
    self.waiting = waiting
    self.steps = steps
    self.newerSchema = newerSchema
    self.schemaVersion = schemaVersion
    self.progress = progress
  }
}

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

/// A step of your own in a migration. It has a name, and runs once for each database, in the
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
/// A step that runs `.after`, the default, sees both the new columns and the old ones: columns,
/// tables and constraints that a schema drops are dropped after it, and unique indexes are created
/// after it. Foreign keys are not enforced while steps run; they are checked before the migration
/// commits.
///
/// A database that has none of the tables yet is new. Steps that fix existing rows have nothing to
/// do there: they are noted as done, and do not run. Use a step that runs `.last`, and on new
/// databases as well, for what every database needs and a schema cannot declare, such as triggers,
/// FTS5 tables and initial rows:
///
/// ```swift
/// MigrationStep("the search index", .last, onNewDatabase: .runs) { connection in
///   try connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS PostText USING fts5(title)")
/// }
/// ```
public struct MigrationStep: Sendable {
  /// The moment at which a step runs.
  public enum Moment: Hashable, Sendable {
    /// Before tables and columns are compared.
    case before
    /// After tables and columns are added, and before anything is dropped.
    case after
    /// After all other steps, when the tables are as the models declare them.
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
