import Apus
import ApusHistory
import Metrics

/// The metrics of a database: its connections, the accesses that wait for them, commits, caches of
/// statements and rows, write-ahead log, change log and memory.
///
/// ```swift
/// let metrics = try DatabaseMetrics(db, name: "blog")
/// try await metrics.run()                                // until the task is cancelled
/// DatabaseService(db, background: metrics.run)           // or as long as a service
/// ```
///
/// Each metric has the dimension `database` with the name that the initializer gets:
///
/// | Metric | Kind | |
/// |---|---|---|
/// | `apus.commits`, `apus.rollbacks` | counter | writes that were committed and rolled back |
/// | `apus.connections.open`, `apus.connections.used` | meter | by `pool`, such as readers |
/// | `apus.accesses.waiting` | meter | accesses that wait for a connection, by `pool` |
/// | `apus.wait.duration` | timer | the waiting time of each access that had to wait, by `pool` |
/// | `apus.waits.ended` | counter | waits that ended by a cancellation or a deadline, by `pool` |
/// | `apus.statements.cached`, `apus.statements.prepared` | counter | statements: cached, or new |
/// | `apus.cache.hits`, `apus.cache.misses` | counter | reads of `Cached()` models, by `table` |
/// | `apus.cache.evictions` | counter | rows that had no room in the cache any more, by `table` |
/// | `apus.cache.invalidations` | counter | rows that a commit removed from the cache, by `table` |
/// | `apus.cache.rows`, `apus.cache.bytes` | meter | what the cache holds, by `table` |
/// | `apus.cache.results.hits` … | counter, meter | the same for `CachedResults()`; `count` for `rows` |
/// | `apus.statement.duration` | timer | only with `measuresStatements` |
/// | `apus.live.observers`, `apus.live.results` | meter | observers of live queries, and their results |
/// | `apus.live.maintained` | meter | the results that are maintained; the others run again |
/// | `apus.live.rows`, `apus.live.bytes` | meter | what the results hold |
/// | `apus.live.fetches`, `apus.live.merges` | counter | live queries that ran, commits that were merged |
/// | `apus.live.fetch.milliseconds` | counter | the time for which live queries waited and ran |
/// | `apus.wal.pages` | meter | the pages in the write-ahead log after the last commit |
/// | `apus.log.position` | meter | the last entry of the change log, if the database has one |
/// | `apus.log.entries` | meter | the entries that were not purged |
/// | `apus.log.behind` | meter | how far each named reader is behind the log, by `cursor` |
/// | `apus.sqlite.memory` | meter | the bytes that SQLite has allocated in this process |
///
/// Listeners record the commits, the rollbacks, the waits, the pages of the write-ahead log and the
/// durations of statements when they occur. All other metrics are sampled. If no such object
/// exists, the listeners do not run.
public final class DatabaseMetrics: Sendable {
  private let database: Database
  private let interval: Duration
  private let meters: Meters
  private let listeners: [HookListener]
  private let sampled = SampledCounts()

  /// Makes the metrics, and begins to count.
  ///
  /// - Parameters:
  ///   - name: The value of the dimension `database`.
  ///   - interval: The time between two samples of `run()`.
  ///   - measuresStatements: Whether the duration of each statement is recorded. If so, SQLite
  ///     measures each statement.
  ///   - factory: The factory that makes the metrics.
  public init(
    _ database: Database, name: String, every interval: Duration = .seconds(10),
    measuresStatements: Bool = false, factory: any MetricsFactory = MetricsSystem.factory
  ) throws {
    self.database = database
    self.interval = interval
    let meters = Meters(database: name, factory)
    self.meters = meters
    var listeners = [
      try database.onCommit { meters.commits.increment() },
      try database.onRollback { meters.rollbacks.increment() },
      try database.onWALCommit { meters.walPages.set($0.pageCount) },
      database.onWait { meters.lane($0.lane).record($0) },
    ]
    if measuresStatements {
      let timer = Timer(
        label: "apus.statement.duration", dimensions: [("database", name)], factory: factory)
      listeners.append(
        try database.onTrace(.profile) { event in
          if let duration = event.duration { timer.record(duration: duration) }
        })
    }
    self.listeners = listeners
  }

  deinit {
    // Removing a listener fails if the database is closed. The error is ignored, because a closed
    // database calls no listeners.
    for listener in listeners { try? database.remove(listener) }
  }

  /// Samples the database until the task is cancelled. `DatabaseService` cancels it before it closes
  /// the database.
  public func run() async throws {
    while !Task.isCancelled {
      await sample()
      do {
        try await Task.sleep(for: interval)
      } catch is CancellationError {
        return
      }
    }
  }

  /// Takes one sample, which records all metrics that no listener records. Only reading the change
  /// log may wait for a connection.
  public func sample() async {
    let status = database.poolStatus
    meters.writer.record(status.writer)
    meters.readers.record(status.readers)
    meters.streams.record(status.streams)
    meters.live.record(status.live)
    meters.liveQueries.record(database.liveStatus, sampled)
    meters.cached.add(sampled.new("statements.cached", status.statementCacheHits))
    meters.prepared.add(sampled.new("statements.prepared", status.statementCacheMisses))
    for (table, counts) in database.cacheStatistics {
      meters.cache(of: table).record(counts, sampled)
    }
    for (table, counts) in database.resultCacheStatistics {
      meters.resultCache(of: table).record(counts, sampled)
    }
    meters.memory.set(LibraryCounter.memory.value.current)
    // If the database has no change log, this throws, and its metrics are not recorded.
    if let log = try? await database.log.status() {
      meters.logPosition.set(log.position.number)
      meters.logEntries.set(log.count)
      for (cursor, position) in log.cursors {
        meters.behind(of: cursor).set(log.position.number - position.number)
      }
    }
  }
}
