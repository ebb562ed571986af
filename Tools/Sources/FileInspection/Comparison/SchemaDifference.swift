import Apus

/// A table, index, view or trigger that differs between two schemas, or exists in only one of them.
package struct SchemaDifference: Sendable, Equatable {
  package let kind: RowDifference.Kind
  /// `table`, `index`, `view` or `trigger`.
  package let type: String
  package let name: String
  package let old: String?
  package let new: String?
}

/// The SQL of a database's tables, indexes, views and triggers, as SQLite stores it.
package struct SchemaDefinitions: Sendable, Equatable {
  private struct Entry: Equatable {
    let type: String
    let name: String
    let sql: String
  }

  private let entries: [Entry]

  package init(of connection: Connection) throws {
    entries = try connection.rows(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ).map { Entry(type: try $0.get(at: 0), name: try $0.get(at: 1), sql: try $0.get(at: 2)) }
  }

  /// Returns the differences between this schema and a newer one. The definitions that are new or
  /// changed in the newer schema come first, followed by the definitions that it lacks.
  package func differences(to other: SchemaDefinitions) -> [SchemaDifference] {
    func find(_ entry: Entry, in entries: [Entry]) -> Entry? {
      entries.first { $0.type == entry.type && $0.name.lowercased() == entry.name.lowercased() }
    }
    let changed = other.entries.compactMap { entry -> SchemaDifference? in
      let old = find(entry, in: entries)
      guard old?.sql != entry.sql else { return nil }
      return SchemaDifference(
        kind: old == nil ? .inserted : .updated, type: entry.type, name: entry.name,
        old: old?.sql, new: entry.sql)
    }
    let gone = entries.filter { find($0, in: other.entries) == nil }.map {
      SchemaDifference(kind: .deleted, type: $0.type, name: $0.name, old: $0.sql, new: nil)
    }
    return changed + gone
  }
}
