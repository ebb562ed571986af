import SQLCore

/// A row of a result, without what it holds, with what finds its place: what keeps a result up to
/// date is the same code for rows of every type.
///
/// `@unchecked Sendable`: neither it nor its only subclass has anything that changes.
class ResultEntry: @unchecked Sendable {
  /// What names the row in its table; the same for all where the result is not maintained.
  final let key: RowKey
  /// The values by which the query orders.
  final let order: [DatabaseValue]
  /// Stands for the stored values of the row: two rows with the same one are taken for equal. It is
  /// 64 bits of a hash whose seed each process draws.
  final let fingerprint: UInt64

  fileprivate init(key: RowKey, order: [DatabaseValue], fingerprint: UInt64) {
    self.key = key
    self.order = order
    self.fingerprint = fingerprint
  }

  /// The row of a result of that type.
  @inline(__always)
  final func row<Row: Sendable>(as type: Row.Type) -> Row {
    // The entries of a result are made for its rows, and for no others.
    unsafeDowncast(self, to: ResultRowEntry<Row>.self).row
  }
}

/// A row of a result.
final class ResultRowEntry<Row: Sendable>: ResultEntry, @unchecked Sendable {
  let row: Row

  init(key: RowKey, order: [DatabaseValue], fingerprint: UInt64, row: Row) {
    self.row = row
    super.init(key: key, order: order, fingerprint: fingerprint)
  }

  /// A row that has no key.
  init(_ row: Row, _ fingerprint: UInt64) {
    self.row = row
    super.init(key: .rowID(0), order: [], fingerprint: fingerprint)
  }
}
