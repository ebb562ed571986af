import SQLCore

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
