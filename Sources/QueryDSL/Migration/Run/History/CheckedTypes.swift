import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Swift types by which the values of a database were checked last, as the table `apus_types`
/// notes them for each table.
///
/// A schema does not show that an enumeration has lost a case, or that the struct of a JSON column
/// has another property. With `MigrationOptions.checksChangedTypes`, the values of a column are
/// checked if the signature of its type differs from the noted one.
struct CheckedTypes {
  static let table = "apus_types"

  /// The signatures by the folded names of the columns, by the folded names of the tables.
  private var tables: [String: [String: String]] = [:]

  /// Reads the notes: one statement if the database has the table, else none.
  init(of schema: ExistingSchema, in connection: Connection) throws {
    guard schema.entry(Self.table)?.kind == .table else { return }
    try connection.forEach("SELECT \"name\", \"types\" FROM \(identifier: Self.table)") { row in
      let types = Data(try row.get(String.self, at: 1).utf8)
      tables[try row.get(String.self, at: 0).lowercasedASCII] =
        (try? JSONDecoder().decode([String: String].self, from: types)) ?? [:]
    }
  }

  /// Returns the declared columns, folded, whose values are not known to be readable by their types.
  /// The notes have the names from before the renamings.
  func changes(of table: TableDefinition, _ renames: Renames) -> Set<String> {
    let former = renames.formerName(ofTable: table.name) ?? table.name
    let known = tables[former.lowercasedASCII] ?? [:]
    let columns = renames.columns(ofFormer: former)
    return Set(
      table.columns.compactMap { column in
        let name = columns.first { $0.name.isSame(as: column.name) }?.from ?? column.name
        guard let signature = column.type.signature, known[name.lowercasedASCII] != signature else {
          return nil
        }
        return column.name.lowercasedASCII
      })
  }

  /// Returns whether the notes are those of the declared tables.
  func areNoted(_ declared: Declarations) -> Bool {
    declared.tables.allSatisfy { notes(of: $0) == (tables[$0.name.lowercasedASCII] ?? [:]) }
  }

  /// The notes of a table with the declared types in place of the noted ones. The columns of other
  /// models of the table stay.
  private func notes(of table: TableDefinition) -> [String: String] {
    var notes = tables[table.name.lowercasedASCII] ?? [:]
    for column in table.columns {
      notes[column.name.lowercasedASCII] = column.type.signature
    }
    return notes
  }

  // MARK: Writing

  /// Notes the types of the declared tables, at the end of a migration that has checked them.
  ///
  /// - Parameter newer: the names of the tables that stay as a newer program made them.
  static func note(
    _ declared: Declarations, except newer: [String], in schema: ExistingSchema,
    _ connection: Connection
  ) throws {
    let noted = try CheckedTypes(of: schema, in: connection)
    guard !noted.areNoted(declared) else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(identifier: table) ("name" TEXT PRIMARY KEY NOT NULL COLLATE \
      NOCASE, "types" TEXT NOT NULL) STRICT
      """)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for declaration in declared.tables {
      guard !newer.contains(where: { $0.isSame(as: declaration.name) }) else { continue }
      let types = String(
        decoding: try encoder.encode(noted.notes(of: declaration)), as: UTF8.self)
      try connection.execute(
        "INSERT OR REPLACE INTO \(identifier: table) VALUES (\(declaration.name), \(types))")
    }
    try connection.execute(
      """
      DELETE FROM \(identifier: table)
      WHERE lower("name") NOT IN (SELECT lower("name") FROM sqlite_schema)
      """)
  }
}
