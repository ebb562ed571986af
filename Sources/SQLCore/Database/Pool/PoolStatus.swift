import CSQLite

/// A report from `db.poolStatus`: how many connections of a database are in use at one moment, and
/// how often their statement caches were hit until then.
///
/// ```swift
/// let status = db.poolStatus
/// print(status.writer, status.readers, status.statementCacheHits)
/// ```
///
/// The report is meant for metrics. Reading it takes a lock for a moment, and does not wait for a
/// connection.
public struct PoolStatus: Hashable, Sendable {
  /// The connections that serve one kind of access.
  public struct Lane: Hashable, Sendable {
    /// The number of connections that are open or being opened.
    public var connections: Int
    /// The number of connections that accesses use.
    public var used: Int
    /// The number of accesses that wait for a connection.
    public var waiting: Int

    /// Creates a report with these numbers.
    public init(connections: Int = 0, used: Int = 0, waiting: Int = 0) {
      self.connections = connections
      self.used = used
      self.waiting = waiting
    }
  }

  /// The connection that writes. In memory, and without readers, it serves all accesses.
  public internal(set) var writer = Lane()
  /// The connections of reads.
  public internal(set) var readers = Lane()
  /// The connections of streams of rows.
  public internal(set) var streams = Lane()
  /// The connections on which live queries run again.
  public internal(set) var live = Lane()
  /// How often a requested statement was in a connection's cache, since the database was opened.
  ///
  /// A connection in use cannot be inspected. Its hits are counted up to the last time at which
  /// `poolStatus` found the connection idle.
  public internal(set) var statementCacheHits = 0
  /// How often a requested statement had to be prepared, since the database was opened. It is
  /// counted in the same way as `statementCacheHits`.
  public internal(set) var statementCacheMisses = 0
}

/// The state of one group of connections, such as the readers, at one moment.
package struct LaneStatus: Hashable, Sendable {
  /// The number of connections that are open or being opened.
  package var count = 0
  /// The number of connections that are idle.
  package var idle = 0
  /// The number of accesses that wait for a connection.
  package var waiting = 0
  /// Descriptions of the faults of idle connections: transactions or statements that were left
  /// open.
  package var faults: [String] = []

  /// Whether every connection is idle and without faults, and no access waits.
  package var isWhole: Bool { idle == count && waiting == 0 && faults.isEmpty }
}

extension Database {
  /// A report of how many connections are in use now, and how often their statement caches were hit
  /// until now.
  public var poolStatus: PoolStatus {
    access.pool.state.withLock { state in
      // No access uses an idle connection, so it can be inspected while the lock is held.
      for name in ConnectionPool.LaneName.allCases {
        for core in state[name].idle {
          let new = core.state.pointee.statements.takeNewCounts()
          state.statementCounts.hits += new.hits
          state.statementCounts.misses += new.misses
        }
      }
      var status = PoolStatus()
      status.writer = state[.writer].use
      status.readers = state[.reader].use
      status.streams = state[.stream].use
      status.live = state[.live].use
      status.statementCacheHits = state.statementCounts.hits
      status.statementCacheMisses = state.statementCounts.misses
      return status
    }
  }

  /// The state of this database's connections at one moment: of the writer, the readers, the
  /// streams and the live queries.
  package var laneStatuses:
    (writer: LaneStatus, reader: LaneStatus, stream: LaneStatus, live: LaneStatus)
  {
    access.pool.state.withLock { state in
      (state[.writer].status, state[.reader].status, state[.stream].status, state[.live].status)
    }
  }
}

extension ConnectionPool.Lane {
  fileprivate var use: PoolStatus.Lane {
    PoolStatus.Lane(connections: count, used: count - idle.count, waiting: waitingCount)
  }

  /// The present state of the lane. No access uses an idle connection, so it can be inspected while
  /// the lock is held.
  fileprivate var status: LaneStatus {
    LaneStatus(
      count: count, idle: idle.count, waiting: waitingCount, faults: idle.flatMap(\.faults))
  }
}

extension ConnectionCore {
  fileprivate var faults: [String] {
    let isExpected = isInTransaction == state.pointee.kept.isKept
    var faults = isExpected ? [] : ["its transaction does not match its kept snapshot"]
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0 {
        faults.append("running: " + (sqlite3_sql(current).map { String(cString: $0) } ?? "?"))
      }
      statement = sqlite3_next_stmt(handle, current)
    }
    return faults
  }
}
