import SQLCore

/// A step of a plan, with the work that it does.
struct PlannedStep {
  enum Work {
    /// Nothing runs.
    case none
    case statements([String])
    /// Like `statements`, but references in other definitions stay as they are written.
    case rebuild(TableRebuild)
    /// The form of a column is recorded in its definition; no row is touched.
    case remember(FormMemory)
  }

  var step: MigrationPlan.Step
  var work: Work = .none
  /// The notes of conversions that are written or removed after the step.
  var conversions: [ConversionNote] = []
  /// The renamings of a step that exchanges names, in their order and with the temporary name.
  /// Empty for other steps.
  var exchangedNames: [(from: String, name: String)] = []
  /// The step that stands in place of this one if a newer program may have made what this one drops.
  var keeping: MigrationPlan.Step?

  init(_ step: MigrationPlan.Step, _ work: Work = .none) {
    self.step = step
    self.work = work
  }

  /// Creates a step that runs its SQL as one statement.
  init(running step: MigrationPlan.Step) {
    self.init(step, .statements(step.sql.map { [$0] } ?? []))
  }
}

/// The replacement of a table: a new one is created under a temporary name, filled from the old
/// one, and renamed after the old one is dropped.
///
/// - SeeAlso: <https://www.sqlite.org/lang_altertable.html#otheralter>
struct TableRebuild {
  /// A column of the new table and the SQL that gives its value.
  struct Source {
    let column: String
    let sql: String
    /// Whether the value is the old column, unchanged.
    let isSame: Bool
    /// Whether the value is NULL exactly where the old column of that name is NULL.
    var keepsNull = false
  }

  let table: String
  let temporaryName: String
  /// CREATE TABLE under the temporary name.
  let createTable: String
  let sources: [Source]
  /// A name by which both tables know their rowid; nil if one of them has none.
  let rowID: String?
  /// A name by which the old table knows its rowid.
  let oldRowID: String?
  /// The columns that identify a row in both tables, if there is no rowid.
  let key: [String]

  /// `INSERT OR ABORT INTO … SELECT …` without a WHERE clause. OR ABORT overrides the table's own
  /// ON CONFLICT clauses, so that no row is skipped or replaced.
  var copy: String {
    let names = (rowID.map { [$0] } ?? []) + sources.map { Identifier($0.column).quoted }
    let values = (rowID.map { [$0] } ?? []) + sources.map(\.sql)
    return
      "INSERT OR ABORT INTO \(Identifier(temporaryName).quoted) (\(names.joined(separator: ", ")))\n"
      + "SELECT \(values.joined(separator: ", ")) FROM \(Identifier(table).quoted)"
  }

  var dropTable: String { "DROP TABLE \(Identifier(table).quoted)" }

  var renameTable: String {
    "ALTER TABLE \(Identifier(temporaryName).quoted) RENAME TO \(Identifier(table).quoted)"
  }

  /// All statements, as a plan prints them.
  var sql: String {
    [createTable, copy, dropTable, renameTable].joined(separator: ";\n")
  }
}
