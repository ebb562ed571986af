import SQLCore

/// One row that a statement changed, as the hook told it. Its values stand in the log's
/// `RecordedValues`.
struct RowEvent {
  /// The place of the table among the tracked ones.
  let table: Int
  /// Where the log's values stood before it.
  let start: Int
  /// The key before and after, as `RecordedRow` has it; the same where it did not change.
  var oldKey: Int64 = 0
  var newKey: Int64 = 0
  /// The row before; −1 for an insertion.
  var old = -1
  /// The row after; −1 for a deletion.
  var new = -1
  /// Whether a trigger or a foreign-key action did it.
  var isNested = false
  /// Whether the row stays and what it holds afterwards is not told: an incremental BLOB.
  var isUntold = false
  /// When it came, by the log's own count.
  var position = 0
}

/// What a write did to one row in the end, by where its values stand.
struct RecordedRow: Sendable {
  /// The rowid; where other columns are the key, the state of their values, and behind them the
  /// rowid where one of them is NULL.
  let key: Int64
  /// The state of the recorded values before; −1 where the row was not there.
  var old: Int
  /// The state of the recorded values after; −1 where the row is gone.
  var new: Int
}

extension RecordedValues {
  /// A key, as its state says it.
  func key(_ key: Int64, keyCount: Int?) -> RowKey {
    guard let keyCount else { return .rowID(key) }
    let values = values(of: Int(key), count: keyCount + 1)
    let own = Array(values.dropLast())
    if case .integer(let rowID)? = values.last { return .incomplete(own, rowID: rowID) }
    return .values(own)
  }
}
