import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Ids that were given out for a file, after a restart")
struct Unique64MarkTests {
  private let file: Database
  private let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 800_000_000))

  init() throws {
    file = try .temporary()
    try file.execute("CREATE TABLE Note (text TEXT, ref INTEGER)")
  }

  /// Opens the file as another process would: with a generator that has made no id.
  private func restart<Value>(
    _ configuration: Configuration = Configuration(), _ body: (Database) throws -> Value
  ) throws -> Value {
    try Unique64.withGenerator(Unique64.Generator(now: clock.read)) {
      let db = try Database(path: try #require(file.path), configuration: configuration)
      defer { try? db.close() }
      return try body(db)
    }
  }

  private var hasMark: Bool {
    get throws { try file.read { try $0.tableExists("apus_unique64") } }
  }

  @Test(
    "an id does not come again, whatever the clock does, and although its row is gone",
    arguments: [0.0, 0.1, -1, -86_400, -9e8])
  func restarts(step: Double) throws {
    var ids: [Unique64] = []
    for _ in 0..<3 {
      ids += try restart { db in
        let id = Unique64()
        try db.execute("INSERT INTO Note VALUES ('x', \(id))")
        try db.execute("DELETE FROM Note")
        // Another one, by its number, in the same half second.
        let other = Unique64()
        try db.write { try $0.execute("INSERT INTO Note VALUES ('y', \(other.rawValue))") }
        return [id, other]
      }
      clock.advance(by: step)
    }
    #expect(ids.isStrictlyIncreasing)
  }

  @Test("a restart after a burst repeats no id of it")
  func burst() throws {
    let count = TestSize.count(small: 50_000, full: 1_000_000)
    let last = try restart { db in
      var last = Unique64()
      for _ in 0..<count { last = Unique64() }
      try db.execute("INSERT INTO Note (ref) VALUES (\(last))")
      return last
    }
    try restart { _ in #expect(Unique64() > last) }
  }

  @Test("ids of a process with a clock ahead do not come again in the next process")
  func secondProcess() async throws {
    let ahead = Unique64.Generator(now: { Date(timeIntervalSinceNow: 3_600) })
    let id = try Unique64.withGenerator(ahead) {
      let id = Unique64()
      try file.execute("INSERT INTO Note (ref) VALUES (\(id))")
      return id
    }
    let path = try #require(file.path)
    let number = id.rawValue
    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int64] in
      let db = try Database(path: path)
      let next = Unique64()
      try db.execute("INSERT INTO Note (ref) VALUES (\(next))")
      try #require(next.rawValue > number)
    }
  }

  @Test("the mark moves at most twice a second, and dates run ahead no further than that")
  func reserve() throws {
    let mark: SQL = "SELECT last FROM apus_unique64"
    try restart { db in
      func write() throws { try db.execute("INSERT INTO Note (ref) VALUES (\(Unique64()))") }
      try write()
      let first = try db.row(mark)?.values
      for _ in 0..<10 {
        clock.advance(by: 0.04)
        try write()
      }
      #expect(try db.row(mark)?.values == first)
      clock.advance(by: 0.2)
      try write()
      #expect(try db.row(mark)?.values != first)
      #expect(try db.rows(mark).count == 1)
    }
    try restart { _ in
      #expect(Unique64().date.timeIntervalSince(clock.read()) <= 0.501)
    }
  }

  @Test("a write that was rolled back does not count as having moved the mark")
  func rolledBack() throws {
    struct Failed: Error {}
    let id = try restart { db in
      #expect(throws: DatabaseError.self) {
        // The deferred key fails at the commit, after the mark was moved.
        try db.write { tx in
          try tx.execute(
            """
            CREATE TABLE Child (p INTEGER REFERENCES Parent DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE Parent (id INTEGER PRIMARY KEY)
            """)
          try tx.execute("INSERT INTO Child VALUES (\(Unique64()))")
        }
      }
      #expect(throws: Failed.self) {
        try db.write { tx in
          try tx.execute("INSERT INTO Note (ref) VALUES (\(Unique64()))")
          throw Failed()
        }
      }
      let id = Unique64()
      try db.execute("INSERT INTO Note (ref) VALUES (\(id))")
      return id
    }
    #expect(try hasMark)
    clock.advance(by: -5)
    try restart { _ in #expect(Unique64() > id) }
  }

  @Test("a damaged mark is ignored, and replaced", arguments: [Int64.max, -1, .min])
  func damaged(mark: Int64) throws {
    func write(_ db: Database) throws -> Unique64 {
      let id = Unique64()
      try db.execute("INSERT INTO Note (ref) VALUES (\(id))")
      return id
    }
    _ = try restart { try write($0) }
    try file.execute("UPDATE apus_unique64 SET last = \(mark)")
    let id = try restart { try write($0) }
    #expect(abs(id.date.timeIntervalSince(clock.read())) < 1)
    clock.advance(by: -60)
    try restart { _ in #expect(Unique64() > id) }
  }

  @Test("a file that gets no id, or whose schema the program does not change, gets no table")
  func noTable() throws {
    try restart { db in
      _ = Unique64()
      try db.execute(
        "INSERT INTO Note VALUES (\("x"), \(5)), (\("y"), \(Int64.max)), ('z', \(Int64.min))")
      _ = try db.rows("SELECT * FROM Note")
    }
    #expect(try !hasMark)
    var configuration = Configuration()
    configuration.schemaPolicy = .validated
    try restart(configuration) { try $0.execute("INSERT INTO Note (ref) VALUES (\(Unique64()))") }
    configuration.schemaPolicy = .locked
    try restart(configuration) { try $0.execute("INSERT INTO Note (ref) VALUES (\(Unique64()))") }
    #expect(try !hasMark)
  }

  @Test("the mark leaves the rowid of the last insert as it is")
  func sideEffects() throws {
    try restart { db in
      try db.write { tx in
        try tx.execute("CREATE TABLE Item (id INTEGER PRIMARY KEY, ref INTEGER)")
        try tx.execute("INSERT INTO Item VALUES (41, \(Unique64()))")
      }
      #expect(try db.write { try $0.lastInsertRowID } == 41)
    }
  }

  @Test("asynchronous writes that share a transaction move the mark as well")
  func shared() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Unique64.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let id = Unique64()
          try await file.write { try $0.execute("INSERT INTO Note (ref) VALUES (\(id))") }
          return id
        }
      }
      var ids: [Unique64] = []
      for try await id in group { ids.append(id) }
      let greatest = try #require(ids.max()?.rawValue)
      let mark = try await file.row("SELECT last FROM apus_unique64")?["last", as: Int64.self]
      #expect(try #require(mark) >= greatest)
    }
  }
}
