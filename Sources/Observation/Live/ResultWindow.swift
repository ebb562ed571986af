import SQLCore

/// The rows that a maintained query holds: all of them, or with a limit the first ones and some in
/// reserve, so that a row that goes is replaced without asking the database.
struct ResultWindow<Row: Sendable>: Sendable {
  private(set) var entries: PersistentSequence<ResultEntry<Row>>
  /// In the order of their keys; nil where `entries` stand so.
  private(set) var byKey: PersistentSequence<ResultEntry<Row>>?
  /// The last row up to which all are held; nil where all are.
  private var frontier: ResultEntry<Row>?
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

  init(_ rows: [ResultEntry<Row>], order: RowOrder, limit: Int?, offset: Int) {
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

  func entry(of key: RowKey) -> ResultEntry<Row>? {
    entries.entry(of: key, byKey: byKey)
  }

  func index(of entry: ResultEntry<Row>) -> Int? {
    entries.index(of: entry, order)
  }

  /// Puts a row in the place of the one with the same key; false where it comes behind what is
  /// held.
  mutating func update(_ old: ResultEntry<Row>, to new: ResultEntry<Row>) -> Bool {
    if order.compare(old, new) == 0, let index = index(of: old) {
      entries.replace(at: index, with: new)
      replaceByKey(new)
      return true
    }
    remove(old)
    return insert(new)
  }

  mutating func remove(_ entry: ResultEntry<Row>) {
    if let index = index(of: entry) { entries.remove(at: index) }
    guard let byKey else { return }
    let index = byKey.partitioningIndex { $0.key.compare(entry.key) >= 0 }
    if index < byKey.count, byKey[index].key == entry.key { self.byKey?.remove(at: index) }
  }

  /// Puts a row at its place; false where that is behind what is held.
  mutating func insert(_ entry: ResultEntry<Row>) -> Bool {
    if let frontier, order.compare(frontier, entry) < 0 { return false }
    entries.insert(entry, at: entries.partitioningIndex { order.compare($0, entry) >= 0 })
    if let byKey {
      let index = byKey.partitioningIndex { $0.key.compare(entry.key) >= 0 }
      self.byKey?.insert(entry, at: index)
    }
    return true
  }

  private mutating func replaceByKey(_ entry: ResultEntry<Row>) {
    guard let byKey else { return }
    let index = byKey.partitioningIndex { $0.key.compare(entry.key) >= 0 }
    if index < byKey.count { self.byKey?.replace(at: index, with: entry) }
  }

  /// Gives up what is more in reserve than is worth it.
  mutating func trim() {
    guard let count = Self.fetchCount(limit: limit, offset: offset), entries.count > 2 * count
    else { return }
    while entries.count > count { remove(entries[entries.count - 1]) }
    frontier = entries[entries.count - 1]
  }
}
