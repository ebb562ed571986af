import SQLCore

/// The rows that a maintained query holds. Without a limit, these are all rows. With a limit, these
/// are the first rows and some rows in reserve, so that a deleted row is replaced without a query.
struct ResultWindow: Sendable {
  private(set) var entries: PersistentSequence<ResultEntry>
  /// The entries in the order of their keys; nil if `entries` are in that order already.
  private(set) var byKey: PersistentSequence<ResultEntry>?
  /// Indexes that find rows by a part of their keys, such as the author's key in a join of posts
  /// and authors.
  private var indexes: [KeyIndex]
  /// The row up to which the window holds all rows of the query, in the query's order. Nil if the
  /// window holds all rows of the query.
  private var frontier: ResultEntry?
  private let arrangement: ResultArrangement
  /// Rows that are not shown, but from which the plan makes the rows of the result. Examples are
  /// the rows of each SELECT of a UNION.
  var parts: [ResultWindow] = []

  /// - Parameters:
  ///   - indexedPlaces: the parts of a key by which rows can also be found. Each part is a range of
  ///     indices into the values of the key.
  ///   - indexesNull: whether rows can also be found by a part whose first value is NULL.
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

  /// The indices of the entries that are within the query's limit and offset.
  var range: Range<Int> {
    let start = min(arrangement.offset, entries.count)
    guard let limit = arrangement.limit else { return start..<entries.count }
    return start..<min(entries.count, start + min(limit, entries.count))
  }

  /// Returns whether another window has the same rows, including values that the result does not
  /// show, and the same `frontier`. Both windows must have the same arrangement.
  func hasSameRows(as other: ResultWindow) -> Bool {
    guard parts.isEmpty, other.parts.isEmpty, entries.count == other.entries.count,
      frontier?.key == other.frontier?.key
    else { return false }
    return (0..<entries.count).allSatisfy { index in
      let (own, other) = (entries[index], other.entries[index])
      return own.fingerprint == other.fingerprint && own.key == other.key
        && own.order == other.order && own.aggregates == other.aggregates
    }
  }

  /// Whether the query may have more rows than this window holds.
  var hasFrontier: Bool { frontier != nil }

  /// Whether the window has too few rows for the result, because more rows were removed than were
  /// in reserve.
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

  /// Returns those keys of held rows that have the given values at the given indices of the key.
  /// There must be a `KeyIndex` for these indices, or the indices must be the first ones of a key.
  func keys(with values: [DatabaseValue], at places: Range<Int>) -> [[DatabaseValue]] {
    guard let index = indexes.first(where: { $0.places == places }) else {
      return entries(withFirst: values).map(\.key.values)
    }
    return index.keys(with: values)
  }

  func index(of entry: ResultEntry) -> Int? {
    entries.index(of: entry, order)
  }

  /// Replaces a row by a new row with the same key and the same place in the order, and returns its
  /// index. If the places differ, does nothing and returns nil.
  mutating func replace(_ old: ResultEntry, by new: ResultEntry) -> Int? {
    guard order.compare(old, new) == 0, let index = index(of: old) else { return nil }
    entries.replace(at: index, with: new)
    replaceByKey(new)
    return index
  }

  /// Replaces a row by a new row with the same key but another place in the order. If the new place
  /// is after all held rows, only removes the old row and returns false.
  mutating func move(_ old: ResultEntry, to new: ResultEntry) -> Bool {
    if let frontier, order.compare(frontier, new) < 0 {
      remove(old)
      return false
    }
    // The key does not change, so the row keeps its place in `byKey` and in `indexes`.
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

  /// Inserts a row at its place in the order. If that place is after all held rows, inserts nothing
  /// and returns false.
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

  // Do not copy `byKey`, not even temporarily: the copy would share its nodes, and a change would
  // then copy the nodes.

  /// Returns the index of a row in `byKey`, or the index at which to insert the row there. Nil if
  /// `byKey` is nil.
  private func placeByKey(of entry: ResultEntry) -> Int? {
    byKey?.partitioningIndex { $0.key.compare(entry.key) >= 0 }
  }

  private func isByKey(_ entry: ResultEntry, at index: Int) -> Bool {
    guard let byKey else { return false }
    return index < byKey.count && byKey[index].key == entry.key
  }

  /// Drops the last rows if the window has more than twice as many rows as a fetch gives. The
  /// window then has as many rows as a fetch gives.
  mutating func trim() {
    guard let count = arrangement.fetchCount, entries.count > 2 * count else { return }
    while entries.count > count { remove(entries[entries.count - 1]) }
    frontier = entries[entries.count - 1]
  }
}
