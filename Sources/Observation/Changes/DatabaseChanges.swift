import SQLCore

/// What one write changed in the whole database, after its commit.
public struct DatabaseChanges: Sendable {
  /// What the write was called: `db.write(label: "import") { … }`; nil where it was not.
  public let label: String?
  /// The tables that changed, by name.
  public let tables: [TableChanges]
  /// What happened of which is not known which tables it touched.
  public let events: Set<TableEvent>

  /// The table of that name in the main database, without case; nil where it did not change.
  public subscript(table: String) -> TableChanges? {
    let name = QualifiedTableName(table)
    return tables.first { QualifiedTableName(schema: $0.schema, $0.name) == name }
  }
}

/// What one write changed in one table.
public struct TableChanges: Sendable {
  /// `main`, or the name under which the table's database is attached.
  public let schema: String
  /// The table.
  public let name: String
  /// The rows that differ, in the order in which they were first touched.
  public let rows: [TableRowChange]
  /// What happened to the table besides; where it is not empty, `rows` may lack some.
  public let events: Set<TableEvent>

  init(_ table: QualifiedTableName, _ changes: TableRows) {
    schema = table.schema
    name = changes.names.table
    let told = ToldRows(changes, columns: nil)
    rows = changes.rows.indices.map { TableRowChange(told, at: $0) }
    events = changes.events
  }

  init(_ table: QualifiedTableName, _ events: Set<TableEvent>) {
    schema = table.schema
    name = table.name
    rows = []
    self.events = events
  }
}

/// The changes of the whole database, one element a write: `db.changes()`.
///
/// When the database is closed, or its last reference goes, the stream gives what was committed until
/// then, and finishes.
public struct DatabaseChangeStream: AsyncSequence, Sendable {
  /// What one write changed.
  public typealias Element = DatabaseChanges
  /// It does not fail.
  public typealias Failure = Never

  private let feed: ChangeFeed<DatabaseChanges>

  init(_ feed: ChangeFeed<DatabaseChanges>) {
    self.feed = feed
  }

  /// Gives the changes, in the order of the commits. Iterators of one stream share its elements.
  public func makeAsyncIterator() -> ChangeIterator<DatabaseChanges> {
    ChangeIterator(feed)
  }
}

extension Database {
  /// What changes in any table, told after each commit.
  ///
  /// ```swift
  /// for await changes in db.changes() {
  ///   for table in changes.tables { print(table.name, table.rows.map(\.keyValues)) }
  /// }
  /// ```
  ///
  /// As `changes(of:)`, of all tables of the main database and of attached ones, with all their
  /// columns; the shadow tables of virtual tables are not told.
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
