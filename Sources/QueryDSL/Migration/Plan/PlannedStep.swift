import SQLCore

/// A step of a plan, with what its run needs besides the SQL that a reader sees.
struct PlannedStep {
  enum Work {
    /// Nothing runs.
    case none
    case statements([String])
    /// As `statements`, with references in other definitions left as they are written.
    case rebuild(TableRebuild)
    /// The form of a column is written into its definition; no row is touched.
    case remember(FormMemory)
  }

  var step: MigrationPlan.Step
  var work: Work = .none
  /// The conversions that are done with it, or forgotten.
  var conversions: [ConversionNote] = []

  init(_ step: MigrationPlan.Step, _ work: Work = .none) {
    self.step = step
    self.work = work
  }

  /// A step that is one statement.
  init(running step: MigrationPlan.Step) {
    self.init(step, .statements(step.sql.map { [$0] } ?? []))
  }
}

/// A table that is made anew under another name, filled from the old one, and put in its place.
///
/// - SeeAlso: <https://www.sqlite.org/lang_altertable.html#otheralter>
struct TableRebuild {
  /// A column of the new table and the SQL that gives its value.
  struct Source {
    let column: String
    let sql: String
    /// Whether it is the old column as it was.
    let isSame: Bool
    /// Whether it is NULL where the old column of that name is NULL, and nowhere else.
    var keepsNull = false
  }

  let table: String
  let temporaryName: String
  /// CREATE TABLE under the temporary name.
  let createTable: String
  let sources: [Source]
  /// The name by which both tables know their rowid; nil where one has none.
  let rowID: String?
  /// The name by which the old table knows its rowid.
  let oldRowID: String?
  /// The columns by which a row is found again in the new table, where there is no rowid.
  let key: [String]

  /// `INSERT OR ABORT INTO … SELECT …`, without what says which rows: whatever the table's own ON
  /// CONFLICT says, no row may be left out or be another.
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

  /// All of it, to be read.
  var sql: String {
    [createTable, copy, dropTable, renameTable].joined(separator: ";\n")
  }
}
