/// A value that is cached: a row, or the result of a query.
///
/// A cached value never changes, so a thread may still read it after another thread has removed it
/// from the cache.
@usableFromInline
package protocol CachedValue: AnyObject, Sendable {}

/// An entry of a cache.
package final class CacheEntry: Sendable {
  package let value: any CachedValue
  /// The estimated memory of the entry, in bytes.
  package let byteCount: Int
  /// The number of rows by which the entry counts towards the limit of the cache. It is at least 1,
  /// even if the entry is an empty result.
  let rowCount: Int
  /// The rowid of a cached row. Nil if the entry is a result, or if the row's rowid is not known.
  package let rowID: Int64?
  /// The names, in lower case, of the tables from which a result was read. Empty for a row.
  let tables: [String]
  /// The key of the entry. Nil for a key of 8 bytes, because the `CacheTable` itself stores such a
  /// key.
  private let key: [UInt8]?

  package init(
    _ value: any CachedValue, for key: CacheKey, byteCount: Int, rowID: Int64? = nil,
    rowCount: Int = 1, tables: [String] = []
  ) {
    self.value = value
    self.byteCount = byteCount
    self.rowCount = max(1, rowCount)
    self.rowID = rowID
    self.tables = tables
    if case .word = key { self.key = nil } else { self.key = key.withBytes { Array($0) } }
  }

  /// Returns whether the entry stores a key that equals the given key. An entry does not store a
  /// key of 8 bytes, so this method cannot compare such keys.
  @inline(__always)
  func hasKey(_ other: CacheKey) -> Bool {
    guard let key else { return false }
    return other.withBytes { $0.elementsEqual(key) }
  }
}

/// The key of a cached value.
@usableFromInline
package enum CacheKey: Sendable {
  /// A key of 8 bytes, such as an integer.
  case word(UInt64)
  /// Any other key.
  case bytes([UInt8])
  /// A text, compared by its UTF-8 bytes.
  case text(String)

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch self {
    case .word(let word):
      return withUnsafeBytes(of: word) { body($0.assumingMemoryBound(to: UInt8.self)) }
    case .bytes(let bytes): return bytes.withUnsafeBufferPointer(body)
    case .text(var text): return text.withUTF8(body)
    }
  }
}

/// The bounds of a cache.
package struct CacheLimits: Hashable, Sendable {
  /// The maximum number of rows.
  package let rows: Int
  /// The maximum number of bytes that the entries take.
  package let bytes: Int

  package init(rows: Int, bytes: Int) {
    self.rows = rows
    self.bytes = bytes
  }
}

/// The cache of one model: its rows, or the results of queries whose first table is the model's
/// table.
///
/// `@unchecked Sendable`: it is used only under the lock of its `DatabaseCache`.
final class ModelCache: @unchecked Sendable {
  let model: CachedModel
  let entries: CacheTable
  var statistics = CacheStatistics()

  init(_ model: CachedModel) {
    self.model = model
    entries = CacheTable(model.limits)
  }

  /// Removes all entries. Returns a new `CacheTable` with the removed entries.
  func removeAll() -> CacheTable {
    statistics.invalidations += entries.count
    return entries.takeAll()
  }

  /// Removes and returns the entries that may be outdated, because a commit has touched the given
  /// rows.
  func remove(_ touched: TouchedRows) -> [CacheEntry] {
    guard entries.count > 0 else { return [] }
    let removed =
      switch model.content {
      case .rows: removeRows(touched)
      case .results: touched.tableNames.flatMap { entries.removeReaders(of: $0) }
      }
    statistics.invalidations += removed.count
    return removed
  }

  private func removeRows(_ touched: TouchedRows) -> [CacheEntry] {
    guard let table = touched.table(model.table) else { return [] }
    guard !table.isWhole else { return entries.removeAll { _ in true } }
    // The rowid of a cached row may be unknown, as in a table WITHOUT ROWID. Each such row may be
    // one of the touched rows, so all of them are removed.
    var removed = entries.removeUnnumbered()
    for row in table.rowIDs {
      if let entry = entries.removeRow(row) { removed.append(entry) }
    }
    return removed
  }
}
