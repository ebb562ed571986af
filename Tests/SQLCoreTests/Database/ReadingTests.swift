import SQLCore
import TestRun
import Testing

@Suite("Reading", .blocking)
struct ReadingTests {
  private struct Failure: Error {}
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute(
      "CREATE TABLE note (n INTEGER); CREATE INDEX ns ON note (n); INSERT INTO note VALUES (1)")
  }

  private func count(_ connection: Connection) throws -> Int? {
    try connection.value(Int.self, "SELECT count(*) FROM note")
  }

  @Test("a read returns the closure's value and rethrows its error")
  func value() async throws {
    let seven = try onAnotherThread { [db] in try db.read { _ in 7 } }
    #expect(seven == 7)
    #expect(try await db.read { try $0.value(Int.self, "SELECT n FROM note") } == 1)
    await #expect(throws: Failure.self) { try await db.read { _ in throw Failure() } }
    #expect(throws: Failure.self) { try db.read { _ in throw Failure() } }
  }

  @Test("a read sees one state while others write, and the next read sees their commits")
  func snapshot() throws {
    let other = try Database(path: try #require(db.path))
    try db.read { connection in
      #expect(try count(connection) == 1)
      try onAnotherThread { [db] in try db.execute("INSERT INTO note VALUES (2)") }
      try other.execute("INSERT INTO note VALUES (3)")
      #expect(try other.read { try count($0) } == 3)
      #expect(try count(connection) == 1)
      #expect(try connection.rows("SELECT * FROM note").count == 1)
    }
    #expect(try db.read { try count($0) } == 3)
  }

  @Test("after a failed read or an open savepoint, the next read has a new snapshot")
  func afterFailure() throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    try db.execute("CREATE TABLE note (n); INSERT INTO note VALUES (1), (2)")
    #expect(throws: Failure.self) {
      try db.read { connection in
        try connection.forEach("SELECT * FROM note") { _ in throw Failure() }
      }
    }
    try db.execute("INSERT INTO note VALUES (3)")
    #expect(try db.read { try count($0) } == 3)
    try db.read { connection in
      try connection.execute("SAVEPOINT mine")
      #expect(try count(connection) == 3)
    }
    try db.execute("INSERT INTO note VALUES (4)")
    #expect(try db.read { try count($0) } == 4)
  }

  static let writing: [SQL] = [
    "INSERT INTO note VALUES (2)", "UPDATE note SET n = 2", "DELETE FROM note",
    "CREATE TABLE other (n)", "CREATE TEMP TABLE other (n)", "DROP TABLE note",
    "ALTER TABLE note ADD COLUMN m", "CREATE INDEX i ON note (n)", "PRAGMA user_version = 7",
    "ATTACH ':memory:' AS other", "ATTACH 'apus-attached.sqlite' AS other", "DETACH other",
    "PRAGMA query_only = 0", "pragma QUERY_ONLY(off)", "VACUUM",
    "INSERT INTO note VALUES (2) RETURNING n", "PRAGMA journal_mode = DELETE", "REINDEX",
  ]

  @Test("a write in a read throws read-only, DDL included", arguments: writing.indices)
  func readOnly(index: Int) throws {
    try expectReadOnly(Self.writing[index], in: db)
  }

  @Test(
    "a write in a read throws read-only in memory too, where the connection could write",
    arguments: writing.indices)
  func readOnlyInMemory(index: Int) throws {
    let db = try Database.inMemory()
    try db.execute(
      "CREATE TABLE note (n INTEGER); CREATE INDEX ns ON note (n); INSERT INTO note VALUES (1)")
    try expectReadOnly(Self.writing[index], in: db)
  }

  private func expectReadOnly(_ sql: SQL, in db: Database) throws {
    let error = #expect(throws: DatabaseError.self) { try db.read { try $0.execute(sql) } }
    #expect(error?.code.primary == .readOnly, "\(String(describing: error))")
    #expect(error?.message == "this access only reads; write in `write { }`")
    #expect(throws: DatabaseError.self) { try db.rows(sql) }
    #expect(throws: DatabaseError.self) { try db.row(sql) }
    #expect(throws: DatabaseError.self) { try db.read { try $0.prepare(sql).run() } }
    // Also after a statement that reads.
    #expect(throws: DatabaseError.self) { try db.read { try $0.execute("SELECT 1;" + sql) } }
    #expect(try db.read { try count($0) } == 1)
    #expect(try db.row("PRAGMA user_version")?[0] == 0)
    try db.execute("INSERT INTO note VALUES (2)")
    #expect(try db.read { try count($0) } == 2)
  }

  @Test("in memory, a read cannot run the writer's cached statements")
  func cachedByWriter() throws {
    let db = try Database.inMemory()
    try db.execute("CREATE TABLE note (n)")
    let attach: SQL = "ATTACH ':memory:' AS other"
    try db.writeWithoutTransaction { connection in
      try connection.execute(attach)
      try connection.execute("DETACH other")
      try connection.execute("INSERT INTO note VALUES (1)")
    }
    for sql: SQL in [attach, "DETACH other", "INSERT INTO note VALUES (1)"] {
      let error = #expect(throws: DatabaseError.self) { try db.read { try $0.execute(sql) } }
      #expect(error?.code.primary == .readOnly)
    }
  }

  @Test("transaction control is refused in a read")
  func rawTransaction() throws {
    try db.read { connection in
      for sql: SQL in ["COMMIT", "BEGIN", "ROLLBACK", "BEGIN IMMEDIATE"] {
        #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      }
      #expect(throws: DatabaseError.self) { try connection.transaction { _ in } }
      let isInTransaction = try connection.isInTransaction
      #expect(isInTransaction)
    }
  }

  @Test("every use of a connection after its closure throws misuse")
  func keptConnection() throws {
    for db in [db, try Database.inMemory()] {
      var kept: [Connection] = []
      try db.read { kept.append($0) }
      try db.write { kept.append($0) }
      for connection in kept {
        for use: () throws -> Void in [
          { try connection.execute("SELECT 1") }, { _ = try connection.rows("SELECT 1") },
          { _ = try connection.row("SELECT 1") }, { try connection.forEach("SELECT 1") { _ in } },
          { _ = try connection.prepare("SELECT 1") }, { _ = try connection.isInTransaction },
          { try connection.transaction { _ in } }, { try connection.savepoint { _ in } },
          { try connection.requestRollback() }, { _ = try connection.changeCount },
          { _ = try connection.totalChangeCount }, { _ = try connection.lastInsertRowID },
          { _ = try connection.statementCacheStatistics }, { _ = try connection.tableExists("a") },
          { _ = try connection.fetch((Int).self, "SELECT 1") },
          { _ = try connection.table("SELECT 1") },
        ] {
          let error = #expect(throws: DatabaseError.self) { try use() }
          #expect(error?.code == .misuse)
        }
      }
      #expect(try db.row("SELECT 1")?[0] == 1)
    }
  }

  @Test("a PRAGMA that queries a setting runs in a read, and one that sets it does not")
  func askingPragmas() throws {
    let db = try Database.temporary()
    #expect(try db.row("PRAGMA journal_mode")?[0] == "wal")
    #expect(try db.row("PRAGMA main.journal_mode")?[0] == "wal")
    try db.read { connection in
      for name in [
        "journal_mode", "application_id", "auto_vacuum", "busy_timeout", "cache_size",
        "data_version", "encoding", "foreign_keys", "freelist_count", "page_count", "page_size",
        "query_only", "schema_version", "synchronous", "user_version", "wal_autocheckpoint",
      ] {
        let rows = try connection.rows("PRAGMA \(unsafe: name)")
        #expect(rows.count == 1, "\(name)")
      }
      let error = #expect(throws: DatabaseError.self) {
        try connection.execute("PRAGMA journal_mode = DELETE")
      }
      #expect(error?.code == .readOnly)
    }
    #expect(try db.row("PRAGMA journal_mode")?[0] == "wal")
  }
}
