import QueryDSL
import SQLCore

/// The rows of a live query at one moment, with the difference from the moment before.
///
/// It is a value that never changes: the next result shares with it every row that stayed, and what
/// a change costs does not depend on how many rows there are. An index is found in as many steps as
/// the tree is deep, five for a million rows; walking costs little more than an array does.
public struct Results<Row: Sendable>: RandomAccessCollection, Sendable {
  let entries: PersistentSequence<ResultEntry>
  /// Which of the entries the query's limit and offset let through.
  let range: Range<Int>
  /// The entries in the order of their keys; nil where `entries` stand so.
  let byKey: PersistentSequence<ResultEntry>?
  /// nil where rows have no key.
  let order: RowOrder?
  /// What turns the result before into this one; in the first one, every row is inserted.
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

  /// A result without rows.
  public init() {
    self.init(
      PersistentSequence(), in: 0..<0, byKey: nil, order: nil, difference: ResultsDifference())
  }

  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index behind the last row; the number of rows.
  public var endIndex: Int { range.count }

  /// The row at an index.
  public subscript(position: Int) -> Row {
    precondition(position >= 0 && position < range.count, "there is no row \(position)")
    return entries[range.lowerBound + position].row(as: Row.self)
  }

  /// Walks over the rows, a leaf of the tree at a time.
  public func makeIterator() -> Iterator {
    Iterator(entries: entries, range: range)
  }

  /// Walks over the rows of a result.
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

    /// The next row.
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
  /// The index of the row with that key, in as many steps as an index takes; nil where it is not
  /// among the rows, and where the query is one that runs again.
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

  /// The row with that key; nil where `index(ofID:)` is.
  public subscript(id id: Row.ID) -> Row? {
    index(ofID: id).map { self[$0] }
  }
}

extension Results: Equatable where Row: Equatable {
  /// Whether the rows are equal, and in the same order.
  public static func == (left: Results, right: Results) -> Bool {
    left.elementsEqual(right)
  }
}

extension Results: ExpressibleByArrayLiteral {
  /// A result of these rows: for previews and tests.
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
  /// The entry of a key, in these entries or in those that stand in the order of keys.
  func entry(of key: RowKey, byKey: PersistentSequence<ResultEntry>?) -> ResultEntry? {
    let entries = byKey ?? self
    let index = entries.partitioningIndex { $0.key.compare(key) >= 0 }
    guard index < entries.count else { return nil }
    let entry = entries[index]
    return entry.key == key ? entry : nil
  }

  /// Where an entry stands, or one like it in order and key; nil where there is none.
  func index(of entry: ResultEntry, _ order: RowOrder) -> Int? {
    let index = partitioningIndex { order.compare($0, entry) >= 0 }
    return index < count && self[index].key == entry.key ? index : nil
  }
}
