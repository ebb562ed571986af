import SQLCore

/// The type of a copied column, which is one of the types INTEGER, REAL, TEXT and BLOB.
enum ColumnKind: Hashable, Sendable {
  case integer, real, text, blob

  /// Creates the kind for a declared type; nil if a column with this type may have values of
  /// several types.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  init?(declared: String) {
    let name = declared.uppercased()
    if name.contains("INT") {
      self = .integer
    } else if name.contains("CHAR") || name.contains("CLOB") || name.contains("TEXT") {
      self = .text
    } else if name == "BLOB" {
      self = .blob
    } else if name.contains("REAL") || name.contains("FLOA") || name.contains("DOUB") {
      self = .real
    } else {
      return nil
    }
  }

  /// SQLite's name of the type.
  var declared: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }

  /// DuckDB's name of the type.
  var duckDB: String {
    switch self {
    case .integer: "BIGINT"
    case .real: "DOUBLE"
    case .text: "VARCHAR"
    case .blob: "BLOB"
    }
  }
}

/// SQLite's own collations.
enum KnownCollation: String, Sendable {
  case binary = "BINARY"
  case noCase = "NOCASE"
  case rightTrimmed = "RTRIM"
}

/// A column of a copied table.
struct CopiedColumn: Hashable, Sendable {
  let name: String
  let kind: ColumnKind
  var collation = KnownCollation.binary
}

/// A description of a table that was copied into DuckDB: the name, the columns and the key that
/// queries use.
struct CopiedTable: Sendable {
  let name: String
  /// The CREATE TABLE statement of SQLite. An empty table with this definition serves to compile
  /// the statements of queries.
  let definition: String
  let columns: [CopiedColumn]
  /// The columns of the primary key, in the order of the key.
  let key: [String]

  /// Whether the key is another name of SQLite's rowid. SQLite has an index for any other key, such
  /// as `BIGINT PRIMARY KEY`.
  private let isKeyRowID: Bool

  /// The INTEGER PRIMARY KEY, which is the rowid in SQLite; nil if the table has no such column.
  var rowID: CopiedColumn? {
    guard isKeyRowID else { return nil }
    return columns.first { $0.name.isSameName(as: key[0]) }
  }

  /// Reads a table of a database. Returns nil if the database has no such table.
  init?(named name: String, in connection: Connection) throws {
    guard
      let row = try connection.row(
        """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'table' AND name = \(name) COLLATE NOCASE
        """)
    else { return nil }
    let exact: String = try row.get(at: 0)
    let definition: String = try row.get(at: 1)
    let collations = Self.collations(in: definition)
    let read = try connection.columns(ofTable: exact).filter { $0.generation != .hidden }
    columns = try read.map { column in
      guard let kind = ColumnKind(declared: column.declaredType) else {
        throw AnalyticsError.columnWithoutType(
          table: exact, column: column.name, declaredType: column.declaredType)
      }
      let written = collations[column.name.lowercased()]
      guard let collation = KnownCollation(rawValue: (written ?? "BINARY").uppercased()) else {
        throw AnalyticsError.unsupported(
          feature:
            "the column \(column.name) of \(exact) has the collation \(written ?? ""), which "
            + "is a function in Swift",
          advice: "copy a query that selects the column with another collation", sql: definition)
      }
      return CopiedColumn(name: column.name, kind: kind, collation: collation)
    }
    self.name = exact
    self.definition = definition
    key = read.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
    let keyIndex = try connection.row(
      "SELECT 1 FROM pragma_index_list(\(exact)) WHERE origin = 'pk'")
    isKeyRowID = key.count == 1 && keyIndex == nil
  }

  /// Returns the collations that a CREATE TABLE statement declares for its columns. The keys of the
  /// result are the names of the columns in lower case.
  private static func collations(in definition: String) -> [String: String] {
    guard definition.uppercased().contains("COLLATE"),
      let tokens = try? SQLiteTokens(definition).tokens
    else { return [:] }
    var collations: [String: String] = [:]
    var depth = 0
    var column: String?
    for (index, token) in tokens.enumerated() {
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
      let isStart = index > 0 && (tokens[index - 1].isSign("(") || tokens[index - 1].isSign(","))
      if depth == 1, isStart { column = token.text.lowercased() }
      if depth == 1, token.isWord("COLLATE"), let column, tokens.indices.contains(index + 1) {
        collations[column] = tokens[index + 1].text
      }
    }
    return collations
  }
}

extension String {
  /// Returns whether two names denote the same table or column in SQL, which ignores the case of
  /// ASCII letters.
  func isSameName(as other: String) -> Bool { self == other || lowercased() == other.lowercased() }

  /// The name in double quotes.
  var quotedName: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

  /// The text in single quotes.
  var quotedText: String { "'" + replacing("'", with: "''") + "'" }
}
