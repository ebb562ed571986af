import CSQLiteBench

// The reads that several workloads make on the C side. Each uses one prepared statement in one read
// transaction. The functions are inlined into their workloads, so that the measured time includes
// no call of a closure.

extension Fixture {
  /// Finds the item of each key.
  @inline(__always)
  func findInOneRead(_ keys: [Int64]) -> Workload.Side {
    let connection = connection
    return Workload.Side {
      try connection.transaction("BEGIN DEFERRED") {
        try connection.withStatement(selectSQL + #" WHERE "id" = ?"#) { statement in
          var sum = 0
          for key in keys {
            sqlite3_bind_int64(statement, 1, key)
            if sqlite3_step(statement) == SQLITE_ROW {
              sum += Int(try PlainItem(rowOf: statement).count)
            }
            try check(sqlite3_reset(statement))
          }
          return sum
        }
      }
    }
  }

  /// Returns a side that runs a query for each key, and fetches all of its items.
  ///
  /// - Parameter bind: binds the values of the query.
  @inline(__always)
  func fetchInOneRead(
    _ sql: String, _ keys: [Int64], _ bind: @escaping (OpaquePointer, Int64) -> Void
  ) -> Workload.Side {
    let connection = connection
    return Workload.Side {
      try connection.transaction("BEGIN DEFERRED") {
        try connection.withStatement(sql) { statement in
          var sum = 0
          for key in keys {
            bind(statement, key)
            var items: [PlainItem] = []
            while sqlite3_step(statement) == SQLITE_ROW {
              items.append(try PlainItem(rowOf: statement))
            }
            try check(sqlite3_reset(statement))
            for item in items { sum += Int(item.count) }
          }
          return sum
        }
      }
    }
  }
}
