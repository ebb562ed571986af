import TestRun
import Testing

@testable import SQLCore

/// Each deadline here has passed already, or passes while nothing else can happen.
@Suite("Deadlines", .blocking)
struct DeadlineTests {
  private let db: Database

  init() throws {
    db = try Database.temporary(
      configuration: .with {
        $0.maximumReaders = 1
        $0.busyTimeout = .seconds(3_600)
      })
    try db.execute("CREATE TABLE note (n INTEGER)")
  }

  /// A statement that never ends by itself.
  private static let endless: SQL =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

  private func expectUsable() throws {
    try db.execute("INSERT INTO note VALUES (1)")
    #expect(try db.read { try $0.value(Int.self, "SELECT count(*) FROM note") } == 1)
    try db.close()
  }

  @Test(
    "a deadline of zero or in the past ends the access before its closure runs",
    arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(-1)])
  func past(deadline: Duration) async throws {
    @Sendable func fail(_: Connection) { Issue.record("the closure ran") }
    await #expect(throws: DeadlineExceeded.self) { try await db.read(deadline: deadline, fail) }
    await #expect(throws: DeadlineExceeded.self) {
      try await db.read(on: .background, deadline: deadline, fail)
    }
    await #expect(throws: DeadlineExceeded.self) { try await db.write(deadline: deadline, fail) }
    try onAnotherThread { [db] in
      #expect(throws: DeadlineExceeded.self) { try db.read(deadline: deadline, fail) }
      #expect(throws: DeadlineExceeded.self) { try db.write(deadline: deadline, fail) }
      try expectUsable()
    }
  }

  @Test("a deadline many years away has no effect", arguments: [Duration.seconds(Int64.max)])
  func far(deadline: Duration) async throws {
    #expect(try await db.read(deadline: deadline) { _ in 1 } == 1)
    #expect(try await db.write(deadline: deadline) { _ in 2 } == 2)
    try onAnotherThread { [db] () throws -> Void in
      #expect(try db.read(deadline: deadline) { _ in 3 } == 3)
      #expect(try db.write(deadline: deadline) { _ in 4 } == 4)
    }
  }

  @Test("a deadline ends the wait for a connection")
  func waiting() async throws {
    let holdings = [Holding(writerOf: db), Holding(readerOf: db)]
    await #expect(throws: DeadlineExceeded.self) {
      try await db.read(deadline: .milliseconds(1)) { _ in }
    }
    await #expect(throws: DeadlineExceeded.self) {
      try await db.write(deadline: .milliseconds(1)) { _ in }
    }
    for duration in [Duration.zero, .milliseconds(1)] {
      await #expect(throws: DeadlineExceeded.self) {
        try await db.write(deadline: duration) { _ in }
      }
      try onAnotherThread { [db] in
        #expect(throws: DeadlineExceeded.self) { try db.read(deadline: duration) { _ in } }
        #expect(throws: DeadlineExceeded.self) { try db.write(deadline: duration) { _ in } }
      }
    }
    for holding in holdings { holding.end() }
    try onAnotherThread { try expectUsable() }
  }

  @Test("a deadline ends a running statement")
  func running() async throws {
    let endless = Self.endless
    await #expect(throws: DeadlineExceeded.self) {
      try await db.read(deadline: .milliseconds(1)) { try $0.execute(endless) }
    }
    await #expect(throws: DeadlineExceeded.self) {
      try await db.read(on: .background, deadline: .milliseconds(20)) { try $0.execute(endless) }
    }
    await #expect(throws: DeadlineExceeded.self) {
      try await db.write(deadline: .milliseconds(20)) { connection in
        try connection.execute("INSERT INTO note VALUES (7)")
        try connection.execute("INSERT INTO note \(unsafe: endless.text)")
      }
    }
    try onAnotherThread { [db] in
      #expect(throws: DeadlineExceeded.self) {
        try db.read(deadline: .milliseconds(20)) { try $0.execute(endless) }
      }
      #expect(throws: DeadlineExceeded.self) {
        try db.write(deadline: .milliseconds(20)) { connection in
          try connection.execute("INSERT INTO note VALUES (7)")
          try connection.execute(endless)
        }
      }
      try expectUsable()
    }
  }

  @Test("a deadline is checked when each statement begins, however short it is")
  func shortStatements() throws {
    #expect(throws: DeadlineExceeded.self) {
      try db.read(deadline: .milliseconds(5)) { connection in
        while true { _ = try connection.prepare("SELECT 1").step() }
      }
    }
    #expect(throws: DeadlineExceeded.self) {
      try db.write(deadline: .milliseconds(5)) { connection in
        while true { try connection.execute("INSERT INTO note VALUES (7)") }
      }
    }
    try expectUsable()
  }

  @Test("a closure that catches the deadline error and returns commits nothing")
  func caught() async throws {
    let endless = Self.endless
    await #expect(throws: DeadlineExceeded.self) {
      try await db.write(deadline: .milliseconds(5)) { connection in
        try connection.execute("INSERT INTO note VALUES (7)")
        try? connection.execute(endless)
      }
    }
    try onAnotherThread { [db] in
      struct Failure: Error {}
      #expect(throws: DeadlineExceeded.self) {
        try db.write(deadline: .milliseconds(5)) { connection in
          try connection.execute("INSERT INTO note VALUES (7)")
          try? connection.savepoint { try $0.execute(endless) }
          throw Failure()
        }
      }
      #expect(throws: DeadlineExceeded.self) {
        try db.read(deadline: .milliseconds(5)) { try? $0.execute(endless) }
      }
      try expectUsable()
    }
  }

  @Test("a deadline ends the wait for another connection's lock")
  func busy() async throws {
    let other = try Connection(path: try #require(db.path))
    try other.execute("BEGIN IMMEDIATE")
    await #expect(throws: DeadlineExceeded.self) {
      try await db.write(deadline: .milliseconds(10)) { _ in }
    }
    try onAnotherThread { [db] in
      _ = #expect(throws: DeadlineExceeded.self) {
        try db.write(deadline: .milliseconds(10)) { _ in }
      }
    }
    try other.execute("ROLLBACK")
    try onAnotherThread { try expectUsable() }
  }

  @Test("without a deadline, the busy timeout ends the wait for a lock")
  func busyTimeout() throws {
    let path = try #require(db.path)
    let other = try Connection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let db = try Database(
      path: path, configuration: .with { $0.busyTimeout = .milliseconds(5) })
    let error = #expect(throws: DatabaseError.self) { try db.write { _ in } }
    #expect(error?.code.primary == .busy)
    try other.execute("ROLLBACK")
    try db.write { _ in }
  }

  @Test("a deadline does not carry over to the next access")
  func next() async throws {
    try await db.read(deadline: .seconds(3_600)) { _ in }
    try await db.write(deadline: .seconds(3_600)) { _ in }
    await #expect(throws: DeadlineExceeded.self) { try await db.read(deadline: .zero) { _ in } }
    let count = try await db.read { connection in
      try connection.value(
        Int.self,
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
        SELECT count(*) FROM n
        """)
    }
    #expect(count == 100_000)
  }
}
