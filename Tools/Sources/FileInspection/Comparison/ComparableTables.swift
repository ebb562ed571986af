import Apus

/// The tables of the main database whose rows are compared, and the tables whose rows cannot be
/// compared.
///
/// Views and SQLite's internal tables are in neither list. The rows of a virtual table are compared
/// if the table stores them:
///
/// - A full-text table that stores its text has it in the shadow table `…_content`. The shadow
///   table is compared in place of the full-text table: it has everything that is stored, and can
///   be read without the tokenizer.
/// - A full-text table with external content takes its text from another table, which is compared.
/// - A contentless full-text table stores only an index, from which its rows cannot be read.
/// - Any other virtual table with shadow tables, such as an R*Tree, is read directly.
/// - A virtual table without shadow tables, such as one of `fts5vocab`, stores nothing.
/// - If SQLite lacks the module of a table, the rows of the table cannot be read.
package struct ComparableTables {
  /// The shapes of the tables, in the order in which the tables were created.
  package private(set) var shapes: [TableShape] = []
  package private(set) var uncompared: [UncomparedTable] = []

  package init(of connection: Connection) throws {
    let entries = try connection.rows(
      """
      SELECT list.name, list.type, schema.sql FROM pragma_table_list AS list
      JOIN sqlite_schema AS schema ON schema.name = list.name AND schema.type = 'table'
      WHERE list.schema = 'main' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY schema.rowid
      """
    ).map { row in
      (
        name: try row.get(String.self, at: 0), type: try row.get(String.self, at: 1),
        sql: try row.get(String.self, at: 2)
      )
    }
    let virtual = Set(entries.filter { $0.type == "virtual" }.map { $0.name.lowercased() })
    // The shadow tables of each virtual table, with the suffixes of their names as keys.
    var shadows: [String: [String: String]] = [:]
    for entry in entries where entry.type == "shadow" {
      let name = entry.name.lowercased()
      // If `search` and `search_2` are both virtual tables, `search_2_data` belongs to `search_2`.
      let separator = name.indices.last { name[$0] == "_" && virtual.contains(String(name[..<$0])) }
      guard let separator else { continue }
      let end = String(name[name.index(after: separator)...])
      shadows[String(name[..<separator]), default: [:]][end] = entry.name
    }
    for entry in entries {
      if entry.type == "table" {
        shapes.append(try connection.shape(ofTable: entry.name))
      } else if entry.type == "virtual" {
        let parts = shadows[entry.name.lowercased()] ?? [:]
        // If SQLite lacks the module of a full-text table, it does not report which tables are its
        // shadow tables.
        if !parts.isEmpty, FullTextModule(ofTable: entry.sql) != nil {
          try addFullTextTable(entry.name, sql: entry.sql, content: parts["content"], connection)
        } else {
          try addVirtualTable(entry.name, shadows: Set(parts.keys), connection)
        }
      }
    }
  }

  private mutating func addFullTextTable(
    _ name: String, sql: String, content: String?, _ connection: Connection
  ) throws {
    // If the content is external, the table `…_content` does not belong to the full-text table. It
    // is a table of the program that happens to have such a name, and is compared as well.
    if let content {
      shapes.append(try connection.shape(ofTable: content, fullTextTable: name))
    }
    if !FullTextModule.isTextStored(sql, hasContent: content != nil) {
      uncompared.append(
        UncomparedTable(name: name, reason: "it stores an index, and not the indexed text"))
    }
  }

  private mutating func addVirtualTable(
    _ name: String, shadows: Set<String>, _ connection: Connection
  ) throws {
    do {
      if let shape = try connection.shape(ofVirtualTable: name, shadows: shadows) {
        shapes.append(shape)
      }
    } catch let error as DatabaseError where error.code.primary == .error {
      // SQLite lacks the module, or the module cannot read what the table stores.
      uncompared.append(UncomparedTable(name: name, reason: error.message))
    }
  }
}

extension Connection {
  fileprivate func shape(ofTable name: String, fullTextTable: String? = nil) throws -> TableShape {
    let columns = try columns(ofTable: name)
    return TableShape(
      name: name, columns: columns.map(\.name),
      keyColumns: columns.filter { $0.primaryKeyPosition > 0 }
        .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name),
      fullTextTable: fullTextTable)
  }

  /// Returns the shape of a virtual table, with the rowid as its key; nil if the table stores
  /// nothing. Throws if the table cannot be read.
  fileprivate func shape(
    ofVirtualTable name: String, shadows: Set<String>
  ) throws -> TableShape? {
    let columns = try columns(ofTable: name).filter { $0.generation != .hidden }
    guard !shadows.isEmpty else { return nil }
    _ = try row("SELECT 1 FROM \(identifier: name) LIMIT 1")
    let names = columns.map(\.name)
    // A virtual table with a shadow table `…_node` is an R*Tree or a geopoly table. The first
    // column of an R*Tree is its rowid. The first column of a geopoly table is a polygon.
    if shadows.contains("node"), let first = columns.first, first.declaredType == "INT" {
      return TableShape(name: name, columns: names, keyColumns: [first.name])
    }
    let rowID = ["rowid", "_rowid_", "oid"].first { free in
      !names.contains { $0.lowercased() == free }
    }
    let key = rowID.map { [$0] } ?? []
    return TableShape(name: name, columns: key + names, keyColumns: key)
  }
}

/// A table whose rows cannot be compared.
package struct UncomparedTable: Hashable, Sendable {
  package let name: String
  /// The reason why the rows cannot be compared, such as `no such module: vec0`.
  package let reason: String
}
