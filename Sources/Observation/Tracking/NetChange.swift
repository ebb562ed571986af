import SQLCore

/// What was done to one row in the end, with its values: where the rows of several commits are
/// looked at together.
struct NetChange: Sendable {
  let key: RowKey
  /// The recorded values before; nil where the row was not there.
  var old: [DatabaseValue]?
  /// The recorded values after; nil where the row is gone.
  var new: [DatabaseValue]?

  var isEmpty: Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): old == new
    default: false
    }
  }
}

/// The changes of one table, folded by row: the first old state, the last new one.
struct NettedRows {
  private var places: [RowKey: Int] = [:]
  private var changes: [NetChange] = []

  mutating func add(_ change: NetChange) {
    if let index = places[change.key] {
      changes[index].new = change.new
      return
    }
    places[change.key] = changes.count
    changes.append(change)
  }

  /// The rows that differ, in the order in which they were first touched.
  var rows: [NetChange] { changes.filter { !$0.isEmpty } }
}
