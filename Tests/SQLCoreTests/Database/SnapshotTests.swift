import TestRun
import Testing

@testable import SQLCore

@Suite("Snapshots", .blocking)
struct SnapshotTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute("CREATE TABLE note (n INTEGER); INSERT INTO note VALUES (1)")
  }

  private func count(in reader: any DatabaseReader) throws -> Int? {
    try reader.read { try $0.value(Int.self, "SELECT count(*) FROM note") }
  }

  @Test("a snapshot sees one state until it is renewed, whatever is committed")
  func oneState() throws {
    // Held from the creation of the snapshot, not from its first read.
    let snapshot = try db.makeSnapshot()
    try db.execute("INSERT INTO note VALUES (2)")
    try Connection(path: try #require(db.path)).execute("INSERT INTO note VALUES (3)")
    for _ in 0..<3 {
      #expect(try count(in: snapshot) == 1)
      #expect(try snapshot.readWithoutTransaction { try $0.rows("SELECT * FROM note").count } == 1)
    }
    #expect(try count(in: db) == 3)
    try snapshot.renew()
    #expect(try count(in: snapshot) == 3)
    try db.execute("DELETE FROM note; DROP TABLE note")
    #expect(try count(in: snapshot) == 3)
  }

  @Test("several snapshots hold several states")
  func several() async throws {
    var snapshots: [DatabaseSnapshot] = []
    for number in 2...6 {
      snapshots.append(try await db.makeSnapshot())
      try await db.execute("INSERT INTO note VALUES (\(number))")
    }
    for (index, snapshot) in snapshots.enumerated() {
      #expect(try await snapshot.fetch((Int).self, "SELECT count(*) FROM note") == [index + 1])
      try await snapshot.renew()
      #expect(try await snapshot.row("SELECT count(*) FROM note")?[0] == 6)
    }
  }

  @Test("a snapshot takes no reader from its database, and outlives it")
  func independent() throws {
    let snapshot: DatabaseSnapshot
    do {
      let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
      try db.execute("CREATE TABLE note (n)")
      snapshot = try db.makeSnapshot()
      let holding = Running { try snapshot.read { _ in try db.read { _ in 7 } } }
      #expect(try holding.value() == 7)
      try db.close()
    }
    #expect(try count(in: snapshot) == 0)
  }

  @Test("a snapshot has what is registered on its database before and after it was made")
  func registrations() throws {
    try db.function("half") { (number: Int) in number / 2 }
    let snapshot = try db.makeSnapshot()
    func value(_ sql: SQL) throws -> Int? { try snapshot.read { try $0.value(Int.self, sql) } }
    let found = try value("SELECT half(8)")
    #expect(found == 4)
    try db.register(
      Registration { connection in
        try connection.function("third") { (number: Int) in number / 3 }
      })
    let found2 = try value("SELECT third(9)")
    #expect(found2 == 3)
    try snapshot.renew()
    let found3 = try value("SELECT half(third(12))")
    #expect(found3 == 2)
    let found4 = try count(in: snapshot)
    #expect(found4 == 1)
  }

  @Test("an error, an interruption, a cancellation and a deadline leave the state unchanged")
  func afterErrors() async throws {
    let stop = Stop()
    let db = try Database.temporary(configuration: SQLHook(stop.stop).configuration())
    try await db.execute("CREATE TABLE note (n INTEGER)")
    let snapshot = try await db.makeSnapshot()
    try await db.execute("INSERT INTO note VALUES (1)")
    func expectEmpty() async throws {
      #expect(try await snapshot.row("SELECT count(*) FROM note")?[0] == 0)
    }
    await #expect(throws: DatabaseError.self) { try await snapshot.rows("SELECT nothing") }
    try await expectEmpty()
    let task = Task.immediate {
      try await snapshot.read(on: .background) { try $0.rows(SQLHook.rows).count }
    }
    stop.wait()
    snapshot.interrupt()
    stop.goOn()
    let error = await #expect(throws: DatabaseError.self) { try await task.value }
    #expect(error?.code.primary == .interrupt)
    try await expectEmpty()
    let cancelled = Task.immediate {
      try await snapshot.read(on: .background) { try $0.rows(SQLHook.rows).count }
    }
    stop.wait()
    cancelled.cancel()
    stop.goOn()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await expectEmpty()
    await #expect(throws: DeadlineExceeded.self) {
      try await snapshot.read(deadline: .zero) { _ in }
    }
    try await expectEmpty()
  }

  @Test("a snapshot's closure can neither end its transaction nor write")
  func guarded() throws {
    let snapshot = try db.makeSnapshot()
    try db.execute("INSERT INTO note VALUES (2)")
    try snapshot.read { connection in
      for sql: SQL in ["COMMIT", "ROLLBACK", "BEGIN", "END", "DELETE FROM note", "VACUUM"] {
        #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      }
      try connection.requestRollback()
      try connection.savepoint { _ in }
    }
    #expect(try count(in: snapshot) == 1)
  }

  @Test("a database in memory has no snapshots, and the error says what to do")
  func memory() throws {
    let error = #expect(throws: DatabaseError.self) { try Database.inMemory().makeSnapshot() }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("Database.temporary()") == true)
  }
}
