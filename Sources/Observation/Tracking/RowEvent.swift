import SQLCore

/// What names a row: its rowid, or the values of its primary key.
enum RowKey: Hashable, Sendable {
  case rowID(Int64)
  case values([DatabaseValue])

  /// The values of the key columns.
  var values: [DatabaseValue] {
    switch self {
    case .rowID(let id): [.integer(id)]
    case .values(let values): values
    }
  }
}

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

  struct State {
    let key: RowKey
    let values: [DatabaseValue]
  }
}

/// What a transaction did to one row in the end.
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

/// A row of a table.
private struct RowPlace: Hashable {
  let table: Int
  let key: RowKey
}

extension Collection<RowEvent> {
  /// The events folded by table and row: the first old state, the last new one, nothing where they
  /// are equal. The rows come in the order in which they were first touched.
  func netted() -> [Int: [NetChange]] {
    var places: [RowPlace: Int] = [:]
    var changes: [(table: Int, change: NetChange)] = []
    func touch(_ table: Int, _ key: RowKey, old: [DatabaseValue]?, new: [DatabaseValue]?) {
      if let index = places[RowPlace(table: table, key: key)] {
        changes[index].change.new = new
      } else {
        places[RowPlace(table: table, key: key)] = changes.count
        changes.append((table, NetChange(key: key, old: old, new: new)))
      }
    }
    for event in self {
      // A row whose key changes is another row: the old one goes, the new one comes.
      if let old = event.old, event.new?.key != old.key {
        touch(event.table, old.key, old: old.values, new: nil)
        if let new = event.new { touch(event.table, new.key, old: nil, new: new.values) }
      } else if let new = event.new {
        touch(event.table, new.key, old: event.old?.values, new: new.values)
      }
    }
    var netted: [Int: [NetChange]] = [:]
    for (table, change) in changes where !change.isEmpty {
      netted[table, default: []].append(change)
    }
    return netted
  }
}
