/// A value that is cached: a row, or the result of a query.
///
/// It never changes, so a thread may read it after another thread has removed it.
@usableFromInline
package protocol CachedValue: AnyObject, Sendable {}

/// An entry of a cache.
package final class CacheEntry: Sendable {
  package let value: any CachedValue
  /// The memory that the entry takes, in bytes, as far as it is known.
  package let byteCount: Int
  /// The number of rows of a result, at least 1.
  let rowCount: Int
  /// The rowid of a row; nil if it is not known.
  package let rowID: Int64?
  /// The names of the tables, in lower case, from which a result was read.
  let tables: [String]
  /// The key; nil if it has 8 bytes, which the table keeps.
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

  /// Whether the entry has that key, which does not have 8 bytes.
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
  /// The key is the text, as its UTF-8.
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

/// The counts of a model's cache, whose entries are rows (`Cached()`) or results of queries
/// (`CachedResults()`).
///
/// ```swift
/// let statistics = try db.cacheStatistics(of: Post.self)
/// print(statistics.hits, statistics.misses)
/// ```
public struct CacheStatistics: Hashable, Sendable {
  /// The number of reads that the cache answered.
  public package(set) var hits = 0
  /// The number of reads that it did not answer.
  public package(set) var misses = 0
  /// The number of entries that were removed because the cache was full.
  public package(set) var evictions = 0
  /// The number of entries that were removed because a commit touched them, or might have.
  public package(set) var invalidations = 0
  /// The number of entries that the cache holds.
  public package(set) var count = 0
  /// The number of bytes that they take, as far as it is known.
  public package(set) var byteCount = 0

  package init() {}
}
