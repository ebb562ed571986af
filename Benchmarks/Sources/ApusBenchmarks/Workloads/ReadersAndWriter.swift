import Apus
import CSQLiteBench
import Dispatch
import Synchronization

/// Eight readers, each with 20,000 finds of which each is a read of its own, while one writes the
/// same table in transactions of its own until they are done.
extension Workload {
  static let readersAndWriter = Workload(
    name: "W12", title: "8 × 20,000 finds while one writes", operations: 160_000,
    target: .c(1 / 0.9), isLong: true
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let (database, peer) = (fixture.database, fixture.peer)
    let path = fixture.path("c.sqlite")
    let keys = scatteredKeys(20_000, of: cachedRows)
    return Sides(
      c: Side { try readWithC(path, keys) },
      apus: .task {
        try await readers(
          find: {
            var titles = 0
            for key in keys {
              titles += try await database.find(Item.self, key)?.title.utf8.count ?? 0
            }
            return titles
          },
          write: { key in
            try await database.run(Item.update { $0.$count += 1 }.where { $0.$id == key })
          })
      },
      grdb: .task {
        try await readers(
          find: { try await peer.findTitles(keys) }, write: { try await peer.countUp($0) })
      })
  }

  private static func readers(
    find: @escaping @Sendable () async throws -> Int,
    write: @escaping @Sendable (Int64) async throws -> Void
  ) async throws -> Int {
    let writer = Task {
      var key: Int64 = 0
      while !Task.isCancelled {
        key = key % Int64(cachedRows) + 1
        try await write(key)
      }
    }
    let titles = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await find() } }
      return try await group.reduce(0, +)
    }
    writer.cancel()
    _ = await writer.result
    return titles
  }

  private static func readWithC(_ path: String, _ keys: [Int64]) throws -> Int {
    let isDone = Atomic<Bool>(false)
    let titles = Mutex(0)
    let failure = Mutex<(any Error)?>(nil)
    // The ninth is the writer.
    DispatchQueue.concurrentPerform(iterations: 9) { index in
      do {
        if index == 8 {
          try writeWithC(path, until: { isDone.load(ordering: .relaxed) })
        } else {
          let found = try findTitlesWithC(path, keys)
          titles.withLock { $0 += found }
        }
      } catch {
        failure.withLock { $0 = error }
      }
      if index < 8 { isDone.store(true, ordering: .relaxed) }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return titles.withLock { $0 }
  }

  private static func writeWithC(_ path: String, until isDone: () -> Bool) throws {
    let connection = try CConnection(path: path)
    try connection.withStatement(#"UPDATE "Item" SET "count" = "count" + 1 WHERE "id" = ?"#) {
      statement in
      var key: Int64 = 0
      while !isDone() {
        key = key % Int64(cachedRows) + 1
        sqlite3_bind_int64(statement, 1, key)
        sqlite3_step(statement)
        try check(sqlite3_reset(statement))
      }
    }
  }

  private static func findTitlesWithC(_ path: String, _ keys: [Int64]) throws -> Int {
    let connection = try CConnection(path: path)
    return try connection.withStatement("BEGIN DEFERRED") { begin in
      try connection.withStatement("COMMIT") { commit in
        try connection.withStatement(selectSQL + #" WHERE "id" = ?"#) { statement in
          var titles = 0
          for key in keys {
            try run(begin)
            sqlite3_bind_int64(statement, 1, key)
            if sqlite3_step(statement) == SQLITE_ROW {
              titles += try PlainItem(rowOf: statement).title.utf8.count
            }
            try check(sqlite3_reset(statement))
            try run(commit)
          }
          return titles
        }
      }
    }
  }
}
