import SQLCore

/// The changes of one write in the whole database, delivered after its commit.
public struct DatabaseChanges: Sendable {
  /// The label of the write, as in `db.write(label: "import") { … }`; nil if it has none.
  public let label: String?
  /// The tables that changed, ordered by name.
  public let tables: [TableChanges]
  /// Events that may have touched any table.
  public let events: Set<TableEvent>

  /// Returns the changes of the table with the given name in the main database, ignoring case; nil
  /// if it did not change.
  public subscript(table: String) -> TableChanges? {
    let name = QualifiedTableName(table)
    return tables.first { QualifiedTableName(schema: $0.schema, $0.name) == name }
  }
}

extension Database {
  /// Returns a stream of the changes to all tables, each delivered after its commit.
  ///
  /// ```swift
  /// for await changes in db.changes() {
  ///   for table in changes.tables { print(table.name, table.rows.map(\.keyValues)) }
  /// }
  /// ```
  ///
  /// It works like `changes(of:)`, for all tables of the main database and of attached ones, with
  /// all their columns. The shadow tables of virtual tables are not reported.
  public func changes() -> DatabaseChangeStream {
    DatabaseChangeStream(
      ChangeFeed(in: self, tables: nil) { piece in
        switch piece {
        case .write(let write):
          let tables = write.tables.map { TableChanges($0.key, $0.value) }
          return DatabaseChanges(
            label: write.label, tables: tables.sorted { $0.name < $1.name }, events: [])
        case .dropped(let tables):
          return DatabaseChanges(
            label: nil,
            tables: tables.map { TableChanges($0.key, $0.value) }.sorted { $0.name < $1.name },
            events: [])
        case .everything(let events):
          return DatabaseChanges(label: nil, tables: [], events: events)
        }
      })
  }
}
