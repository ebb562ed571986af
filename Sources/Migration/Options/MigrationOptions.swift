import QueryDSL
import SQLCore

/// Options for a migration.
///
/// ```swift
/// let options = MigrationOptions(missingDefaults: .refused, checksValues: true)
/// let db = try Database(path: "blog.sqlite", models: [Author.self], migration: options)
/// ```
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
    /// without such a value, such as a date or an enumeration, is still refused.
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
  /// It finds invalid values of other programs, and values from before the file noted any types
  /// (`checksChangedTypes`). It reads every row at each opening.
  public var checksValues: Bool
  /// Whether opening the database reads the values of columns whose Swift type has changed; true by
  /// default.
  ///
  /// The cases of an enumeration, the properties of a struct in JSON, or a text that becomes a UUID
  /// or a Decimal do not show in the schema. So a migration notes the types in the file, as the
  /// definition of the view `apus_types`. Opening a database reads the definitions anyway, so the
  /// comparison costs no further statement. If a type has changed, its column is read once, after a
  /// call of `progress`. A value that the type cannot read refuses the migration, as with
  /// `checksValues`. With false, the file opens nevertheless, and reading such a row throws.
  ///
  /// - Only an opening that migrates adds the notes to a file. Until then, a file of another
  ///   program or of an earlier version of Apus has no notes, and its values are not read. Notes
  ///   are brought up to date by an opening that has checked the changes.
  /// - The cases of an enumeration are known if it is `CaseIterable`. More cases need no check.
  /// - A type with its own decoding code is known by its name and stored properties.
  /// - A program with a lower `schemaVersion` than the file checks nothing. Neither does a file that is
  ///   opened as read-only; `migrationPlan(for:)` does. An engine elsewhere, such as a cluster, does
  ///   not call Swift types, and nothing is noted there.
  public var checksChangedTypes: Bool
  /// The path of a copy of the file, which `VACUUM INTO` makes before anything is changed; nil for
  /// no copy. A migration with nothing to do makes no copy. Throws if a file exists at the path.
  public var copyPath: String?
  /// How long to wait for another process that is migrating the same file.
  public var waiting: Duration
  /// Your own steps, in the order in which they run.
  public var steps: [MigrationStep]
  /// The treatment of tables that a newer program has changed.
  public var newerSchema: NewerSchema
  /// The number of this program's schema, if the program numbers its schemas; higher is newer. With
  /// nil, only the definitions are compared.
  ///
  /// The file keeps the number of the program that last migrated it. A program with a lower number
  /// is older, whatever it declares. A program with a higher number is newer, and migrates even to
  /// a schema that the file had before. So a higher number declares an intended return to an
  /// earlier schema.
  public var schemaVersion: Int?
  /// A closure that is called before each statement, and about every 10,000 rows while a large table
  /// is copied or its values are checked, and while its index or full-text index is built.
  ///
  /// It runs inside the transaction. An error that it throws ends the migration, and nothing is
  /// changed.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?
  /// The cancellation of the task that waits for the migration; nil for the synchronous forms.
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
  /// Runs an opening or a migration with these options on a separate thread. It ends if the task is
  /// cancelled.
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
  /// would have left an earlier state of the table unchanged, but would change the present state,
  /// for example by dropping an index that a newer version added.
  public enum NewerSchema: Hashable, Sendable {
    /// The table stays as the newer program made it, and both programs use it.
    ///
    /// The older program is refused if it cannot work with the table. That is so if the table or a
    /// column is missing, or has another type, form or key, or if a column that the program does
    /// not declare requires a value.
    case kept
    /// The older program is refused.
    case refused
    /// The table is migrated to what this program declares, as if this program were newer. Use it
    /// during development, when you switch back and forth between branches.
    case replaced
  }
}

/// The progress of a migration.
///
/// ```swift
/// let options = MigrationOptions(progress: { print($0.table, $0.copiedRows, "of", $0.rowCount) })
/// ```
public struct MigrationProgress: Hashable, Sendable {
  /// The table whose step runs, or the name of one of your own steps.
  public let table: String
  /// The statement that runs next.
  public let sql: String
  /// The number of copied rows so far, or an estimate of the rows that were checked or put into an
  /// index; 0 before that.
  public let copiedRows: Int
  /// The number of rows to copy, to check, or to put into an index; 0 for other statements, and for
  /// indexes and checks of at most 10,000 rows.
  public let rowCount: Int
}
