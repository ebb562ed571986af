import QueryDSL
import SQLCore

/// Options for a migration.
///
/// ```swift
/// let options = MigrationOptions(missingDefaults: .refused, checksValues: true)
/// let db = try Database(path: "blog.sqlite", models: [Author.self], migration: options)
/// ```
public struct MigrationOptions: Sendable {
  /// The treatment of rows with an invalid value. A value is invalid in these cases:
  ///
  /// - The property's type cannot read the value.
  /// - The column gets another type, and the conversion to this type would change the value.
  /// - NOT NULL, a new check or a new foreign key forbids the value.
  ///
  /// The migration is always refused if a value is not unique, or if `Converted` cannot read it.
  public enum InvalidValues: Hashable, Sendable {
    /// The migration is refused, and the plan says how many rows have an invalid value.
    case refused
    /// The rows are deleted. If another row refers to a deleted row, the migration throws
    /// `MigrationError`, and nothing is changed.
    case deleted
    /// Rows are deleted if the invalid value is in one of these tables or columns. The migration is
    /// refused if any other value is invalid. Create this case by `deleted(in:)`.
    case deletedIn(Set<String>)

    /// Deletes the rows with invalid values in some columns. The migration is refused if any other
    /// value is invalid. Each of the `places` names a column, as in `.deleted(in: "Note.size")`, or
    /// a table, which stands for all its columns and constraints.
    public static func deleted(in places: String...) -> InvalidValues {
      .deletedIn(Set(places))
    }

    /// Returns whether the options delete those rows of a table that have an invalid value in the
    /// given column. If `column` is nil, returns whether the options delete the rows that violate a
    /// constraint of the table.
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
    /// The migration is refused, and the plan offers a line, such as one that declares a value. A
    /// table without rows needs no value.
    case refused
    /// The value is zero, `false`, an empty text or empty bytes. If ALTER TABLE adds the column,
    /// the value also stays in the file as the column's default. A new column is still refused if
    /// its type has no such value, as for a date or an enumeration, or if it is part of a foreign
    /// key.
    ///
    /// Choose this if a step of your own fills the new column, or if the values do not matter yet.
    case zeroOrEmpty
  }

  /// The treatment of rows with an invalid value. A value is invalid in these cases:
  ///
  /// - The property's type cannot read the value.
  /// - The column gets another type, and the conversion to this type would change the value.
  /// - NOT NULL, a new check or a new foreign key forbids the value.
  ///
  /// The migration is always refused if a value is not unique, or if `Converted` cannot read it.
  public var invalidValues: InvalidValues
  /// The value that existing rows get in a new column that is not optional and has no `Default`.
  public var missingDefaults: MissingDefaults
  /// Whether the migration reads all values of the models' columns, even if nothing changed.
  ///
  /// This finds invalid values that other programs wrote. It also finds values that are older than
  /// the notes of types in the file (see `checksChangedTypes`). With this option, each opening
  /// reads every row.
  public var checksValues: Bool
  /// Whether opening the database reads the values of columns whose Swift type has changed; true by
  /// default.
  ///
  /// The schema does not show every change of a type. Examples are a removed case of an
  /// enumeration, a new property of a struct in JSON, or a text that becomes a UUID or a Decimal.
  /// So a migration notes the types in the file, as the definition of the view `apus_types`.
  /// Opening a database reads the definitions anyway, so the comparison costs no further statement.
  /// If a type has changed, `progress` is called, and the column is read once. If the type cannot
  /// read a value, the migration is refused, as with `checksValues`. If this property is false, no
  /// values are read: the file opens, and an error is thrown only when such a row is read.
  ///
  /// - Only an opening that migrates adds the notes to a file. Until then, a file of another
  ///   program or of an earlier version of Apus has no notes, and its values are not read. An
  ///   opening that has checked the changes updates the notes.
  /// - The cases of an enumeration are known if it is `CaseIterable`. Added cases need no check.
  /// - A type with its own decoding code is compared by its name and stored properties.
  /// - Opening a file checks nothing if the program has a lower `schemaVersion` than the file, or
  ///   if the file is opened as read-only. `migrationPlan(for:)` also checks a read-only file.
  /// - A database engine elsewhere, such as a cluster, cannot call Swift types. Nothing is noted
  ///   there.
  public var checksChangedTypes: Bool
  /// The path of a copy of the file, which `VACUUM INTO` makes before anything is changed; nil for
  /// no copy. A migration with nothing to do makes no copy. If a file exists at the path, the
  /// migration throws.
  public var copyPath: String?
  /// How long to wait for another process that is migrating the same file.
  public var waiting: Duration
  /// Your own steps, in the order in which they run.
  public var steps: [MigrationStep]
  /// The treatment of tables that a newer program has changed.
  public var newerSchema: NewerSchema
  /// The number of this program's schema, if the program numbers its schemas; higher is newer. With
  /// nil, only the definitions in the file show whether a newer program changed the file.
  ///
  /// The file keeps the number of the last numbered program that migrated the file. A program with
  /// a lower number is older, whatever it declares. A program with a higher number is newer, and
  /// migrates even to a schema that the file had before. So use a higher number to return to an
  /// earlier schema on purpose.
  public var schemaVersion: Int?
  /// A closure that reports the progress. It is called before each statement of the plan, and
  /// before each of your own steps. While a large table is copied, checked, or put into an index or
  /// full-text index, the closure is also called about every 10,000 rows.
  ///
  /// The closure runs inside the transaction. If it throws an error, the migration ends, and
  /// nothing is changed.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?
  /// The object by which a task that waits for the migration can cancel it; nil for the synchronous
  /// methods.
  var cancellation: JobCancellation?

  /// Creates options; each has a default.
  public init(
    invalidValues: InvalidValues = .refused, missingDefaults: MissingDefaults = .refused,
    checksValues: Bool = false, checksChangedTypes: Bool = true, copyPath: String? = nil,
    waiting: Duration = .seconds(600),
    steps: [MigrationStep] = [],
    newerSchema: NewerSchema = .kept, schemaVersion: Int? = nil,
    progress: (@Sendable (MigrationProgress) throws -> Void)? = nil
  ) {
    self.invalidValues = invalidValues
    self.missingDefaults = missingDefaults
    self.checksValues = checksValues
    self.checksChangedTypes = checksChangedTypes
    self.copyPath = copyPath
    self.waiting = waiting
    self.steps = steps
    self.newerSchema = newerSchema
    self.schemaVersion = schemaVersion
    self.progress = progress
  }
}

extension MigrationOptions {
  /// Runs an opening or a migration with these options on a separate thread. If the task is
  /// cancelled, the opening or migration ends.
  package func run<Result: Sendable>(
    _ job: @escaping @Sendable (MigrationOptions) throws -> Result
  ) async throws -> Result {
    try await WorkerThreads.run { cancellation in
      try cancellation.check()
      var options = self
      options.cancellation = cancellation
      return try job(options)
    }
  }

  /// The treatment of tables and views that a newer program has changed.
  ///
  /// A file keeps the earlier definitions of its tables. A program is older than a table if it
  /// would leave an earlier definition unchanged, but would change the present one. For example, it
  /// would drop an index that a newer version added.
  public enum NewerSchema: Hashable, Sendable {
    /// The table stays as the newer program made it, and both programs use it.
    ///
    /// The older program is refused if it cannot work with the table. These are the cases:
    ///
    /// - The table or a column is missing, or the table has another key.
    /// - A column has another type or stored form.
    /// - A column is generated in only one of the two programs.
    /// - A column that the older program does not declare requires a value.
    case kept
    /// The older program is refused.
    case refused
    /// The table is migrated to what this program declares, as if this program were newer. Use this
    /// during development, when you switch between branches.
    case replaced
  }
}

/// The progress of a migration.
///
/// ```swift
/// let options = MigrationOptions(progress: { print($0.table, $0.copiedRows, "of", $0.rowCount) })
/// ```
public struct MigrationProgress: Hashable, Sendable {
  /// The table whose step runs, or the name of one of your own steps. Empty while the foreign keys
  /// of all tables are checked.
  public let table: String
  /// The statement that runs next. While values or copied rows are checked, and for one of your own
  /// steps, it is a comment in SQL.
  public let sql: String
  /// The number of rows copied so far. While rows are checked or put into an index, it is an
  /// estimate of the rows done so far. The number begins at 0.
  public let copiedRows: Int
  /// The number of rows to copy, to check, or to put into an index. It is 0 for other statements,
  /// and for indexes and checks of at most 10,000 rows.
  public let rowCount: Int
}
