import SQLCore

/// A row of a result, seen without its type: its key, its place in the order and its fingerprint.
/// The code that keeps results up to date works on entries, and so is the same for rows of every
/// type.
///
/// `@unchecked Sendable`: neither this class nor its only subclass has mutable properties.
class ResultEntry: @unchecked Sendable {
  /// Identifies the row in its table; the same value for all rows if the result is not maintained.
  final let key: RowKey
  /// The values of the query's ORDER BY terms.
  final let order: [DatabaseValue]
  /// The values of the aggregates from which the row is calculated, if it is a maintained group.
  final let aggregates: [DatabaseValue]
  /// Stands for the stored values of the row: two rows with equal fingerprints count as equal. It
  /// is a 64-bit hash with a seed that each process draws at random.
  final let fingerprint: UInt64

  fileprivate init(
    key: RowKey, order: [DatabaseValue], aggregates: [DatabaseValue], fingerprint: UInt64
  ) {
    self.key = key
    self.order = order
    self.aggregates = aggregates
    self.fingerprint = fingerprint
  }

  /// Returns the row, whose type must be that of the result.
  @inline(__always)
  final func row<Row: Sendable>(as type: Row.Type) -> Row {
    // The entries of a result are created for its rows only, so the type is known.
    unsafeDowncast(self, to: ResultRowEntry<Row>.self).row
  }
}

/// A row of a result, with its value.
final class ResultRowEntry<Row: Sendable>: ResultEntry, @unchecked Sendable {
  let row: Row

  init(
    key: RowKey, order: [DatabaseValue], aggregates: [DatabaseValue] = [], fingerprint: UInt64,
    row: Row
  ) {
    self.row = row
    super.init(key: key, order: order, aggregates: aggregates, fingerprint: fingerprint)
  }

  /// Creates an entry for a row that has no key.
  init(_ row: Row, _ fingerprint: UInt64) {
    self.row = row
    super.init(key: .rowID(0), order: [], aggregates: [], fingerprint: fingerprint)
  }
}
