import Apus
import Metrics
import Synchronization

/// The metrics of one database, made once: making one takes a lock of the metrics system.
struct Meters: Sendable {
  let commits: Counter
  let rollbacks: Counter
  let cached: Counter
  let prepared: Counter
  let walPages: Meter
  let logPosition: Meter
  let memory: Meter
  let writer: LaneMeters
  let readers: LaneMeters
  let streams: LaneMeters

  init(database: String, _ factory: any MetricsFactory) {
    let dimensions = [("database", database)]
    func counter(_ name: String) -> Counter {
      Counter(label: "apus.\(name)", dimensions: dimensions, factory: factory)
    }
    func meter(_ name: String) -> Meter {
      Meter(label: "apus.\(name)", dimensions: dimensions, factory: factory)
    }
    commits = counter("commits")
    rollbacks = counter("rollbacks")
    cached = counter("statements.cached")
    prepared = counter("statements.prepared")
    walPages = meter("wal.pages")
    logPosition = meter("log.position")
    memory = meter("sqlite.memory")
    writer = LaneMeters(database, "writer", factory)
    readers = LaneMeters(database, "readers", factory)
    streams = LaneMeters(database, "streams", factory)
  }
}

/// The metrics of the connections that serve one kind of access.
struct LaneMeters: Sendable {
  let open: Meter
  let used: Meter
  let waiting: Meter

  init(_ database: String, _ pool: String, _ factory: any MetricsFactory) {
    func meter(_ name: String) -> Meter {
      Meter(
        label: "apus.\(name)", dimensions: [("database", database), ("pool", pool)],
        factory: factory)
    }
    open = meter("connections.open")
    used = meter("connections.used")
    waiting = meter("accesses.waiting")
  }

  func record(_ lane: PoolStatus.Lane) {
    open.set(lane.connections)
    used.set(lane.used)
    waiting.set(lane.waiting)
  }
}

/// The counts of the last sample, from which the next one counts.
final class SampledCounts: Sendable {
  private let last = Mutex((hits: 0, misses: 0))

  /// Returns the hits and misses since the last call.
  func new(_ status: PoolStatus) -> (hits: Int, misses: Int) {
    last.withLock { last in
      let new = (
        hits: status.statementCacheHits - last.hits,
        misses: status.statementCacheMisses - last.misses
      )
      last = (status.statementCacheHits, status.statementCacheMisses)
      return new
    }
  }
}
