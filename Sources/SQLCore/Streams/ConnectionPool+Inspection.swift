import CSQLite

/// The connections of a lane at one moment.
package struct LaneStatus: Hashable, Sendable {
  /// How many connections are open, or being opened.
  package var count = 0
  /// How many of them nobody uses.
  package var idle = 0
  /// How many accesses wait.
  package var waiting = 0
  /// What is wrong with connections that nobody uses: a transaction or statement left open.
  package var faults: [String] = []

  /// Whether every connection is back, as it was.
  package var isWhole: Bool { idle == count && waiting == 0 && faults.isEmpty }
}

extension Database {
  /// The connections of this database at one moment: the writer, those of reads, those of streams.
  package var laneStatuses: (writer: LaneStatus, reader: LaneStatus, stream: LaneStatus) {
    access.pool.state.withLock { state in
      (state[.writer].status, state[.reader].status, state[.stream].status)
    }
  }
}

extension ConnectionPool.Lane {
  /// Idle connections are nobody's: with the lock held they can be looked at.
  fileprivate var status: LaneStatus {
    LaneStatus(
      count: count, idle: idle.count, waiting: waiters.count, faults: idle.flatMap(\.faults))
  }
}

extension ConnectionCore {
  fileprivate var faults: [String] {
    var faults = isInTransaction ? ["a transaction is open"] : []
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
