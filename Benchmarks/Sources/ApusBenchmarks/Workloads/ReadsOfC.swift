import CSQLiteBench

// The reads of several workloads on the C side: one prepared statement in one read transaction.
// Each function is inlined into its workload, so that no call of a closure is measured.

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

  /// Fetches the items of a query for each key.
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
