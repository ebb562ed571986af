import SQLCore

/// The rows that a maintained query holds: all of them, or with a limit the first ones and some in
/// reserve, so that a row that goes is replaced without asking the database.
struct ResultWindow: Sendable {
  private(set) var entries: PersistentSequence<ResultEntry>
  /// In the order of their keys; nil where `entries` stand so.
  private(set) var byKey: PersistentSequence<ResultEntry>?
  /// The last row up to which all are held; nil where all are.
  private var frontier: ResultEntry?
  let order: RowOrder
  private let limit: Int?
  private let offset: Int

  /// How many rows a fetch asks for; nil for all.
  static func fetchCount(limit: Int?, offset: Int) -> Int? {
    guard let limit else { return nil }
    let (needed, overflow) = limit.addingReportingOverflow(offset)
    guard !overflow, needed < Int.max / 4 else { return nil }
    return needed + max(32, needed / 2)
  }

  init(_ rows: [ResultEntry], order: RowOrder, limit: Int?, offset: Int) {
    entries = PersistentSequence(rows)
    self.order = order
    self.limit = limit
    self.offset = offset
    if !order.isByKey {
      byKey = PersistentSequence(rows.sorted { $0.key.compare($1.key) < 0 })
    }
    if let count = Self.fetchCount(limit: limit, offset: offset), rows.count >= count {
      frontier = rows.last
    }
  }

  /// What the query's limit and offset let through.
  var range: Range<Int> {
    let start = min(offset, entries.count)
    return
      start..<(limit.map { min(entries.count, start + min($0, entries.count)) } ?? entries.count)
  }

  /// Whether rows are missing that the query gives: more went than were in reserve.
  var isShort: Bool {
    guard frontier != nil, let limit else { return false }
    return entries.count < limit + offset
  }

  func entry(of key: RowKey) -> ResultEntry? {
    entries.entry(of: key, byKey: byKey)
  }

  func index(of entry: ResultEntry) -> Int? {
    entries.index(of: entry, order)
  }

  /// Puts a row in the place of the one with the same key; false where it comes behind what is
  /// held.
  mutating func update(_ old: ResultEntry, to new: ResultEntry) -> Bool {
    if order.compare(old, new) == 0, let index = index(of: old) {
      entries.replace(at: index, with: new)
      replaceByKey(new)
      return true
    }
    if let frontier, order.compare(frontier, new) < 0 {
      remove(old)
      return false
    }
    // Its place among the keys stays.
    if let index = index(of: old) { entries.remove(at: index) }
    entries.insert(new, at: entries.partitioningIndex { order.compare($0, new) >= 0 })
    replaceByKey(new)
    return true
  }

  mutating func remove(_ entry: ResultEntry) {
    if let index = index(of: entry) { entries.remove(at: index) }
    guard let index = placeByKey(of: entry), isByKey(entry, at: index) else { return }
    byKey?.remove(at: index)
  }

  /// Puts a row at its place; false where that is behind what is held.
  mutating func insert(_ entry: ResultEntry) -> Bool {
    if let frontier, order.compare(frontier, entry) < 0 { return false }
    entries.insert(entry, at: entries.partitioningIndex { order.compare($0, entry) >= 0 })
    if let index = placeByKey(of: entry) { byKey?.insert(entry, at: index) }
    return true
  }

  private mutating func replaceByKey(_ entry: ResultEntry) {
    guard let index = placeByKey(of: entry), isByKey(entry, at: index) else { return }
    byKey?.replace(at: index, with: entry)
  }

  // A copy of the tree, even for a moment, would have it copy its nodes when it changes.

  /// Where a row stands, or would stand, in the order of the keys; nil where `entries` stand so.
  private func placeByKey(of entry: ResultEntry) -> Int? {
    byKey?.partitioningIndex { $0.key.compare(entry.key) >= 0 }
  }

  private func isByKey(_ entry: ResultEntry, at index: Int) -> Bool {
    guard let byKey else { return false }
    return index < byKey.count && byKey[index].key == entry.key
  }

  /// Gives up what is more in reserve than is worth it.
  mutating func trim() {
    guard let count = Self.fetchCount(limit: limit, offset: offset), entries.count > 2 * count
    else { return }
    while entries.count > count { remove(entries[entries.count - 1]) }
    frontier = entries[entries.count - 1]
  }
}
