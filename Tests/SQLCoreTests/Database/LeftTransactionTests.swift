import Testing

@testable import SQLCore

/// A rollback needs memory and may fail. Then a connection returns to the pool in a transaction.
@Suite("Transactions that could not be rolled back")
struct LeftTransactionTests {
  /// Leaves a connection of a lane in a transaction that has begun to read.
  private func leaveTransaction(_ db: Database, _ lane: ConnectionPool.LaneName) throws {
    try db.access.run(lane, AccessOptions()) { core in
      try core.run(cached: lane == .writer ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
      try core.run(cached: "SELECT count(*) FROM note")
    }
  }

  private func writeSynchronously(to db: Database) throws {
    try db.write { try $0.execute("INSERT INTO note VALUES (1)") }
  }

  @Test("the next read sees what was committed since, not the old snapshot")
  func reader() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE note (n)")
    try leaveTransaction(db, .reader)
    try db.execute("INSERT INTO note VALUES (1)")
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 1)
    #expect(db.laneStatuses.reader.isWhole)
  }

  @Test("the next write begins a transaction of its own")
  func writer() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE note (n)")
    try leaveTransaction(db, .writer)
    try writeSynchronously(to: db)
    try leaveTransaction(db, .writer)
    try await db.write { try $0.execute("INSERT INTO note VALUES (2)") }
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 2)
  }

  @Test("a write that cannot be undone is not committed")
  func shared() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE note (n)")
    // As when memory is exhausted: the savepoint cannot be ended, and nothing can be rolled back.
    let denying = try db.onAuthorize { action in
      switch action.kind {
      case .savepoint(operation: "RELEASE", _), .savepoint(operation: "ROLLBACK", _),
        .transaction(operation: "ROLLBACK"):
        .deny
      default: .allow
      }
    }
    await #expect(throws: DatabaseError.self) {
      try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
    }
    try db.remove(denying)
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 0)
    try await db.write { try $0.execute("INSERT INTO note VALUES (2)") }
    #expect(try await db.rows("SELECT n FROM note").map(\.values) == [[2]])
  }

  @Test("the next stream of rows sees what was committed since")
  func stream() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE note (n)")
    try leaveTransaction(db, .stream)
    try await db.execute("INSERT INTO note VALUES (1)")
    var rows: [Row] = []
    for try await row in db.stream("SELECT n FROM note") { rows.append(row) }
    #expect(rows.map(\.values) == [[1]])
  }
}
