import SQLCore

/// The changes of one transaction in the watched tables, shared by all observers.
final class Commit: Sendable {
  /// The number of the commit among those of the database, from 1.
  let sequence: UInt64
  /// The changes of each write that shared the transaction, in their order, without the writes that
  /// changed nothing.
  let writes: [WriteChanges]
  /// The number of changed rows in all writes.
  let rowCount: Int
  /// Set if any table may have changed: the event that says why.
  let everything: TableEvent?

  init(sequence: UInt64, writes: [WriteChanges]) {
    self.sequence = sequence
    self.writes = writes
    rowCount = writes.reduce(0) { $0 + $1.tables.values.reduce(0) { $0 + $1.rows.count } }
    everything = nil
  }

  /// Creates a commit that may have touched any table.
  init(everything: TableEvent) {
    sequence = 0
    writes = []
    rowCount = 0
    self.everything = everything
  }
}

/// The changes of one `write`.
struct WriteChanges: Sendable {
  let label: String?
  /// The author of the write, if it named one.
  var author: String?
  var tables: [QualifiedTableName: NettedTable] = [:]
  /// The reason why predicates could not be tested on the rows; nil if they were, or if there are
  /// none.
  var unfilteredReason: String?
}
