import Apus
import CSQLiteBench
import Dispatch
import Foundation
import Synchronization

/// Eight readers, each with 20,000 finds that are separate reads, while a writer changes the same
/// table in transactions of its own, as often as it can, until they are done. On the C side each of
/// them is a thread.
extension Workload {
  static let readersAndWriter = Workload(
    name: "W12", title: "8 × 20,000 finds while one writes", operations: 160_000,
    target: .c(0.75), isLong: true
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
    let (isDone, titles, failure) = (Shared(false), Shared(0), Shared<(any Error)?>(nil))
    let readers = DispatchGroup()
    let writer = DispatchGroup()
    for _ in 0..<8 {
      thread(in: readers) {
        do {
          let found = try findTitlesWithC(path, keys)
          titles.change { $0 += found }
        } catch {
          failure.value = error
        }
      }
    }
    thread(in: writer) {
      do {
        try writeWithC(path, until: { isDone.value })
      } catch {
        failure.value = error
      }
    }
    readers.wait()
    isDone.value = true
    writer.wait()
    if let error = failure.value { throw error }
    return titles.value
  }

  /// Runs a closure on a thread of its own: a system queue has only as many threads as the machine
  /// has cores.
  private static func thread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    Thread {
      body()
      group.leave()
    }.start()
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

/// A value that several threads share.
private final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  func change(_ body: (inout Value) -> Void) {
    content.withLock { body(&$0) }
  }
}
