import SQLCore

/// The net change of one row, with its values. It is used where the rows of several commits are
/// netted together.
struct NettedRowValues: Sendable {
  let key: RowKey
  /// The recorded values before; nil if the row did not exist.
  var old: [DatabaseValue]?
  /// The recorded values after; nil if the row is gone.
  var new: [DatabaseValue]?

  var isEmpty: Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): old == new
    default: false
    }
  }
}

/// The changes of one table, netted by row: the first old state and the last new one.
struct NettedRows {
  private var places: [RowKey: Int] = [:]
  private var changes: [NettedRowValues] = []

  mutating func add(_ change: NettedRowValues) {
    if let index = places[change.key] {
      changes[index].new = change.new
      return
    }
    places[change.key] = changes.count
    changes.append(change)
  }

  /// The rows that differ, in the order in which they were first changed.
  var rows: [NettedRowValues] { changes.filter { !$0.isEmpty } }
}
