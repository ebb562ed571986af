import Apus
import Metrics
import Synchronization

/// The metrics of one database. Each metric is made only once, because making a metric takes a lock
/// of the metrics system.
final class Meters: Sendable {
  let commits: Counter
  let rollbacks: Counter
  let cached: Counter
  let prepared: Counter
  let walPages: Meter
  let logPosition: Meter
  let logEntries: Meter
  let memory: Meter
  let writer: LaneMeters
  let readers: LaneMeters
  let streams: LaneMeters
  let live: LaneMeters
  let liveQueries: LiveMeters

  private let labels: MetricLabels
  private let caches = Mutex<[String: CacheMeters]>([:])
  private let cursors = Mutex<[String: Meter]>([:])

  init(database: String, _ factory: any MetricsFactory) {
    let labels = MetricLabels(database: database, factory: factory)
    self.labels = labels
    commits = labels.counter("commits")
    rollbacks = labels.counter("rollbacks")
    cached = labels.counter("statements.cached")
    prepared = labels.counter("statements.prepared")
    walPages = labels.meter("wal.pages")
    logPosition = labels.meter("log.position")
    logEntries = labels.meter("log.entries")
    memory = labels.meter("sqlite.memory")
    writer = LaneMeters(labels.with("pool", "writer"))
    readers = LaneMeters(labels.with("pool", "readers"))
    streams = LaneMeters(labels.with("pool", "streams"))
    live = LaneMeters(labels.with("pool", "live"))
    liveQueries = LiveMeters(labels)
  }

  func lane(_ lane: AccessWait.Lane) -> LaneMeters {
    switch lane {
    case .writer: writer
    case .readers: readers
    case .streams: streams
    case .live: live
    }
  }

  /// The metrics of the cached rows of a table.
  func cache(of table: String) -> CacheMeters {
    cache(of: table, named: "cache", holding: "rows")
  }

  /// The metrics of the cached results of queries that begin with a table.
  func resultCache(of table: String) -> CacheMeters {
    cache(of: table, named: "cache.results", holding: "count")
  }

  private func cache(
    of table: String, named name: String, holding entries: String
  ) -> CacheMeters {
    let key = "\(name) \(table)"
    return caches.withLock { $0[key] }
      ?? keep(
        CacheMeters(labels.with("table", table), table, named: name, holding: entries), for: key,
        in: caches)
  }

  /// Returns the metric of a named reader of the change log. It records how many entries of the log
  /// the reader has not passed yet.
  func behind(of cursor: String) -> Meter {
    cursors.withLock { $0[cursor] }
      ?? keep(labels.with("cursor", cursor).meter("log.behind"), for: cursor, in: cursors)
  }

  private func keep<Value: Sendable>(
    _ new: Value, for name: String, in known: borrowing Mutex<[String: Value]>
  ) -> Value {
    known.withLock { known in
      if let earlier = known[name] { return earlier }
      known[name] = new
      return new
    }
  }
}

/// The dimensions of some metrics, and the factory that makes these metrics.
struct MetricLabels: Sendable {
  private var dimensions: [(String, String)]
  private let factory: any MetricsFactory

  init(database: String, factory: any MetricsFactory) {
    dimensions = [("database", database)]
    self.factory = factory
  }

  func with(_ dimension: String, _ value: String) -> MetricLabels {
    var labels = self
    labels.dimensions.append((dimension, value))
    return labels
  }

  func counter(_ name: String) -> Counter {
    Counter(label: "apus.\(name)", dimensions: dimensions, factory: factory)
  }

  func meter(_ name: String) -> Meter {
    Meter(label: "apus.\(name)", dimensions: dimensions, factory: factory)
  }

  func timer(_ name: String) -> Timer {
    Timer(label: "apus.\(name)", dimensions: dimensions, factory: factory)
  }
}

/// The metrics of the connections for one kind of access, such as reads.
struct LaneMeters: Sendable {
  private let open: Meter
  private let used: Meter
  private let waiting: Meter
  private let waited: Timer
  private let ended: Counter

  init(_ labels: MetricLabels) {
    open = labels.meter("connections.open")
    used = labels.meter("connections.used")
    waiting = labels.meter("accesses.waiting")
    waited = labels.timer("wait.duration")
    ended = labels.counter("waits.ended")
  }

  func record(_ lane: PoolStatus.Lane) {
    open.set(lane.connections)
    used.set(lane.used)
    waiting.set(lane.waiting)
  }

  func record(_ wait: AccessWait) {
    waited.record(duration: wait.duration)
    if !wait.wasGranted { ended.increment() }
  }
}

/// The metrics of the live queries.
struct LiveMeters: Sendable {
  private let observers: Meter
  private let results: Meter
  private let maintained: Meter
  private let rows: Meter
  private let bytes: Meter
  private let fetches: Counter
  private let merges: Counter
  private let milliseconds: Counter

  init(_ labels: MetricLabels) {
    observers = labels.meter("live.observers")
    results = labels.meter("live.results")
    maintained = labels.meter("live.maintained")
    rows = labels.meter("live.rows")
    bytes = labels.meter("live.bytes")
    fetches = labels.counter("live.fetches")
    merges = labels.counter("live.merges")
    milliseconds = labels.counter("live.fetch.milliseconds")
  }

  func record(_ status: LiveStatus, _ sampled: SampledCounts) {
    observers.set(status.observers)
    results.set(status.results)
    maintained.set(status.maintained)
    rows.set(status.rows)
    bytes.set(status.byteCount)
    fetches.add(sampled.new("live.fetches", status.fetches))
    merges.add(sampled.new("live.merges", status.merges))
    let time = Int(status.fetchTime / .milliseconds(1))
    milliseconds.add(sampled.new("live.milliseconds", time))
  }
}

/// The metrics of the cached rows of a table, or of the cached results of its queries.
struct CacheMeters: Sendable {
  /// The name of this cache in `SampledCounts`, which keeps its last counts.
  private let key: String
  private let hits: Counter
  private let misses: Counter
  private let evictions: Counter
  private let invalidations: Counter
  private let entries: Meter
  private let bytes: Meter

  init(_ labels: MetricLabels, _ table: String, named name: String, holding entries: String) {
    key = "\(name) \(table)"
    hits = labels.counter("\(name).hits")
    misses = labels.counter("\(name).misses")
    evictions = labels.counter("\(name).evictions")
    invalidations = labels.counter("\(name).invalidations")
    self.entries = labels.meter("\(name).\(entries)")
    bytes = labels.meter("\(name).bytes")
  }

  func record(_ counts: CacheStatistics, _ sampled: SampledCounts) {
    hits.add(sampled.new("hits", of: key, counts.hits))
    misses.add(sampled.new("misses", of: key, counts.misses))
    evictions.add(sampled.new("evictions", of: key, counts.evictions))
    invalidations.add(sampled.new("invalidations", of: key, counts.invalidations))
    entries.set(counts.count)
    bytes.set(counts.byteCount)
  }
}

/// The counts of the last sample. They are needed because the next sample adds only the difference
/// to the counters.
final class SampledCounts: Sendable {
  private struct Name: Hashable {
    let count: String
    let table: String?
  }

  private let last = Mutex<[Name: Int]>([:])

  /// Returns by how much a count has grown since the last call.
  func new(_ count: String, of table: String? = nil, _ value: Int) -> Int {
    last.withLock { last in
      let name = Name(count: count, table: table)
      let earlier = last[name, default: 0]
      // Two samples may run at the same time. The sample with the larger count may come first.
      last[name] = max(earlier, value)
      return max(0, value - earlier)
    }
  }
}

extension Counter {
  /// Adds the growth of a count, unless it is 0.
  func add(_ new: Int) {
    if new > 0 { increment(by: new) }
  }
}
