import SQLCore

/// The Swift types of the columns of a file, as declared by the programs that migrated the file.
///
/// A schema does not show that an enumeration has lost a case, or that the struct of a JSON column
/// has another property. So a migration notes the signature of each type. When the file is opened,
/// the signatures are compared. If the signature of a column's type differs, the values of the
/// column are checked.
///
/// The notes are in the definition of a view, `CREATE VIEW "apus_types" AS SELECT '…' AS "types"`.
/// Opening a database reads all definitions anyway, so reading the notes needs no further
/// statement. If the notes equal the expected text, as they usually do, they are not even parsed.
package struct NotedTypes: Sendable {
  package static let name = "apus_types"

  /// The signature of each column's type, by table and column. Names are in lower case, and all
  /// texts are escaped. A type that reads every value has an empty signature, which the file does
  /// not contain.
  private(set) var tables: [String: [String: String]] = [:]

  /// Creates the notes from the types of the tables' columns.
  package init(of declared: [TableDefinition]) {
    for table in declared {
      tables[Self.key(table.name)] = Dictionary(
        table.columns.map { (Self.key($0.name), Self.escaped($0.type.signature ?? "")) }
      ) { first, _ in first }
    }
  }

  /// Reads the notes of a file from the definition of the view. Returns nil if there is no
  /// definition, or if it does not have the form that Apus writes.
  package init?(_ sql: String?) {
    guard let sql, sql.hasPrefix(Self.start), sql.hasSuffix(Self.end) else { return nil }
    let text = sql.dropFirst(Self.start.count).dropLast(Self.end.count).replacing("''", with: "'")
    var table: String?
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      if parts.count == 1 {
        table = String(line)
        tables[String(line)] = [:]
      } else if parts.count == 3, let table {
        tables[table]?[String(parts[1])] = String(parts[2])
      }
    }
  }

  /// The definition of the view that holds the notes. Equal notes have equal definitions.
  package var sql: String {
    var text = "\n"
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
      text += "\(table)\n"
      for (column, type) in columns.sorted(by: { $0.key < $1.key }) where !type.isEmpty {
        text += "\t\(column)\t\(type)\n"
      }
    }
    return Self.start + text.replacing("'", with: "''") + Self.end
  }

  private static let start = "CREATE VIEW \"\(name)\" AS SELECT '"
  private static let end = "' AS \"types\""

  private static func key(_ name: String) -> String { escaped(name.lowercasedASCII) }

  /// Returns the text with escapes for the characters that separate the notes, and for U+0000,
  /// which would end the statement.
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return text }
    return text.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar == "\\" ? "\\\(scalar.value);" : String(scalar)
    }.joined()
  }

  // MARK: Comparing

  /// Returns whether the types that models declare equal the noted types. A table without notes
  /// comes from another program or an earlier version of Apus. Such a table counts as equal, so its
  /// values are not checked.
  package func covers(_ declared: NotedTypes) -> Bool {
    declared.tables.allSatisfy { table, columns in
      guard let noted = tables[table] else { return true }
      return columns.allSatisfy { (noted[$0.key] ?? "") == $0.value }
    }
  }

  /// Returns the names, in lower case, of the declared columns whose values must be checked. The
  /// type of such a column differs from the noted type, and not only by new cases of an
  /// enumeration. The notes still have the names that the table and its columns had before
  /// `renames`.
  package func changes(of table: TableDefinition, _ renames: Renames) -> Set<String> {
    let former = renames.formerName(ofTable: table.name) ?? table.name
    guard let noted = tables[Self.key(former)] else { return [] }
    let columns = renames.columns(ofFormer: former)
    return Set(
      table.columns.compactMap { column in
        let name = columns.first { $0.name.isSame(as: column.name) }?.from ?? column.name
        guard let signature = column.type.signature.map(Self.escaped) else { return nil }
        let known = noted[Self.key(name)] ?? ""
        guard known != signature, !ColumnType.hasMoreCases(signature, than: known) else {
          return nil
        }
        return column.name.lowercasedASCII
      })
  }

  // MARK: Writing

  /// Returns the notes to write after a migration. A table or column that `declared` does not
  /// contain keeps its notes while it exists.
  ///
  /// - Parameter newer: the names of the tables that stay as a newer program made them. Their notes
  ///   stay, too.
  package func updated(
    by declared: Declarations, except newer: [String], in schema: ExistingSchema
  ) -> NotedTypes {
    var notes = self
    notes.tables = tables.filter { name, _ in
      schema.entries.contains { $0.kind == .table && Self.key($0.name) == name }
    }
    for table in declared.tables {
      guard !newer.contains(where: { $0.isSame(as: table.name) }) else { continue }
      let key = Self.key(table.name)
      let columns = declared.types.tables[key] ?? [:]
      let existing = (try? schema.table(table.name))?.columns.map { Self.key($0.name) } ?? []
      notes.tables[key] = (tables[key] ?? [:]).filter { existing.contains($0.key) }
        .merging(columns) { $1 }
    }
    return notes
  }
}
