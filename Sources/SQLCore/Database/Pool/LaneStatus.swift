import CSQLite

/// The state of a lane's connections at one moment.
package struct LaneStatus: Hashable, Sendable {
  /// The number of connections that are open or being opened.
  package var count = 0
  /// The number of connections that are idle.
  package var idle = 0
  /// The number of accesses that wait for a connection.
  package var waiting = 0
  /// The faults of idle connections: a transaction or statement that was left open.
  package var faults: [String] = []

  /// Whether every connection is idle and without faults, and no access waits.
  package var isWhole: Bool { idle == count && waiting == 0 && faults.isEmpty }
}

extension Database {
  /// The state of this database's connections at one moment: of the writer, the readers and the
  /// streams.
  package var laneStatuses: (writer: LaneStatus, reader: LaneStatus, stream: LaneStatus) {
    access.pool.state.withLock { state in
      (state[.writer].status, state[.reader].status, state[.stream].status)
    }
  }
}

extension ConnectionPool.Lane {
  /// The state of the lane. Idle connections are in no one's use, so they can be inspected while
  /// the lock is held.
  fileprivate var status: LaneStatus {
    LaneStatus(
      count: count, idle: idle.count, waiting: waiters.count, faults: idle.flatMap(\.faults))
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
