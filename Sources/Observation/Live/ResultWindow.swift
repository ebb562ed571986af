import SQLCore

/// The rows that a maintained query holds: all rows or, with a limit, the first rows and some in
/// reserve. A deleted row can be replaced from the reserve without a query.
struct ResultWindow: Sendable {
  private(set) var entries: PersistentSequence<ResultEntry>
  /// The entries in the order of their keys; nil if `entries` are in that order already.
  private(set) var byKey: PersistentSequence<ResultEntry>?
  /// The keys by their parts, such as the keys of joined tables.
  private var indexes: [KeyIndex]
  /// The last row up to which all rows are held; nil if all rows of the query are held.
  private var frontier: ResultEntry?
  private let arrangement: ResultArrangement
  /// Further rows from which the rows of the result are made.
  var parts: [ResultWindow] = []

  /// - Parameters:
  ///   - indexedPlaces: the places of the key parts that are indexed, so that rows are also found
  ///     by them.
  ///   - indexesNull: whether a row whose key has NULL at such a place can be found by it.
  init(
    _ rows: [ResultEntry], in arrangement: ResultArrangement, indexedPlaces: [Range<Int>] = [],
    indexesNull: Bool = false
  ) {
    entries = PersistentSequence(rows)
    self.arrangement = arrangement
    indexes = indexedPlaces.map { KeyIndex(of: rows, at: $0, keepsNull: indexesNull) }
    if !arrangement.order.isByKey {
      byKey = PersistentSequence(rows.sorted { $0.key.compare($1.key) < 0 })
    }
    if let count = arrangement.fetchCount, rows.count >= count { frontier = rows.last }
  }

  var order: RowOrder { arrangement.order }

  /// The entries that are within the query's limit and offset.
  var range: Range<Int> {
    let start = min(arrangement.offset, entries.count)
    guard let limit = arrangement.limit else { return start..<entries.count }
    return start..<min(entries.count, start + min(limit, entries.count))
  }

  /// Returns whether a result with the same arrangement has the same rows, including the values that are
  /// not shown.
  func hasSameRows(as other: ResultWindow) -> Bool {
    guard parts.isEmpty, other.parts.isEmpty, entries.count == other.entries.count else {
      return false
    }
    return (0..<entries.count).allSatisfy { index in
      let (own, other) = (entries[index], other.entries[index])
      return own.fingerprint == other.fingerprint && own.key == other.key
        && own.order == other.order && own.aggregates == other.aggregates
    }
  }

  /// Whether the query may have more rows than are held.
  var hasFrontier: Bool { frontier != nil }

  /// Whether rows of the result are missing: more were removed than were in reserve.
  var isShort: Bool {
    guard frontier != nil, let limit = arrangement.limit else { return false }
    return entries.count < limit + arrangement.offset
  }

  func entry(of key: RowKey) -> ResultEntry? {
    entries.entry(of: key, byKey: byKey)
  }

  /// Returns the entries whose keys begin with the given values, in the order of their keys.
  func entries(withFirst values: [DatabaseValue]) -> [ResultEntry] {
    let entries = byKey ?? self.entries
    let start = entries.partitioningIndex { $0.key.compare(toFirst: values) >= 0 }
    return entries.run(from: start) { $0.key.compare(toFirst: values) == 0 }
      .filter { $0.key.values.starts(with: values) }
  }

  /// Returns the keys that have the given values at the given places. The places must be the first
  /// places or the places of an index.
  func keys(with values: [DatabaseValue], at places: Range<Int>) -> [[DatabaseValue]] {
    guard let index = indexes.first(where: { $0.places == places }) else {
      return entries(withFirst: values).map(\.key.values)
    }
    return index.keys(with: values)
  }

  func index(of entry: ResultEntry) -> Int? {
    entries.index(of: entry, order)
  }

  /// Replaces a row by the row with the same key, and returns the place if it is the same for both.
  mutating func replace(_ old: ResultEntry, by new: ResultEntry) -> Int? {
    guard order.compare(old, new) == 0, let index = index(of: old) else { return nil }
    entries.replace(at: index, with: new)
    replaceByKey(new)
    return index
  }

  /// Moves a row to the place of the row with the same key that replaces it. If that place is after
  /// all held rows, removes the row and returns false.
  mutating func move(_ old: ResultEntry, to new: ResultEntry) -> Bool {
    if let frontier, order.compare(frontier, new) < 0 {
      remove(old)
      return false
    }
    // Its place in the order of the keys does not change.
    if let index = index(of: old) { entries.remove(at: index) }
    entries.insert(new, at: entries.partitioningIndex { order.compare($0, new) >= 0 })
    replaceByKey(new)
    return true
  }

  mutating func remove(_ entry: ResultEntry) {
    for place in indexes.indices { indexes[place].remove(entry.key.values) }
    if let index = index(of: entry) { entries.remove(at: index) }
    guard let index = placeByKey(of: entry), isByKey(entry, at: index) else { return }
    byKey?.remove(at: index)
  }

  /// Inserts a row at its place. Returns false if that is after all held rows.
  mutating func insert(_ entry: ResultEntry) -> Bool {
    if let frontier, order.compare(frontier, entry) < 0 { return false }
    entries.insert(entry, at: entries.partitioningIndex { order.compare($0, entry) >= 0 })
    if let index = placeByKey(of: entry) { byKey?.insert(entry, at: index) }
    for place in indexes.indices { indexes[place].insert(entry.key.values) }
    return true
  }

  private mutating func replaceByKey(_ entry: ResultEntry) {
    guard let index = placeByKey(of: entry), isByKey(entry, at: index) else { return }
    byKey?.replace(at: index, with: entry)
  }

  // A copy of `byKey`, even a temporary one, would make its nodes shared, so that a change copies
  // them.

  /// Returns the place of a row in the order of the keys, or the place where it belongs; nil if
  /// `entries` are in that order.
  private func placeByKey(of entry: ResultEntry) -> Int? {
    byKey?.partitioningIndex { $0.key.compare(entry.key) >= 0 }
  }

  private func isByKey(_ entry: ResultEntry, at index: Int) -> Bool {
    guard let byKey else { return false }
    return index < byKey.count && byKey[index].key == entry.key
  }

  /// Drops the reserve beyond the usual size once it is more than twice as large.
  mutating func trim() {
    guard let count = arrangement.fetchCount, entries.count > 2 * count else { return }
    while entries.count > count { remove(entries[entries.count - 1]) }
    frontier = entries[entries.count - 1]
  }
}
