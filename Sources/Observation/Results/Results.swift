import QueryDSL
import SQLCore

/// The rows of a live query at one moment, with the difference from the previous result.
///
/// ```swift
/// for try await posts in db.observe(Post.order(by: \.$title)) {
///   print(posts.count, posts[id: id]?.title ?? "", posts.difference.inserted)
/// }
/// ```
///
/// A result is an immutable value. If the library maintains the result, the next result shares all
/// unchanged rows with it, so the cost of a change does not depend on the number of rows. If the
/// query runs again instead, the next result shares no rows with this one. The rows are in a tree,
/// whose depth is five for a million rows. Access by index takes as many steps as the depth.
/// Iteration costs little more than over an array.
public struct Results<Row: Sendable>: RandomAccessCollection, Sendable {
  let entries: PersistentSequence<ResultEntry>
  /// The indices of the entries that are within the query's limit and offset.
  let range: Range<Int>
  /// The entries in the order of their keys; nil if `entries` are in that order already.
  let byKey: PersistentSequence<ResultEntry>?
  /// The order of the rows; nil if the rows have no keys.
  let order: RowOrder?
  /// The changes that turn the previous result into this result. In the first result, every row is
  /// inserted.
  public let difference: ResultsDifference

  init(
    _ entries: PersistentSequence<ResultEntry>, in range: Range<Int>,
    byKey: PersistentSequence<ResultEntry>?, order: RowOrder?, difference: ResultsDifference
  ) {
    self.entries = entries
    self.range = range
    self.byKey = byKey
    self.order = order
    self.difference = difference
  }

  /// Creates a result without rows.
  public init() {
    self.init(
      PersistentSequence(), in: 0..<0, byKey: nil, order: nil, difference: ResultsDifference())
  }

  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row, which is the number of rows.
  public var endIndex: Int { range.count }

  /// Returns the row at an index.
  public subscript(position: Int) -> Row {
    precondition(position >= 0 && position < range.count, "there is no row \(position)")
    return entries[range.lowerBound + position].row(as: Row.self)
  }

  /// Returns an iterator over the rows. The iterator reads one leaf of the tree at a time.
  public func makeIterator() -> Iterator {
    Iterator(entries: entries, range: range)
  }

  /// An iterator over the rows of a result.
  public struct Iterator: IteratorProtocol {
    private let entries: PersistentSequence<ResultEntry>
    private var position: Int
    private let end: Int
    private var leaf: [ResultEntry] = []
    private var place = 0

    init(entries: PersistentSequence<ResultEntry>, range: Range<Int>) {
      self.entries = entries
      position = range.lowerBound
      end = range.upperBound
    }

    /// Returns the next row, or nil after the last.
    public mutating func next() -> Row? {
      guard position < end else { return nil }
      if place == leaf.count {
        let (elements, start) = entries.leaf(around: position)
        leaf = elements
        place = position - start
      }
      defer {
        place += 1
        position += 1
      }
      return leaf[place].row(as: Row.self)
    }
  }
}

extension Results where Row: Model {
  /// Returns the index of the row with the given key; nil if no row has that key. This takes two
  /// binary searches. Always returns nil if the query is a join. If the query is fetched again
  /// after each change, its rows usually have no keys, and this method then returns nil.
  public func index(ofID id: Row.ID) -> Int? {
    guard let order, let values = try? Row.keyValues(of: id) else { return nil }
    for key in RowKey.candidates(values) {
      if let entry = entries.entry(of: key, byKey: byKey),
        let index = entries.index(of: entry, order), range.contains(index)
      {
        return index - range.lowerBound
      }
    }
    return nil
  }

  /// Returns the row with the given key; nil if `index(ofID:)` returns nil.
  public subscript(id id: Row.ID) -> Row? {
    index(ofID: id).map { self[$0] }
  }
}

extension Results: Equatable where Row: Equatable {
  /// Returns whether both results have equal rows in the same order.
  public static func == (left: Results, right: Results) -> Bool {
    left.elementsEqual(right)
  }
}

extension Results: ExpressibleByArrayLiteral {
  /// Creates a result of the given rows, for previews and tests.
  public init(arrayLiteral rows: Row...) {
    let entries = rows.map {
      ResultRowEntry($0, 0) as ResultEntry
    }
    self.init(
      PersistentSequence(entries), in: 0..<rows.count, byKey: nil, order: nil,
      difference: ResultsDifference())
  }
}

extension PersistentSequence where Element == ResultEntry {
  /// Returns the entry with a key. Searches `byKey` or, if `byKey` is nil, this sequence.
  func entry(of key: RowKey, byKey: PersistentSequence<ResultEntry>?) -> ResultEntry? {
    let entries = byKey ?? self
    let index = entries.partitioningIndex { $0.key.compare(key) >= 0 }
    guard index < entries.count else { return nil }
    let entry = entries[index]
    return entry.key == key ? entry : nil
  }

  /// Returns the index of the entry that has the same order values and the same key as the given
  /// entry; nil if no entry has both.
  func index(of entry: ResultEntry, _ order: RowOrder) -> Int? {
    let index = partitioningIndex { order.compare($0, entry) >= 0 }
    return index < count && self[index].key == entry.key ? index : nil
  }
}

/// A row of a result, without the Swift type of the row. An entry has the row's key, its order
/// values and its fingerprint. The code that keeps results up to date works on entries, so this
/// code is the same for all types of rows.
///
/// `@unchecked Sendable`: neither this class nor its only subclass has mutable properties.
class ResultEntry: @unchecked Sendable {
  /// The key that identifies the row. If the result is not maintained, all rows have the same
  /// placeholder as their key.
  final let key: RowKey
  /// The values of the query's ORDER BY terms.
  final let order: [DatabaseValue]
  /// Further values that the plan of a maintained query keeps with the row. If the row is a group,
  /// they are the values of the aggregates from which the row is calculated.
  final let aggregates: [DatabaseValue]
  /// A 64-bit hash of the row's stored values. Two rows with equal fingerprints count as equal.
  /// Each process draws the seed of the hash at random.
  final let fingerprint: UInt64

  fileprivate init(
    key: RowKey, order: [DatabaseValue], aggregates: [DatabaseValue], fingerprint: UInt64
  ) {
    self.key = key
    self.order = order
    self.aggregates = aggregates
    self.fingerprint = fingerprint
  }

  /// Returns the row. `type` must be the type with which the entry was created.
  @inline(__always)
  final func row<Row: Sendable>(as type: Row.Type) -> Row {
    // The cast is safe, because a result has only entries that were created with its row type.
    unsafeDowncast(self, to: ResultRowEntry<Row>.self).row
  }
}

/// A row of a result, with the Swift value of the row.
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
