import QueryDSL
import SQLCore

/// A reader that queries the rows of an existing table before any step of the plan runs. So the SQL
/// of its queries uses the names that the columns have before the migration renames them.
struct RowProbe {
  let connection: Connection
  let names: FormerNames
  /// The SQL expression that names a row in an error: its rowid, or its key.
  let label: String
  /// The table in a FROM clause: its name, or a subquery with a sample of its rows.
  private(set) var source: String
  private let rowID: String?

  init(of existing: ExistingTable, _ names: FormerNames, _ connection: Connection) {
    self.connection = connection
    self.names = names
    source = names.quotedTable
    rowID = existing.rowIDName
    label =
      existing.rowIDName
      ?? existing.key.columns.map { column in
        let name = names.quoted(column)
        // A BLOB is quoted, because the text that results from joining a BLOB to other texts may
        // not be valid UTF-8.
        return "CASE typeof(\(name)) WHEN 'blob' THEN quote(\(name)) ELSE \(name) END"
      }.joined(separator: " || ', ' || ")
  }

  /// A copy of this probe that queries only a sample of at most 600 rows: the first 200, the last
  /// 200, and up to 200 at equal distances between them. Nil for a table without a rowid.
  ///
  /// Costs about 600 seeks, however large the table is.
  var sample: RowProbe? {
    guard let rowID else { return nil }
    let table = names.quotedTable
    func end(_ direction: String) -> String {
      "SELECT * FROM (SELECT \(rowID) FROM \(table) ORDER BY \(rowID) \(direction) LIMIT 200)"
    }
    // The difference of two rowids may be too large for an integer, so it is calculated as REAL.
    let place = "least + CAST((greatest * 1.0 - least) / 200 * number AS INTEGER)"
    var sample = self
    sample.source = """
      (WITH RECURSIVE numbers(number) AS \
      (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 199) \
      SELECT \(rowID) AS \(rowID), * FROM \(table) WHERE \(rowID) IN \
      (\(end("ASC")) UNION \(end("DESC")) UNION \
      SELECT (SELECT \(rowID) FROM \(table) WHERE \(rowID) >= \(place) ORDER BY \(rowID) LIMIT 1) \
      FROM numbers, (SELECT min(\(rowID)) AS least FROM \(table)), \
      (SELECT max(\(rowID)) AS greatest FROM \(table))))
      """
    return sample
  }

  /// Returns the number of rows that fulfil a condition. Reads the whole table.
  func count(where condition: String) throws -> Int {
    try connection.number("SELECT count(*) FROM \(source) WHERE \(condition)")
  }

  /// Returns the number of rows. Reads the whole table.
  func count() throws -> Int { try connection.count(names.table) }

  /// Returns whether a row fulfils a condition. Reads up to the first such row.
  func hasRow(where condition: String = "1") throws -> Bool {
    try connection.number("SELECT EXISTS (SELECT 1 FROM \(source) WHERE \(condition))") != 0
  }

  /// Returns whether the table has two or more rows. Reads two rows.
  func hasSeveralRows() throws -> Bool { try hasRow(where: "1 LIMIT 1 OFFSET 1") }

  /// Returns the storage classes of a column's values, except NULL.
  func valueClasses(of column: String) throws -> [StorageClass] {
    let old = names.quoted(column)
    return try connection.rows(
      SQL(unsafe: "SELECT DISTINCT typeof(\(old)) FROM \(source) WHERE \(old) IS NOT NULL")
    ).compactMap { StorageClass(rawValue: try $0.get(String.self, at: 0).uppercased()) }
  }

  /// Calls `body` with each value of a column that is not NULL, and with the rowid or key of its
  /// row. For a text that is not UTF-8, the value is nil.
  func forEachValue(
    of column: String, _ body: (_ value: DatabaseValue?, _ row: DatabaseValue) throws -> Void
  ) throws {
    let name = names.quoted(column)
    let sql = "SELECT \(label), \(name) FROM \(source) WHERE \(name) IS NOT NULL"
    try connection.forEach(SQL(unsafe: sql)) { row in
      try body(try? row.databaseValue(at: 1), row.databaseValue(at: 0))
    }
  }

  /// Returns the end of a sentence, which gives an example: `, as in row 3: 'soon'`. The example is
  /// the column's value in the first row that fulfils the condition. Returns an empty text if there
  /// is no such row.
  func example(of column: String, where condition: String) -> String {
    let row = try? connection.row(
      SQL(
        unsafe: "SELECT \(label), quote(\(names.quoted(column))) "
          + "FROM \(source) WHERE \(condition) LIMIT 1"))
    guard let values = row?.values, values.count == 2, case .text(let value) = values[1] else {
      return ""
    }
    return ", as in row \(values[0]): \(value.excerpt)"
  }
}

/// The names that an existing table and its columns have before the renamings of a migration.
///
/// Queries of rows run before any step, so they use the former names. Steps run after all
/// renamings, with the names that the schema declares.
struct FormerNames {
  /// The table's name before the migration renames it.
  let table: String
  /// The names of renamed columns before the renaming. The keys are the new names, in lower case.
  private let columns: [String: String]

  init(table: String, columns: [(name: String, from: String)] = []) {
    self.table = table
    self.columns = Dictionary(columns.map { ($0.name.lowercasedASCII, $0.from) }) { $1 }
  }

  var quotedTable: String { Identifier(table).quoted }

  /// Returns the name of a renamed column before the renaming; nil if the column keeps its name.
  func former(_ column: String) -> String? { columns[column.lowercasedASCII] }

  /// Returns the name of a column before the renamings, quoted.
  func quoted(_ column: String) -> String { Identifier(former(column) ?? column).quoted }

  /// Returns SQL in which the new names of columns are replaced by the names before the renamings.
  /// All names are replaced at the same time.
  ///
  /// - Parameters:
  ///   - values: SQL expressions that replace columns. The keys are the new names of the columns,
  ///     in lower case.
  ///   - onlyQuoted: whether to replace only names in quotation marks. Other names may be keywords.
  func restoring(
    _ sql: String, _ values: [String: String] = [:], onlyQuoted: Bool = false
  ) -> String {
    let names = columns.mapValues { Identifier($0).quoted }
    return sql.replacing(names.merging(values) { $1 }, onlyQuoted: onlyQuoted)
  }
}

extension Connection {
  /// Returns the number of rows of a table.
  func count(_ table: String) throws -> Int {
    try row("SELECT count(*) FROM \(identifier: table)")?.get(Int.self, at: 0) ?? 0
  }

  /// Returns the number that a statement selects.
  func number(_ sql: String) throws -> Int {
    try row(SQL(unsafe: sql))?.get(Int.self, at: 0) ?? 0
  }
}

/// Converts a declared expression, such as a check, so that it can be tested on the existing rows.
/// Each column is replaced by the SQL for the value that it will have after the migration.
///
/// All names are replaced at the same time, because columns may exchange their names, and a new
/// column may take the former name of another column.
struct RowQuestion {
  let table: TableComparison
  /// The SQL for the values that change. The keys are column names in lower case.
  let sources: [String: TableRebuild.Source]

  /// Returns the expression with the names that are valid before any step runs.
  ///
  /// Returns nil if a value is not known yet. Such a value comes from a declared conversion, from a
  /// new column, or from a column that will be calculated.
  func asked(_ expression: String) -> String? { sql(expression, table.names) }

  /// Returns the expression with the names that are valid after all renamings, but before a rebuild
  /// of the table. Returns nil in the same cases as `asked(_:)`.
  func renamed(_ expression: String) -> String? {
    sql(expression, FormerNames(table: table.existing.name))
  }

  private func sql(_ expression: String, _ names: FormerNames) -> String? {
    var values: [String: String] = [:]
    for token in SQLTokens(expression).tokens where token.isName {
      guard let column = table.declared.column(token.value) else { continue }
      let existing = table.existing.column(column.name)
      let isSameGeneration =
        column.generated.map { generated in
          existing?.generated.map(generated.isSame) == true
        } ?? true
      guard isSameGeneration else { return nil }
      let name = column.name.lowercasedASCII
      guard let source = sources[name], !source.isSame else {
        guard existing != nil else { return nil }
        continue
      }
      guard !source.sql.contains("apus_convert(") else { return nil }
      values[name] = "(\(names.restoring(source.sql, onlyQuoted: true)))"
    }
    return names.restoring(expression, values)
  }
}
