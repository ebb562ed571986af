import SQLCore

/// One row that a statement changed, as the hook told it.
struct RowEvent {
  /// The place of the table among the tracked ones.
  let table: Int
  /// The row before; nil for an insertion.
  let old: State?
  /// The row after; nil for a deletion.
  let new: State?
  /// Whether a trigger or a foreign-key action did it.
  let isNested: Bool
  /// Whether the row stays and what it holds afterwards is not told: an incremental BLOB.
  var isUntold = false
  /// When it came, by the log's own count.
  var position = 0

  struct State {
    let key: RowKey
    let values: [DatabaseValue]
  }
}

/// What a write did to one row in the end.
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
  private(set) var changes: [NetChange] = []
  /// The rows whose last state is not told.
  private var untold: Set<Int> = []

  mutating func add(_ event: RowEvent) {
    // A row whose key changes is another row: the old one goes, the new one comes.
    if let old = event.old, !event.isUntold, event.new?.key != old.key {
      touch(old.key, old: old.values, new: nil)
      if let new = event.new { touch(new.key, old: nil, new: new.values) }
    } else if let old = event.old, event.isUntold {
      untold.insert(touch(old.key, old: old.values, new: old.values))
    } else if let new = event.new {
      touch(new.key, old: event.old?.values, new: new.values)
    }
  }

  mutating func add(_ change: NetChange) {
    touch(change.key, old: change.old, new: change.new)
  }

  @discardableResult
  private mutating func touch(
    _ key: RowKey, old: [DatabaseValue]?, new: [DatabaseValue]?
  ) -> Int {
    if let index = places[key] {
      changes[index].new = new
      untold.remove(index)
      return index
    }
    places[key] = changes.count
    changes.append(NetChange(key: key, old: old, new: new))
    return changes.count - 1
  }

  /// Asks for the states that were not told.
  mutating func complete(_ read: (RowKey) throws -> [DatabaseValue]?) rethrows {
    for index in untold { changes[index].new = try read(changes[index].key) }
    untold = []
  }

  /// The rows that differ, in the order in which they were first touched.
  var rows: [NetChange] { changes.filter { !$0.isEmpty } }
}
