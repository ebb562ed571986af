import ApusRemote
import FileEngine
import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Writes with a key, which are applied once")
struct KeyedWriteTests {
  private struct Receipt: Codable, Equatable {
    var number: Int
    var at: Date
  }

  private static let cut = RemoteSessionError(outcome: .unknown, message: "the line was cut")

  @Test("the second call changes nothing and returns the first one's value")
  func repeated() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (x)")
    let receipt = Receipt(number: 7, at: Date(timeIntervalSince1970: 1_700_000_000.25))
    for attempt in 0..<3 {
      let written = try await db.write(id: "order 7") { tx in
        try tx.execute("INSERT INTO t VALUES (\(attempt))")
        return attempt == 0 ? receipt : Receipt(number: -1, at: .distantPast)
      }
      #expect(written.value == receipt && written.isRepeated == (attempt > 0))
    }
    for attempt in 0..<2 {
      let written = try await db.write(id: WriteKey(Unique64(rawValue: 9))) { tx in
        try tx.execute("INSERT INTO t VALUES (\(10 + attempt))")
      }
      #expect(written.isRepeated == (attempt > 0))
    }
    #expect(try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == [0, 10])
    #expect(
      try await db.fetch(String.self, #"SELECT "id" FROM "apus_write" ORDER BY 1"#)
        == [Unique64(rawValue: 9).description, "order 7"].sorted())
  }

  @Test("a closure that throws, or asks for a rollback, leaves no key")
  func failed() async throws {
    struct Stop: Error {}
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (x)")
    await #expect(throws: Stop.self) {
      try await db.write(id: "a") { tx in
        try tx.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    try await db.write(id: "a") { tx in
      try tx.execute("INSERT INTO t VALUES (2)")
      try tx.requestRollback()
    }
    let written = try await db.write(id: "a") { try $0.execute("INSERT INTO t VALUES (3)") }
    #expect(!written.isRepeated)
    #expect(try await db.fetch(Int.self, "SELECT x FROM t") == [3])
  }

  @Test("a stored value of another type is an error that names the key")
  func otherType() throws {
    let db = try Database.temporary()
    try db.write(id: "k") { _ in 5 }
    let error = #expect(throws: DatabaseError.self) { try db.write(id: "k") { _ in "text" } }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains(#"the write "k" was committed before"#) == true)
  }

  @Test("keys that are old enough are forgotten")
  func forgotten() throws {
    let db = try Database.temporary()
    #expect(try db.forgetWrites(olderThan: .zero) == 0)
    try db.write(id: "old") { _ in }
    try db.write(id: "new") { _ in }
    try db.execute(#"UPDATE "apus_write" SET "time" = "time" - 100 WHERE "id" = 'old'"#)
    #expect(try db.forgetWrites(olderThan: .seconds(50)) == 1)
    #expect(try !db.write(id: "old") { _ in }.isRepeated)
    #expect(try db.write(id: "new") { _ in }.isRepeated)
  }

  @Test("tasks that write with the same key at once apply it once")
  func concurrent() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE t (x)")
    let first = try await withThrowingTaskGroup(of: KeyedWrite<Int>.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await db.write(id: "key \(number % 10)") { tx in
            try tx.execute("INSERT INTO t VALUES (\(number % 10))")
            return number
          }
        }
      }
      var firsts: [Int: Int] = [:]
      for try await written in group where !written.isRepeated {
        #expect(firsts.updateValue(written.value, forKey: written.value % 10) == nil)
      }
      return firsts
    }
    #expect(first.count == 10)
    #expect(
      try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == Array(0..<10))
  }

  private func withEngine(
    busyTimeout: Duration = .seconds(5), _ body: (Database, FileEngine) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keyed-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = FileEngine(path: folder.appending(path: "db.sqlite").path())
    var configuration = Configuration()
    configuration.busyTimeout = busyTimeout
    let db = try Database(engine: engine, configuration: configuration)
    try await db.execute("CREATE TABLE t (x)")
    try await body(db, engine)
  }

  /// Loses the session at each of the first COMMITs, before or after the engine has run it.
  private func loseCommits(_ count: Int, _ engine: FileEngine, isRun: Bool) {
    let left = Lock(count)
    let fault: @Sendable (String) throws -> Void = { sql in
      guard sql == "COMMIT" else { return }
      let isLost = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isLost { throw Self.cut }
    }
    if isRun {
      engine.faultAfter.withLock { $0 = fault }
    } else {
      engine.fault.withLock { $0 = fault }
    }
  }

  @Test(
    "a lost COMMIT is sent again, whether or not it was run", .blocking, arguments: [true, false])
  func lostCommit(isRun: Bool) async throws {
    try await withEngine { db, engine in
      loseCommits(2, engine, isRun: isRun)
      let written = try await db.write(id: "a") { tx in
        try tx.execute("INSERT INTO t VALUES (1)")
        return 11
      }
      #expect(written.value == 11 && written.isRepeated == isRun)
      loseCommits(1, engine, isRun: isRun)
      try synchronously(db, isRun: isRun)
      #expect(try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == [1, 2])
    }
  }

  private func synchronously(_ db: Database, isRun: Bool) throws {
    let written = try db.write(id: "b") { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(written.isRepeated == isRun)
  }

  @Test(
    "without time to send it again, the outcome is unknown, and a later call resolves it",
    .blocking)
  func unknown() async throws {
    try await withEngine(busyTimeout: .zero) { db, engine in
      loseCommits(1_000_000, engine, isRun: true)
      await #expect(throws: Self.cut) {
        try await db.write(id: "a") { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      engine.faultAfter.withLock { $0 = nil }
      let written = try await db.write(id: "a") { try $0.execute("INSERT INTO t VALUES (1)") }
      #expect(written.isRepeated)
      #expect(try await db.fetch(Int.self, "SELECT x FROM t") == [1])
    }
  }

  @Test("an unknown outcome stays unknown when later attempts cannot even begin", .blocking)
  func staysUnknown() async throws {
    try await withEngine(busyTimeout: .milliseconds(50)) { db, engine in
      loseCommits(1, engine, isRun: true)
      engine.fault.withLock { fault in
        let isFirst = Lock(true)
        fault = { sql in
          guard sql == "BEGIN IMMEDIATE" else { return }
          let passes = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
          }
          guard passes else {
            throw RemoteSessionError(outcome: .notRun, message: "there is no leader")
          }
        }
      }
      await #expect(throws: Self.cut) {
        try await db.write(id: "a") { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      engine.fault.withLock { $0 = nil }
      let found = try await db.fetch(Int.self, "SELECT x FROM t")
      #expect(found == [1])
    }
  }

  @Test("no write of a shared commit whose outcome is unknown runs again", .blocking)
  func sharedCommit() async throws {
    try await withEngine { db, engine in
      loseCommits(1_000_000, engine, isRun: true)
      // `writeData` is what inserts and updates of models use.
      let failures = await withTaskGroup(of: (any Error)?.self) { group in
        for number in 0..<50 {
          group.addTask {
            do {
              try await db.writeData { try $0.execute("INSERT INTO t VALUES (\(number))") }
              return nil
            } catch {
              return error
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for failure in failures { #expect(failure as? RemoteSessionError == Self.cut) }
      engine.faultAfter.withLock { $0 = nil }
      let found = try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x")
      #expect(found == Array(0..<50))
    }
  }
}
