import SQLCore

/// What one transaction changed in the watched tables, shared by all who watch.
final class Commit: Sendable {
  /// Which of the database's commits it is, from 1.
  let sequence: UInt64
  /// What each of the writes changed that shared the transaction, in their order; those that
  /// changed nothing are left out.
  let writes: [WriteChanges]
  /// How many changed rows it lists.
  let rowCount: Int
  /// Everything may have changed.
  let everything: TableEvent?

  init(sequence: UInt64, writes: [WriteChanges]) {
    self.sequence = sequence
    self.writes = writes
    rowCount = writes.reduce(0) { $0 + $1.tables.values.reduce(0) { $0 + $1.rows.count } }
    everything = nil
  }

  /// Something of which is not known what it touched.
  init(everything: TableEvent) {
    sequence = 0
    writes = []
    rowCount = 0
    self.everything = everything
  }
}

/// What one `write` changed.
struct WriteChanges: Sendable {
  let label: String?
  var tables: [QualifiedTableName: TableRows] = [:]
  /// Why predicates were not asked of the rows, where they should have been.
  var unfilteredReason: String?
}
