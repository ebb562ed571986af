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
  /// The number of reads that the cache did not answer.
  public package(set) var misses = 0
  /// The number of entries that were removed because the cache was full.
  public package(set) var evictions = 0
  /// The number of entries that were removed because a commit has changed, or may have changed,
  /// their data.
  public package(set) var invalidations = 0
  /// The number of entries that the cache holds.
  public package(set) var count = 0
  /// The estimated memory of the entries, in bytes.
  public package(set) var byteCount = 0

  package init() {}
}

extension Database {
  /// The counts of each model's cached rows since the database was opened. The key is the name of
  /// the model's table.
  ///
  /// ```swift
  /// for (table, counts) in db.cacheStatistics { print(table, counts.hits, counts.misses) }
  /// ```
  ///
  /// This property is meant for metrics. Reading it takes a lock for a moment, and runs no SQL. A
  /// model is included after the first read that looks into its cache. `cacheStatistics(of:)`
  /// returns the counts of one model.
  public var cacheStatistics: [String: CacheStatistics] {
    _cache?.statistics(of: .rows) ?? [:]
  }

  /// The counts of each model's cached results since the database was opened. The key is the name
  /// of the model's table. `resultCacheStatistics(of:)` returns the counts of one model.
  public var resultCacheStatistics: [String: CacheStatistics] {
    _cache?.statistics(of: .results) ?? [:]
  }
}

extension DatabaseCache {
  fileprivate func statistics(of content: CachedModel.Content) -> [String: CacheStatistics] {
    state.withLock { state in
      state.models.reduce(into: [:]) { counts, cache in
        guard let cache = cache?.takeUnretainedValue(), cache.model.content == content else {
          return
        }
        counts[cache.model.name, default: CacheStatistics()].add(cache.currentStatistics)
      }
    }
  }
}

extension ModelCache {
  /// The statistics of the model, with the present `count` and `byteCount`.
  var currentStatistics: CacheStatistics {
    var current = statistics
    current.count = entries.count
    current.byteCount = entries.byteCount
    return current
  }
}

extension CacheStatistics {
  fileprivate mutating func add(_ other: CacheStatistics) {
    hits &+= other.hits
    misses &+= other.misses
    evictions &+= other.evictions
    invalidations &+= other.invalidations
    count &+= other.count
    byteCount &+= other.byteCount
  }
}
