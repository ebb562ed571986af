extension Database {
  /// The counts of the cached rows of all models since the database was opened, by the names of
  /// their tables.
  ///
  /// ```swift
  /// for (table, counts) in db.cacheStatistics { print(table, counts.hits, counts.misses) }
  /// ```
  ///
  /// It is meant for metrics: it has a model from the first read that might use its cache, takes a
  /// lock for a moment, and runs no SQL. `cacheStatistics(of:)` has the counts of one model.
  public var cacheStatistics: [String: CacheStatistics] {
    _cache?.statistics(of: .rows) ?? [:]
  }

  /// The counts of the cached results of all models since the database was opened, by the names of
  /// their tables. `resultCacheStatistics(of:)` has the counts of one model.
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
  /// The counts, with the entries that the cache holds now.
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
