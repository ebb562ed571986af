import TestRun
import Testing

@testable import SQLCore

/// Reads all notes from any reader.
private func notes(in reader: some DatabaseReader) throws -> [Int] {
  try reader.read { try $0.rows("SELECT n FROM note ORDER BY n").map { try $0.get(at: 0) } }
}

@Suite("Every kind of reader", .blocking)
struct DatabaseReaderTests {
  enum Kind: CaseIterable { case file, memory, oneConnection, readOnlyFile, snapshot }

  /// A reader over a table of one note.
  private func make(_ kind: Kind) throws -> any DatabaseReader {
    let db =
      switch kind {
      case .memory: try Database.inMemory()
      case .oneConnection: try Database.temporary(configuration: .with { $0.maximumReaders = 0 })
      default: try Database.temporary()
      }
    try db.execute("CREATE TABLE note (n INTEGER); INSERT INTO note VALUES (1)")
    switch kind {
    case .snapshot: return try db.makeSnapshot()
    case .readOnlyFile:
      return try Database(
        location: db.location, configuration: .with { $0.isReadOnly = true },
        temporaryFile: db.temporaryFile)
    case .file, .memory, .oneConnection: return db
    }
  }

  @Test(
    "one protocol serves databases, snapshots and single connections", arguments: Kind.allCases)
  func oneProtocol(kind: Kind) throws {
    let reader = try make(kind)
    #expect(try notes(in: reader) == [1])
    // A reader may cross threads.
    #expect(try onAnotherThread { try notes(in: reader) } == [1])
  }

  @Test("a reader has the configuration that it was opened with", arguments: Kind.allCases)
  func configuration(kind: Kind) throws {
    let expected: (readers: Int, readOnly: Bool) =
      switch kind {
      case .oneConnection: (0, false)
      case .readOnlyFile: (4, true)
      case .file, .memory, .snapshot: (4, false)
      }
    let configuration = try make(kind).configuration
    #expect(configuration.maximumReaders == expected.readers)
    #expect(configuration.isReadOnly == expected.readOnly)
  }

  @Test(
    "synchronous and asynchronous reads return the value and rethrow the error",
    arguments: Kind.allCases)
  func values(kind: Kind) async throws {
    struct Failure: Error {}
    let reader = try make(kind)
    #expect(try await reader.read { try $0.value(Int.self, "SELECT n FROM note") } == 1)
    #expect(try await reader.read(on: .background) { _ in 2 } == 2)
    #expect(try await reader.read(deadline: .seconds(3_600)) { _ in 3 } == 3)
    #expect(
      try await reader.read(on: .background, deadline: .seconds(3_600)) { _ in 4 } == 4)
    await #expect(throws: Failure.self) { try await reader.read { _ in throw Failure() } }
    try onAnotherThread { () throws -> Void in
      #expect(try reader.read { _ in 5 } == 5)
      #expect(try reader.read(deadline: .seconds(3_600)) { _ in 6 } == 6)
      #expect(throws: Failure.self) { try reader.read { _ in throw Failure() } }
    }
  }

  @Test("raw SQL has the same verbs on every reader", arguments: Kind.allCases)
  func verbs(kind: Kind) async throws {
    let reader = try make(kind)
    #expect(try await reader.rows("SELECT n FROM note").count == 1)
    #expect(try await reader.row("SELECT n FROM note")?[0] == 1)
    #expect(try await reader.fetch((Int).self, "SELECT n FROM note") == [1])
    #expect(try await reader.table("SELECT n FROM note").rows.count == 1)
    try onAnotherThread { () throws -> Void in
      #expect(try reader.rows("SELECT n FROM note").count == 1)
      #expect(try reader.row("SELECT n FROM note")?[0] == 1)
      #expect(try reader.fetch((Int).self, "SELECT n FROM note") == [1])
      #expect(try reader.table("SELECT n FROM note").rows.count == 1)
    }
  }

  @Test("writing in a read throws read-only", arguments: Kind.allCases)
  func readOnly(kind: Kind) throws {
    let reader = try make(kind)
    for sql: SQL in ["INSERT INTO note VALUES (2)", "CREATE TABLE other (n)", "DROP TABLE note"] {
      let error = #expect(throws: DatabaseError.self) { try reader.read { try $0.execute(sql) } }
      #expect(error?.code.primary == .readOnly)
      #expect(throws: DatabaseError.self) {
        try reader.readWithoutTransaction { try $0.execute(sql) }
      }
    }
    #expect(try notes(in: reader) == [1])
  }

  @Test("an access inside another throws misuse on every reader", arguments: Kind.allCases)
  func reentrancy(kind: Kind) async throws {
    let reader = try make(kind)
    @Sendable func expectRefused() {
      for access: () throws -> Void in [
        { try reader.read { _ in } }, { try reader.readWithoutTransaction { _ in } },
        { _ = try reader.row("SELECT 1") },
      ] {
        let error = #expect(throws: DatabaseError.self) { try access() }
        #expect(error?.code == .misuse)
      }
    }
    try await reader.read { _ in expectRefused() }
    try await reader.read(on: .background) { _ in expectRefused() }
    try onAnotherThread { try reader.readWithoutTransaction { _ in expectRefused() } }
  }

  @Test(
    "an asynchronous access that begins on the thread of another throws misuse too",
    arguments: Kind.allCases)
  func asynchronousReentrancy(kind: Kind) async throws {
    let reader = try make(kind)
    // `Task.immediate` runs here until it would suspend.
    let tasks = try onAnotherThread {
      try reader.read { _ in
        [
          Task.immediate { try await reader.read { _ in } },
          Task.immediate { try await reader.read(on: .background) { _ in } },
        ]
      }
    }
    for task in tasks {
      let error = await #expect(throws: DatabaseError.self) { try await task.value }
      #expect(error?.code == .misuse)
    }
  }

  @Test("a read without a transaction begins none, on every reader", arguments: Kind.allCases)
  func unisolated(kind: Kind) async throws {
    let reader = try make(kind)
    let isHeld = kind == .snapshot
    #expect(try await reader.readWithoutTransaction { try $0.isInTransaction } == isHeld)
    let caller = ThreadID.current
    let thread = try await reader.readWithoutTransaction(on: .background) { _ in ThreadID.current }
    #expect(thread != caller)
    try onAnotherThread { () throws -> Void in
      #expect(try reader.readWithoutTransaction { try $0.isInTransaction } == isHeld)
    }
  }

  @Test(
    "a re-entrant read without a transaction uses the connection of the outer access",
    arguments: Kind.allCases)
  func reentrant(kind: Kind) throws {
    let reader = try make(kind)
    try reader.read { outer throws -> Void in
      try reader.readWithoutTransaction(isReentrant: true) { inner throws -> Void in
        #expect(inner.core === outer.core)
        #expect(try inner.value(Int.self, "SELECT n FROM note") == 1)
        #expect(throws: DatabaseError.self) { try inner.execute("DELETE FROM note") }
      }
      // The outer access goes on.
      #expect(try outer.value(Int.self, "SELECT n FROM note") == 1)
    }
    // Outside of any access it is an ordinary read.
    #expect(
      try reader.readWithoutTransaction(isReentrant: true) {
        try $0.value(Int.self, "SELECT n FROM note")
      } == 1)
  }

  @Test("a re-entrant read in a write sees uncommitted rows and leaves the write unchanged")
  func reentrantInWrite() throws {
    for db in [try Database.temporary(), try Database.inMemory()] {
      try db.execute("CREATE TABLE note (n INTEGER)")
      try db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        try db.readWithoutTransaction(isReentrant: true) { inner throws -> Void in
          #expect(try inner.value(Int.self, "SELECT count(*) FROM note") == 1)
          let error = #expect(throws: DatabaseError.self) {
            try inner.execute("INSERT INTO note VALUES (9)")
          }
          #expect(error?.code.primary == .readOnly)
        }
        try connection.execute("INSERT INTO note VALUES (2)")
      }
      #expect(try notes(in: db) == [1, 2])
    }
  }

  @Test("two statements of a read without a transaction may see different commits")
  func differentCommits() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE note (n INTEGER)")
    let counts = try db.readWithoutTransaction { connection in
      let first = try connection.value(Int.self, "SELECT count(*) FROM note")
      try onAnotherThread { try db.execute("INSERT INTO note VALUES (1)") }
      return [first, try connection.value(Int.self, "SELECT count(*) FROM note")]
    }
    #expect(counts == [0, 1])
  }

  @Test("a read sees one state while another connection writes, and a write waits for its lock")
  func otherWriter() throws {
    let db = try Database.temporary(configuration: .with { $0.busyTimeout = .seconds(3_600) })
    try db.execute("CREATE TABLE note (n INTEGER); INSERT INTO note VALUES (1)")
    let other = try Connection(path: try #require(db.path))
    try db.read { connection throws -> Void in
      #expect(try connection.value(Int.self, "SELECT count(*) FROM note") == 1)
      try other.execute("INSERT INTO note VALUES (2)")
      #expect(try connection.value(Int.self, "SELECT count(*) FROM note") == 1)
    }
    #expect(try notes(in: db) == [1, 2])
    try other.execute("BEGIN IMMEDIATE")
    try other.execute("INSERT INTO note VALUES (3)")
    // SQLite itself says that the write has met the lock.
    let locked = Stop()
    try db.onBusy { _ in
      locked.stop()
      return true
    }
    let writing = Running { try db.execute("INSERT INTO note VALUES (4)") }
    locked.wait()
    #expect(try notes(in: db) == [1, 2])
    try other.execute("COMMIT")
    locked.goOn()
    try writing.value()
    #expect(try notes(in: db) == [1, 2, 3, 4])
  }
}
