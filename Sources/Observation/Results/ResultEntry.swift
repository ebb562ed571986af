import SQLCore

/// A row of a result, with what finds its place.
final class ResultEntry<Row: Sendable>: Sendable {
  /// What names the row in its table; the same for all where the result is not maintained.
  let key: RowKey
  /// The values by which the query orders.
  let order: [DatabaseValue]
  /// Stands for the stored values of the row: two rows with the same one are taken for equal. It is
  /// 64 bits of a hash whose seed each process draws.
  let fingerprint: UInt64
  let row: Row

  init(key: RowKey, order: [DatabaseValue], fingerprint: UInt64, row: Row) {
    self.key = key
    self.order = order
    self.fingerprint = fingerprint
    self.row = row
  }
}
