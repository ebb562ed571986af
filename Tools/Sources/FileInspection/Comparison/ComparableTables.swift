import Apus

/// The tables of the main database whose rows are compared, and those whose rows cannot be.
///
/// Views are in neither list, nor are the tables that SQLite keeps for itself. The rows of a
/// virtual table are compared if the table stores them:
///
/// - A full-text table with its own text stores it in the shadow table `…_content`. This table is
///   compared in its place: it has all that is stored, and can be read without the tokenizer.
/// - A full-text table with external content has the text of a table that is compared itself.
/// - A contentless full-text table stores an index, from which its rows cannot be read.
/// - Another virtual table with shadow tables, such as an R*Tree, is read itself.
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
    // The shadow tables of a virtual table, by the ends of their names.
    var shadows: [String: [String: String]] = [:]
    for entry in entries where entry.type == "shadow" {
      let name = entry.name.lowercased()
      // The tables `search` and `search_2` may both be virtual: the longer name is the owner's.
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
        // If SQLite lacks the module, it knows no shadow tables of it.
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
    // With external content, `content` may be a table that the program made under this name.
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

  /// Returns the shape of a virtual table, whose key is the rowid; nil if the table stores nothing.
  /// Throws if it cannot be read.
  fileprivate func shape(
    ofVirtualTable name: String, shadows: Set<String>
  ) throws -> TableShape? {
    let columns = try columns(ofTable: name).filter { $0.generation != .hidden }
    guard !shadows.isEmpty else { return nil }
    _ = try row("SELECT 1 FROM \(identifier: name) LIMIT 1")
    let names = columns.map(\.name)
    // The first column of an R*Tree is its rowid; that of a geopoly table is a shape.
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
  /// Why they cannot be compared, such as `no such module: vec0`.
  package let reason: String
}
