import SQLCore

/// The changes that one write made in the whole database, delivered after the write's commit.
///
/// ```swift
/// for await changes in db.changes() where changes["Post"] != nil {
///   print("posts changed", changes.label ?? "")
/// }
/// ```
public struct DatabaseChanges: Sendable {
  /// The label of the write, as in `db.write(label: "import") { … }`; nil without a label.
  public let label: String?
  /// The tables that changed, ordered by name.
  public let tables: [TableChanges]
  /// Events that do not belong to one table. If there are any events, every table may have changed.
  public let events: Set<TableEvent>

  /// Returns the changes of the table with the given name in the main database, ignoring case; nil
  /// if the table did not change.
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
  /// This works like `changes(of:)`, for all columns of all tables, in the main database and in
  /// attached databases. Temporary tables and the shadow tables of virtual tables are not reported.
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

/// The changes that one write made in one table.
public struct TableChanges: Sendable {
  /// `main`, or the name under which the table's database is attached.
  public let schema: String
  /// The name of the table.
  public let name: String
  /// The changed rows, in the order in which the write first changed them.
  public let rows: [AnyRowChange]
  /// Events that concern the table as a whole. If there are any events, `rows` may be incomplete.
  public let events: Set<TableEvent>

  init(_ table: QualifiedTableName, _ changes: NettedTable) {
    schema = table.schema
    name = changes.names.table
    let delivered = DeliveredRows(changes, columns: nil)
    rows = changes.rows.indices.map { AnyRowChange(delivered, at: $0) }
    events = changes.events
  }

  init(_ table: QualifiedTableName, _ events: Set<TableEvent>) {
    schema = table.schema
    name = table.name
    rows = []
    self.events = events
  }
}

/// The changes of the whole database, with one element for each write: `db.changes()`.
///
/// ```swift
/// for await changes in db.changes() {
///   print(changes.tables.map(\.name))
/// }
/// ```
///
/// When the database is closed, or its last reference is released, the stream gives the changes
/// that were committed until then, and finishes.
public struct DatabaseChangeStream: AsyncSequence, Sendable {
  /// The changes of one write.
  public typealias Element = DatabaseChanges
  /// The stream never fails.
  public typealias Failure = Never

  private let feed: ChangeFeed<DatabaseChanges>

  init(_ feed: ChangeFeed<DatabaseChanges>) {
    self.feed = feed
  }

  /// Returns an iterator over the changes, in the order of the commits. If a stream has several
  /// iterators, each element is given to only one of them.
  public func makeAsyncIterator() -> ChangeIterator<DatabaseChanges> {
    ChangeIterator(feed)
  }
}
