@_exported import Apus
import Metrics

/// The metrics of a database: its connections, waiting accesses, commits, statement caches,
/// write-ahead log, change log and memory.
///
/// ```swift
/// let metrics = try DatabaseMetrics(db, name: "blog")
/// try await metrics.run()                                // until the task is cancelled
/// DatabaseService(db, background: metrics.run)           // or as long as a service
/// ```
///
/// Each metric has the dimension `database` with the name that is given here:
///
/// | Metric | Kind | |
/// |---|---|---|
/// | `apus.commits`, `apus.rollbacks` | counter | writes that were committed and rolled back |
/// | `apus.connections.open`, `apus.connections.used` | meter | by `pool`, such as readers |
/// | `apus.accesses.waiting` | meter | accesses that wait for a connection, by `pool` |
/// | `apus.statements.cached`, `apus.statements.prepared` | counter | statements in a cache, or not |
/// | `apus.statement.duration` | timer | only with `measuresStatements` |
/// | `apus.wal.pages` | meter | the pages in the write-ahead log after the last commit |
/// | `apus.log.position` | meter | the last entry of the change log, if the database has one |
/// | `apus.sqlite.memory` | meter | the bytes that SQLite has allocated in this process |
///
/// Commits, rollbacks and the write-ahead log are counted by listeners, and all else is sampled.
/// Without this object, nothing is counted.
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
  ///   - measuresStatements: Whether the duration of each statement is recorded. It makes SQLite
  ///     measure them.
  ///   - factory: Where metrics are recorded.
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
    // A database that is closed calls no listeners.
    for listener in listeners { try? database.remove(listener) }
  }

  /// Samples the database until the task is cancelled, the database is closed or a service shuts
  /// down.
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

  /// Records the metrics that are sampled, once. It waits for no connection, except to read the
  /// change log.
  public func sample() async {
    let status = database.poolStatus
    meters.writer.record(status.writer)
    meters.readers.record(status.readers)
    meters.streams.record(status.streams)
    let new = sampled.new(status)
    if new.hits > 0 { meters.cached.increment(by: new.hits) }
    if new.misses > 0 { meters.prepared.increment(by: new.misses) }
    meters.memory.set(LibraryCounter.memory.value.current)
    // Without a change log, this throws.
    if let position = try? await database.read({ try $0.logPosition() }) {
      meters.logPosition.set(position)
    }
  }
}
