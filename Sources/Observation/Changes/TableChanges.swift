import SQLCore

/// The changes of one write in one table.
public struct TableChanges: Sendable {
  /// `main`, or the name under which the table's database is attached.
  public let schema: String
  /// The name of the table.
  public let name: String
  /// The rows that differ, in the order in which they were first changed.
  public let rows: [AnyRowChange]
  /// Further events of the table. If there are any, `rows` may be incomplete.
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
