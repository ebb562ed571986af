import TestRun
import Testing

@testable import SQLCore

/// An SQL function stops in the middle of a statement, so that no interruption is a race.
@Suite("Interruption", .blocking)
struct InterruptionTests {
  private let stop = Stop()
  private let db: Database

  init() throws {
    db = try Database.temporary(configuration: SQLHook(stop.stop).configuration())
    try db.execute("CREATE TABLE note (n INTEGER)")
  }

  /// Interrupts the statement that stopped in the hook.
  private func interrupt() {
    stop.wait()
    db.interrupt()
    stop.goOn()
  }

  private func code(_ error: (any Error)?) -> ResultCode? {
    (error as? DatabaseError)?.code.primary
  }

  private func expectRows(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let found = try db.read { try $0.value(Int.self, "SELECT count(*) FROM note") }
    #expect(found == count, sourceLocation: sourceLocation)
  }

  @Test("`interrupt()` from another thread ends a running statement, which throws interrupt")
  func running() throws {
    let reading = Running { [db] in try db.read { try $0.rows(SQLHook.rows).count } }
    interrupt()
    #expect(code(reading.error()) == .interrupt)
    let writing = Running { [db] in
      try db.writeWithoutTransaction { try $0.execute(SQLHook.insertion) }
    }
    interrupt()
    #expect(code(writing.error()) == .interrupt)
    try expectRows(0)
    let both = (0..<2).map { _ in
      Running { [db] in try db.read { try $0.rows(SQLHook.rows).count } }
    }
    stop.wait()
    stop.wait()
    db.interrupt()
    stop.goOn()
    stop.goOn()
    for reading in both { #expect(code(reading.error()) == .interrupt) }
  }

  @Test("`interrupt()` ends the wait for another connection's lock")
  func waitingForLock() throws {
    let path = try #require(db.path)
    let other = try Connection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    let db = try Database(path: path, configuration: .with { $0.busyTimeout = .seconds(3_600) })
    let writing = Running { try db.write { try $0.execute("INSERT INTO note VALUES (1)") } }
    let isOver = Shared(false)
    let interrupting = Running {
      while !isOver.current { db.interrupt() }
    }
    #expect(code(writing.error()) == .interrupt)
    isOver.change { $0 = true }
    try interrupting.value()
    try other.execute("ROLLBACK")
    try db.execute("INSERT INTO note VALUES (2)")
    try expectRows(1)
  }

  @Test("`interrupt()` does nothing if nothing runs, and does not affect later statements")
  func idle() throws {
    db.interrupt()
    try expectRows(0)
    try db.write { connection in
      db.interrupt()
      try connection.execute("INSERT INTO note VALUES (1)")
      db.interrupt()
      try connection.execute("INSERT INTO note VALUES (2)")
      db.interrupt()
    }
    db.interrupt()
    try expectRows(2)
    let memory = try Database.inMemory()
    memory.interrupt()
    #expect(try memory.row("SELECT 1")?[0] == 1)
    try memory.close()
    memory.interrupt()
  }

  /// Runs a write whose second statement is interrupted after the first inserted a row.
  private func interruptedWrite(
    _ body: @escaping @Sendable (Connection, (any Error)?) throws -> Void
  ) -> (any Error)? {
    let writing = Running { [db] in
      try db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        var failure: (any Error)?
        do {
          try connection.execute(SQLHook.insertion)
        } catch {
          failure = error
        }
        try body(connection, failure)
      }
    }
    interrupt()
    return writing.error()
  }

  @Test("an interrupted write in a transaction rolls the whole transaction back")
  func rollsBack() throws {
    let error = interruptedWrite { connection, failure in
      #expect((failure as? DatabaseError)?.code.primary == .interrupt)
      let isInTransaction = try connection.isInTransaction
      #expect(!isInTransaction)
    }
    #expect(code(error) == .abort)
    try expectRows(0)
    try db.execute("INSERT INTO note VALUES (1)")
    try expectRows(1)
  }

  @Test("after the interruption, every access of the closure throws abort")
  func nextThrows() throws {
    let error = interruptedWrite { connection, _ in
      let accesses: [(Connection) throws -> Void] = [
        { try $0.execute("INSERT INTO note VALUES (2)") }, { _ = try $0.rows("SELECT 1") },
        { _ = try $0.row("SELECT 1") }, { try $0.forEach("SELECT 1") { _ in } },
        { try $0.savepoint { _ in } }, { try $0.transaction { _ in } },
        { _ = try $0.prepare("SELECT 1").step() },
        { _ = try $0.fetch((Int).self, "SELECT 1") },
      ]
      for access in accesses {
        let error = #expect(throws: DatabaseError.self) { try access(connection) }
        #expect(error?.code == .abort)
      }
    }
    #expect(code(error) == .abort)
    try expectRows(0)
  }

  @Test("the write throws abort if the closure catches everything and returns")
  func caught() throws {
    #expect(code(interruptedWrite { _, _ in }) == .abort)
    try expectRows(0)
  }

  @Test("the write throws abort if the closure does not catch the error")
  func uncaught() throws {
    let error = interruptedWrite { _, failure in if let failure { throw failure } }
    #expect(code(error) == .abort)
    #expect((error as? DatabaseError)?.message.contains("interrupted") == true)
    try expectRows(0)
  }

  @Test("the write throws abort whatever the closure throws later, also after a savepoint")
  func followed() throws {
    struct Failure: Error {}
    #expect(code(interruptedWrite { _, _ in throw Failure() }) == .abort)
    let writing = Running { [db] in
      try db.write { connection in
        try? connection.savepoint { try $0.execute(SQLHook.insertion) }
        try? connection.execute("INSERT INTO note VALUES (3)")
        throw Failure()
      }
    }
    interrupt()
    #expect(code(writing.error()) == .abort)
    try expectRows(0)
  }

  @Test("an interrupted write is undone in memory and without readers as well")
  func oneConnection() throws {
    let stop = stop
    let configuration = SQLHook(stop.stop).configuration { $0.maximumReaders = 0 }
    for db in [
      try Database.inMemory(configuration: configuration),
      try Database.temporary(configuration: configuration),
    ] {
      try db.execute("CREATE TABLE note (n INTEGER)")
      let writing = Running {
        try db.write { connection in
          try connection.execute("INSERT INTO note VALUES (1)")
          try? connection.execute(SQLHook.insertion)
        }
      }
      stop.wait()
      db.interrupt()
      stop.goOn()
      #expect(code(writing.error()) == .abort)
      #expect(try db.row("SELECT count(*) FROM note")?[0] == 0)
    }
  }

  @Test("after an interruption in a raw transaction the next insert is stored, and COMMIT throws")
  func byHand() throws {
    let writing = Running { [db] in
      try db.writeWithoutTransaction { connection in
        try connection.execute("BEGIN")
        try connection.execute("INSERT INTO note VALUES (1)")
        let error = #expect(throws: DatabaseError.self) {
          try connection.execute(SQLHook.insertion)
        }
        #expect(error?.code.primary == .interrupt)
        try connection.execute("INSERT INTO note VALUES (2)")
        let failure = #expect(throws: DatabaseError.self) { try connection.execute("COMMIT") }
        #expect(failure?.message == "cannot commit - no transaction is active")
      }
    }
    interrupt()
    #expect(writing.error() == nil)
    #expect(try db.rows("SELECT n FROM note").map { $0[0] } == [2])
  }

  @Test("`isInterruption` is true for interrupt and abort, and for no other code")
  func isInterruption() {
    for code in Int32(0)...101 {
      let error = DatabaseError(code: ResultCode(rawValue: code), message: "")
      #expect(error.isInterruption == (code == 9 || code == 4), "\(code)")
    }
    let extended = DatabaseError(code: ResultCode(rawValue: 4 | 2 << 8), message: "")
    #expect(extended.isInterruption)
  }

  @Test("an interrupted read inside a write leaves the transaction open")
  func readInWrite() throws {
    let writing = Running { [db] in
      try db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        #expect(throws: DatabaseError.self) { try connection.rows(SQLHook.rows) }
        try connection.execute("INSERT INTO note VALUES (2)")
      }
    }
    interrupt()
    #expect(writing.error() == nil)
    try expectRows(2)
  }

  @Test("an interrupted statement that is kept does not keep its transaction open")
  func keptStatement() throws {
    try db.execute("INSERT INTO note VALUES (1), (2), (3)")
    let writing = Running { [db] in
      var kept: Statement?
      defer { withExtendedLifetime(kept) {} }
      try db.write { connection in
        let statement = try connection.prepare("SELECT n FROM note")
        _ = try statement.step()
        kept = statement
        try connection.execute("INSERT INTO note VALUES (4)")
        _ = try connection.rows(SQLHook.rows)
      }
    }
    interrupt()
    #expect(code(writing.error()) == .interrupt)
    try expectRows(3)
    try db.execute("INSERT INTO note VALUES (5)")
    try expectRows(4)
  }

  @Test("under constant interruption each write is either complete or undone")
  func always() throws {
    let isOver = Shared(false)
    let db = db
    let interrupting = Running {
      while !isOver.current { db.interrupt() }
    }
    let writing = Running {
      var stored = 0
      for number in 0..<TestSize.count(small: 300, full: 3_000) {
        do {
          try db.write { connection in
            try connection.execute("INSERT INTO note VALUES (\(number))")
            try? connection.savepoint { connection in
              try connection.execute("INSERT INTO note VALUES (-1)")
              throw CancellationError()
            }
            try connection.execute("INSERT INTO note VALUES (\(number))")
          }
          stored += 1
        } catch let error as DatabaseError where error.isInterruption {}
      }
      return stored
    }
    let stored = try writing.value()
    isOver.change { $0 = true }
    try interrupting.value()
    try expectRows(2 * stored)
    #expect(try db.row("SELECT count(*) FROM note WHERE n < 0")?[0] == 0)
    #expect(try db.fetch((Int).self, "SELECT count(DISTINCT n) FROM note") == [stored])
  }
}
