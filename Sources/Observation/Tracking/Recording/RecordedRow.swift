/// A change of one row by a statement, as the hook reported it. Its values are in the log's
/// `RecordedValues`.
struct RecordedRow {
  /// The place of the table among the tracked ones.
  let table: Int
  /// The length of the log's values before this row.
  let start: Int
  /// The key before and after, in the form of `NettedRow.key`; equal if it did not change.
  var oldKey: Int64 = 0
  var newKey: Int64 = 0
  /// The state of the row before; −1 for an insertion.
  var old = -1
  /// The state of the row after; −1 for a deletion.
  var new = -1
  /// Whether a trigger or a foreign-key action made the change.
  var isNested = false
  /// Whether the row stays but its new values are unknown, as after a write to an incremental BLOB.
  var isUnknown = false
  /// The log's position when the row was appended.
  var position = 0
}

/// The net change of one row in a write, with the places of its values in `RecordedValues`.
struct NettedRow: Sendable {
  /// The rowid. If the key is made of other columns: the state that holds their values, followed by
  /// the rowid if one of them is NULL.
  let key: Int64
  /// The state of the recorded values before; −1 if the row did not exist.
  var old: Int
  /// The state of the recorded values after; −1 if the row is gone.
  var new: Int
}
