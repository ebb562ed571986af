import SQLCore

/// How a migration goes about its work.
public struct MigrationOptions: Sendable {
  /// What becomes of rows whose values no type reads, would not be the same in the new type, or a new
  /// constraint forbids.
  public enum InvalidValues: Hashable, Sendable {
    /// The migration is refused, and says how many there are.
    case refused
    /// The rows are deleted. Rows of other tables that refer to them are not: if there are any, the
    /// migration throws, and nothing is done.
    case deleted
    /// The rows are deleted for some tables, or columns of tables, and refused for all others. Use
    /// `deleted(in:)`.
    case deletedIn(Set<String>)

    /// The rows are deleted whose values are invalid in some columns, each a table and a column:
    /// `.deleted(in: "Note.size")`. A table by itself stands for all its columns and constraints.
    public static func deleted(in places: String...) -> InvalidValues {
      .deletedIn(Set(places))
    }

    /// Whether the rows of a table go that are invalid for a column; nil for the whole table.
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

  /// What rows that are there get in a new column that is not optional and has no `Default`.
  public enum MissingDefaults: Hashable, Sendable {
    /// The migration is refused, with the line that declares a value. A table without rows takes any
    /// column.
    case refused
    /// Zero, `false`, or the empty text or bytes, which also stay as the default of the column. A
    /// type without such a value, such as a date or an enumeration, is refused all the same.
    ///
    /// Choose it for steps of your own that fill the new column, or for values that mean nothing yet.
    case zeroOrEmpty
  }

  /// What becomes of rows whose values no type reads, would not be the same in the new type, or a new
  /// constraint forbids.
  public var invalidValues: InvalidValues
  /// What rows that are there get in a new column that is not optional and has no `Default`.
  public var missingDefaults: MissingDefaults
  /// Whether all values of the models' columns are read, also where nothing changed.
  ///
  /// A column that became an enumeration over its type looks in the file as before: only this finds
  /// a text that is no case. It reads every row.
  public var checksValues: Bool
  /// Where a copy of the file is put before anything is changed; a migration that finds nothing to do
  /// makes none. `VACUUM INTO`: it throws where the file exists.
  public var copyPath: String?
  /// How long it waits for another process that migrates the same file.
  public var waiting: Duration
  /// Steps of your own, in the order in which they run.
  public var steps: [MigrationStep]
  /// What becomes of a table that a newer program has changed.
  public var newerSchema: NewerSchema
  /// The number of this program's schema, if you number it: higher is newer. nil compares the
  /// definitions only.
  ///
  /// The file remembers the number of the program that migrated it last. One with a lower number is
  /// older whatever it declares; one with a higher number is newer, and migrates also to what the
  /// file had before. So a return to an earlier schema is said by a higher number.
  public var schemaVersion: Int?
  /// Told before each statement, and while the rows of a large table are copied.
  ///
  /// It runs inside the transaction; what it throws ends the migration, and nothing is done.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?

  /// The options; each has a default.
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

/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
  /// The table whose step runs.
  public let table: String
  /// The statement that runs next.
  public let sql: String
  /// How many rows of the table were copied; 0 before and outside of a copy.
  public let copiedRows: Int
  /// How many rows there are to copy; 0 outside of a copy.
  public let rowCount: Int
}

/// A step of a migration that is your own: named, run once for each database, in the migration's
/// transaction.
///
/// ```swift
/// let options = MigrationOptions(steps: [
///   MigrationStep("slugs from titles") { connection in
///     try connection.execute("UPDATE Post SET slug = lower(replace(title, ' ', '-'))")
///   }
/// ])
/// ```
///
/// A step that runs after the automatic part sees the new columns and still the old ones: columns,
/// tables and constraints that a schema drops go behind it, and unique indexes come behind it. Foreign
/// keys are not enforced while steps run: they are checked before the migration is committed.
///
/// A database that has none of the tables yet is new. Steps that put existing rows right have nothing to
/// do there: they are noted as done, and do not run. What every database needs and a schema cannot
/// declare, such as triggers, tables of FTS5 and first rows, is a step that runs `.last` and on new
/// databases as well:
///
/// ```swift
/// MigrationStep("the search index", .last, onNewDatabase: .runs) { connection in
///   try connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS PostText USING fts5(title)")
/// }
/// ```
public struct MigrationStep: Sendable {
  /// When a step runs.
  public enum Moment: Hashable, Sendable {
    /// Before tables and columns are compared.
    case before
    /// When tables and columns were added, and before anything goes.
    case after
    /// When all else is done: the tables are what the models declare.
    case last
  }

  /// What a step does on a database that has none of the tables yet.
  public enum OnNewDatabase: Hashable, Sendable {
    /// It is noted as done, and does not run: there are no rows to put right.
    case skipped
    /// It runs, at its moment.
    case runs
  }

  /// The name by which the database remembers that it was run.
  public let name: String
  /// When it runs.
  public let moment: Moment
  /// Whether it runs on a database that is created.
  public let onNewDatabase: OnNewDatabase
  let body: @Sendable (Connection) throws -> Void

  /// A step; what it throws ends the migration, and nothing is done.
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
