import Apus
import CSQLiteBench

extension Workload {
  /// Compares asynchronous finds with C code. The C code opens a read transaction for each find,
  /// because each find of Apus is also a separate access.
  static let findAsync = Workload(
    name: "W8", title: "20,000 async finds from a task, each its own read", operations: 20_000,
    target: .c(0.45)
  ) { fixture in
    let (database, keys) = (fixture.database, try fixture.fillToFind())
    let peer = fixture.peer
    return Sides(
      c: fixture.findInTransactions(keys),
      apus: Side {
        // Even if this closure runs on the main actor, the detached task does not.
        try await Task.detached {
          var sum = 0
          for key in keys {
            if let item = try await database.find(Item.self, key) { sum += Int(item.count) }
          }
          return sum
        }.value
      },
      grdb: .task { try await peer.findInReads(keys) },
      codable: .task { try await peer.findRecordsInReads(keys) })
  }

  /// Measures finds that the main actor awaits. The work of each find moves to a thread of the
  /// database, and back.
  static let findFromMainActor = Workload(
    name: "W8m", title: "2,000 async finds from the main actor", operations: 2_000, target: .c(6)
  ) { fixture in
    let (database, keys) = (fixture.database, try fixture.fillToFind(2_000))
    return Sides(
      c: fixture.findInTransactions(keys),
      apus: Side { try await sumFromMainActor(of: keys, in: database) })
  }

  /// Measures the synchronous call.
  static let findSync = Workload(
    name: "W8s", title: "20,000 synchronous finds, each its own read", operations: 20_000,
    target: .c(0.38)
  ) { fixture in
    let (database, keys) = (fixture.database, try fixture.fillToFind())
    let peer = fixture.peer
    return Sides(
      c: fixture.findInTransactions(keys),
      apus: Side { try sum(of: keys, in: database) },
      grdb: Side { try peer.findInSynchronousReads(keys) })
  }
}

private func sum(of keys: [Int64], in database: Database) throws -> Int {
  var sum = 0
  for key in keys {
    if let item = try database.find(Item.self, key) { sum += Int(item.count) }
  }
  return sum
}

@MainActor
private func sumFromMainActor(of keys: [Int64], in database: Database) async throws -> Int {
  var sum = 0
  for key in keys {
    if let item = try await database.find(Item.self, key) { sum += Int(item.count) }
  }
  return sum
}

extension Fixture {
  fileprivate func fillToFind(_ count: Int = 20_000) throws -> [Int64] {
    try fill(with: PlainItem.samples(cachedRows))
    return scatteredKeys(count, of: cachedRows)
  }

  /// Returns a side that runs BEGIN, a SELECT and COMMIT for each key. Each of the three statements
  /// is prepared once.
  fileprivate func findInTransactions(_ keys: [Int64]) -> Workload.Side {
    let connection = connection
    return Workload.Side {
      try connection.withStatement("BEGIN DEFERRED") { begin in
        try connection.withStatement("COMMIT") { commit in
          try connection.withStatement(selectSQL + #" WHERE "id" = ?"#) { statement in
            var sum = 0
            for key in keys {
              try run(begin)
              sqlite3_bind_int64(statement, 1, key)
              if sqlite3_step(statement) == SQLITE_ROW {
                sum += Int(try PlainItem(rowOf: statement).count)
              }
              try check(sqlite3_reset(statement))
              try run(commit)
            }
            return sum
          }
        }
      }
    }
  }
}

func run(_ statement: OpaquePointer) throws {
  sqlite3_step(statement)
  try check(sqlite3_reset(statement))
}
