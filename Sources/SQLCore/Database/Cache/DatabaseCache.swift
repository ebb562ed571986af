import Synchronization

/// The cached rows and results of a database. Programs do not use it directly. A model is
/// cached if its schema has the line `Cached()` or `CachedResults()`.
/// `Database.cacheStatistics(of:)` returns the counts.
///
/// All entries belong to one *version* of the database. A version is a copy of the header of the
/// wal-index, which is in memory that all processes share. Each commit of any process changes the
/// header. A lookup compares the version with the present header, without a call of SQLite. If they
/// differ, all entries are removed.
///
/// There is one exception. If the next commit after the version is one by this database's own
/// writer, and its hooks reported all changes, only the entries that the commit touched are
/// removed. The header after the commit becomes the new version.
///
/// Two hooks check that no other commit came in between. In the commit hook, while the writer holds
/// the write lock, the header must still be equal to the version. In the WAL hook, after the
/// commit, the header must count exactly one more commit, must contain the length of the log after
/// this commit, and must belong to the same log, not a restarted one.
/// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_file_format>
public final class DatabaseCache: Sendable {
  struct State {
    /// The wal-index, which a reader of the pool has mapped into memory; nil before the first read.
    /// It stays at the same address until the database closes.
    var index: WALIndex?
    /// Whether caching has ended, because the database was closed or an authorizer was added.
    var isOff = false
    /// A number that increases when results may change without a commit, for example because a
    /// function was registered.
    var generation = 0
    /// The version of the database to which all entries belong. While it is nil, nothing may be
    /// stored.
    var version: WALIndex.Header?
    /// Whether the writer is committing now, and no other commit was made since `version`.
    var isCommitting = false
    /// The caches of the models; the index is `CachedModel.number`. They are retained until the
    /// `DatabaseCache` is released, so that a lookup changes no reference count.
    var models: [Unmanaged<ModelCache>?] = []
  }

  let state = Lock(State())
  /// Whether anything may be cached. If so, the writer reports the rows that it touches.
  let isUsed = Atomic<Bool>(false)
  /// The pool of the database.
  ///
  /// The reference is not counted. The database owns the pool and the cache, and outlives every
  /// lookup, because each lookup is a call of the database.
  private unowned(unsafe) let pool: ConnectionPool

  init(pool: ConnectionPool) {
    self.pool = pool
  }

  deinit {
    state.withLock { state in
      for model in state.models { model?.release() }
    }
  }

  /// The number of hits in asynchronous code.
  private let hitCount = Atomic<UInt8>(0)

  // MARK: Reading

  /// Whether the task should yield now: true once in 64 hits. A hit does not suspend its task, so
  /// tasks that read in loops could occupy all threads of Swift's pool.
  @usableFromInline
  package var isTimeToYield: Bool {
    hitCount.wrappingAdd(1, ordering: .relaxed).newValue & 63 == 0
  }

  /// Calls a closure with the cached value for a key of 8 bytes. The closure runs under the lock,
  /// so that the value need not be retained. It must do nothing but copy the value.
  ///
  /// Returns false if no value is cached. Also returns false if any connection is in use, because
  /// this call may then be inside another access. The caller then calls `lookUp(_:in:)`, which
  /// throws if it is inside another access.
  package func copy(_ word: UInt64, in number: Int, _ copy: (AnyObject) -> Void) -> Bool {
    guard pool.isUnoccupied else { return false }
    return state.withLock { state -> Bool in
      guard let version = state.version, let index = state.index, index.isAt(version),
        number < state.models.count, let model = state.models[number]
      else { return false }
      return model._withUnsafeGuaranteedRef { cache in
        guard cache.entries.read(word, copy) else { return false }
        cache.statistics.hits &+= 1
        return true
      }
    }
  }

  /// Returns the cached value of a key. If there is none, returns a ticket. With the ticket, the
  /// caller can store the value after reading it from the database.
  ///
  /// Throws if a read of the database could not begin, for example after `close()`.
  package func lookUp(_ key: CacheKey, in model: CachedModel) throws -> CacheLookup {
    try pool.check()
    var removed: [CacheTable] = []
    let lookup = state.withLock { state -> CacheLookup in
      let cache = state.cache(of: model)
      if let version = state.version, let index = state.index, index.isAt(version) {
        if let entry = cache.entries.entry(of: key) {
          cache.statistics.hits &+= 1
          return .hit(entry.value)
        }
        cache.statistics.misses &+= 1
        return .miss(state.ticket)
      }
      cache.statistics.misses &+= 1
      guard let index = state.index else {
        return .miss(CacheTicket(version: nil, needsIndex: !state.isOff))
      }
      // While the writer commits, no entries are removed here. The WAL hook decides after the
      // commit which entries to remove.
      guard !state.isCommitting, let header = index.header else { return .miss(CacheTicket()) }
      removed = state.removeAll()
      state.version = header
      return .miss(state.ticket)
    }
    withExtendedLifetime(removed) {}
    return lookup
  }

  /// Stores a value that was read after a lookup, unless anything was committed since the lookup.
  /// Call this method after the read has ended.
  package func store(
    _ entry: CacheEntry, for key: CacheKey, in model: CachedModel, with ticket: CacheTicket
  ) {
    guard let version = ticket.version else { return }
    let removed = state.withLock { state -> [CacheEntry] in
      // The value is stored only if nothing was committed since the ticket was made. The read began
      // after that, and used the newest snapshot. The snapshot therefore has the version of the
      // ticket.
      guard state.version == version, state.generation == ticket.generation,
        let index = state.index, index.isAt(version)
      else { return [] }
      let cache = state.cache(of: model)
      let (removed, evicted) = cache.entries.insert(entry, for: key)
      cache.statistics.evictions &+= evicted
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Sets the wal-index, which the given reader has mapped into memory. Later lookups compare
  /// `version` with the header of this wal-index.
  package func useIndex(of core: ConnectionCore, with ticket: CacheTicket) {
    guard ticket.needsIndex, core.isReader else { return }
    guard let index = core.walIndex() else { return }
    state.withLock { state in
      guard !state.isOff, state.index == nil else { return }
      state.index = index
    }
    isUsed.store(true, ordering: .releasing)
  }

  package func statistics(of model: CachedModel) -> CacheStatistics {
    state.withLock { state in
      guard state.models.indices.contains(model.number), let cache = state.models[model.number]
      else { return CacheStatistics() }
      return cache.takeUnretainedValue().currentStatistics
    }
  }

  /// Removes all entries. Called when a function or a collation was registered, because the same
  /// statement may then return another result. A read that is running does not store its result.
  func clear() {
    let removed = state.withLock { state -> [CacheTable] in
      state.generation += 1
      return state.removeAll()
    }
    withExtendedLifetime(removed) {}
  }

  /// Removes all entries, and stops caching. Called when an authorizer is added, and before the
  /// connections close, because closing them unmaps the wal-index.
  func turnOff() {
    let removed = state.withLock { state -> [CacheTable] in
      state.isOff = true
      state.index = nil
      state.version = nil
      return state.removeAll()
    }
    withExtendedLifetime(removed) {}
  }
}

extension DatabaseCache.State {
  /// A ticket to store a value that is read from now on.
  fileprivate var ticket: CacheTicket { CacheTicket(version: version, generation: generation) }

  /// Returns the cache of a model. Creates it on the first call.
  @inline(__always)
  mutating func cache(of model: CachedModel) -> ModelCache {
    if model.number < models.count, let cache = models[model.number] {
      return cache.takeUnretainedValue()
    }
    return makeCache(of: model)
  }

  @inline(never)
  private mutating func makeCache(of model: CachedModel) -> ModelCache {
    while models.count <= model.number { models.append(nil) }
    let cache = ModelCache(model)
    models[model.number] = .passRetained(cache)
    return cache
  }

  /// Removes all entries, and returns them in new `CacheTable` objects. The caller must release
  /// these objects only after it has released the lock.
  mutating func removeAll() -> [CacheTable] {
    models.reduce(into: []) { removed, cache in
      guard let cache = cache?.takeUnretainedValue(), cache.entries.count > 0 else { return }
      removed.append(cache.removeAll())
    }
  }
}

/// The outcome of a lookup.
package enum CacheLookup: Sendable {
  case hit(any CachedValue)
  case miss(CacheTicket)
}

/// The permission to store a value that was read after a lookup.
package struct CacheTicket: Sendable {
  /// The `version` of the cache at the time of the lookup; nil if nothing may be stored.
  var version: WALIndex.Header?
  /// The `generation` of the cache at the time of the lookup.
  var generation = 0
  /// Whether the cache has no wal-index yet, so that the reader should provide its wal-index.
  var needsIndex = false

  /// Whether a value may be stored.
  package var allowsStoring: Bool { version != nil }
}

/// The facts about a model that its cache needs, such as the name of the model's table.
@usableFromInline
package struct CachedModel: Sendable {
  /// The kind of entries that a cache has for a model.
  package enum Content: Int, Sendable {
    /// Rows, by key.
    case rows
    /// Results of queries whose first table is the model's table.
    case results
  }

  package let content: Content
  /// The number of the cache. Each model has two caches: one for its rows, and one for results.
  package let number: Int
  /// The name of the table, as the model spells it.
  let name: String
  /// The name of the table, in lower case.
  package let table: String
  package let limits: CacheLimits

  /// - Parameter layout: The number of the model's layout.
  package init(_ content: Content, ofLayout layout: Int, table: String, limits: CacheLimits) {
    self.content = content
    number = layout * 2 + content.rawValue
    name = table
    self.table = table.lowercasedASCII
    self.limits = limits
  }
}
