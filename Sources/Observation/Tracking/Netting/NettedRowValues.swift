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

extension NettedRowValues {
  /// Returns one element for each row, with its first old state and its last new state. Rows that
  /// end as they were are left out; the others keep the order in which they were first changed.
  static func netted(_ rows: [NettedRowValues]) -> [NettedRowValues] {
    var indices: [RowKey: Int] = [:]
    var netted: [NettedRowValues] = []
    for row in rows {
      if let index = indices[row.key] {
        netted[index].new = row.new
      } else {
        indices[row.key] = netted.count
        netted.append(row)
      }
    }
    return netted.filter { !$0.isEmpty }
  }
}
