import SQLCore
import TestRun
import Testing

@Suite("Access from inside another access", .blocking)
struct ReentrancyTests {
  /// A database with one connection for everything, and a file with a full pool.
  private func databases() throws -> [Database] {
    let databases = [try Database.inMemory(), try Database.temporary()]
    for db in databases { try db.execute("CREATE TABLE note (n)") }
    return databases
  }

  private func expectMisuse(
    sourceLocation: SourceLocation = #_sourceLocation, _ access: () throws -> Void
  ) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try access() }
    #expect(error?.code == .misuse, sourceLocation: sourceLocation)
    #expect(
      error?.message.hasPrefix("the database was accessed from inside") == true,
      sourceLocation: sourceLocation)
  }

  /// Expects that each access is refused inside another.
  private func expectAllRefused(_ db: Database) {
    expectMisuse { try db.read { _ in } }
    expectMisuse { try db.write { _ in } }
    expectMisuse { _ = try db.row("SELECT 1") }
    expectMisuse { _ = try db.rows("SELECT 1") }
    expectMisuse { try db.execute("INSERT INTO note VALUES (1)") }
    expectMisuse { try db.writeWithoutTransaction { _ in } }
    expectMisuse { _ = try db.fetch((Int).self, "SELECT 1") }
  }

  private func expectUsable(_ db: Database, rows: Int) throws {
    try db.execute("INSERT INTO note VALUES (1)")
    #expect(try db.read { try $0.value(Int.self, "SELECT count(*) FROM note") } == rows)
  }

  @Test("an access inside a read, a write, or a write without a transaction throws misuse")
  func sync() throws {
    for db in try databases() {
      try db.read { _ in expectAllRefused(db) }
      try db.write { connection in
        expectAllRefused(db)
        try connection.execute("INSERT INTO note VALUES (0)")
      }
      try db.writeWithoutTransaction { _ in expectAllRefused(db) }
      try expectUsable(db, rows: 2)
    }
  }

  @Test("an access inside an asynchronous access throws misuse, on any thread")
  func async() async throws {
    for db in try databases() {
      try await db.read { _ in expectAllRefused(db) }
      try await db.read { _ in expectAllRefused(db) }
      try await db.write { _ in expectAllRefused(db) }
      try await Task { @MainActor in try await db.read { _ in expectAllRefused(db) } }.value
      try onAnotherThread { try expectUsable(db, rows: 1) }
    }
  }

  @Test("an uncaught misuse is thrown by the outer write, which is undone")
  func uncaught() throws {
    for db in try databases() {
      expectMisuse {
        try db.write { connection in
          try connection.execute("INSERT INTO note VALUES (0)")
          try db.read { _ in }
        }
      }
      try expectUsable(db, rows: 1)
    }
  }

  @Test("an access to another database is not re-entrant")
  func other() throws {
    let databases = try databases()
    try databases[0].write { first in
      try databases[1].write { second in
        try first.execute("INSERT INTO note VALUES (1)")
        try second.execute("INSERT INTO note VALUES (1)")
      }
      _ = try databases[1].row("SELECT 1")
    }
  }

  @Test("a task created inside a closure is a separate access that waits for its turn")
  func taskInside() async throws {
    let db = try Database.temporary()
    try await db.write { try $0.execute("CREATE TABLE note (n)") }
    let task = try await db.write { connection in
      try connection.execute("INSERT INTO note VALUES (1)")
      return Task { try await db.write { try $0.execute("INSERT INTO note VALUES (2)") } }
    }
    try await task.value
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 2)
  }
}
