import Dispatch
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Closing a database", .blocking)
struct ClosingTests {
  private func expectMisuse(
    sourceLocation: SourceLocation = #_sourceLocation, _ access: () throws -> Void
  ) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try access() }
    #expect(error?.code == .misuse, sourceLocation: sourceLocation)
    #expect(error?.message == "the database is closed", sourceLocation: sourceLocation)
  }

  private func databases() throws -> [Database] {
    [
      try Database.temporary(), try Database.inMemory(),
      try Database.temporary(configuration: .with { $0.maximumReaders = 0 }),
    ]
  }

  @Test("after `close()` every synchronous access throws misuse, and closing again does nothing")
  func closed() throws {
    for db in try databases() {
      try db.read { _ in }
      try db.close()
      try db.close()
      expectMisuse { try db.read { _ in } }
      expectMisuse { try db.read(deadline: .zero) { _ in } }
      expectMisuse { try db.write { _ in } }
      expectMisuse { try db.writeWithoutTransaction { _ in } }
      expectMisuse { try db.readWithoutTransaction { _ in } }
      expectMisuse { try db.readWithoutTransaction(isReentrant: true) { _ in } }
      expectMisuse { try db.execute("SELECT 1") }
      expectMisuse { _ = try db.row("SELECT 1") }
      expectMisuse { _ = try db.makeSnapshot() }
      db.interrupt()
    }
  }

  @Test("after `close()` every asynchronous access throws misuse") @MainActor
  func closedAsync() async throws {
    for db in try databases() {
      try await db.close()
      let accesses: [@Sendable () async throws -> Void] = [
        { try await db.read { _ in } }, { try await db.read(on: .background) { _ in } },
        { try await db.write { _ in } }, { try await db.write(alone: true) { _ in } },
        { try await db.write(deadline: .seconds(3_600)) { _ in } },
        { try await db.writeWithoutTransaction { _ in } },
        { try await db.readWithoutTransaction { _ in } },
        { try await db.execute("SELECT 1") }, { _ = try await db.rows("SELECT 1") },
        { _ = try await db.makeSnapshot() },
      ]
      for access in accesses {
        let error = await #expect(throws: DatabaseError.self) { try await access() }
        #expect(error?.code == .misuse)
      }
    }
  }

  @Test("a closed snapshot throws, and its database stays usable")
  func closedSnapshot() async throws {
    let db = try Database.temporary()
    let snapshot = try await db.makeSnapshot()
    try await snapshot.close()
    try await snapshot.close()
    expectMisuse { try snapshot.read { _ in } }
    expectMisuse { try snapshot.renew() }
    await #expect(throws: DatabaseError.self) { try await snapshot.read { _ in } }
    await #expect(throws: DatabaseError.self) { try await snapshot.renew() }
    #expect(try await db.row("SELECT 1")?[0] == 1)
  }

  @Test("closing while an access runs throws busy and leaves the database usable")
  func busy() throws {
    for db in try databases() {
      try db.execute("CREATE TABLE note (n)")
      let writing = Holding(writerOf: db)
      let error = #expect(throws: DatabaseError.self) { try db.close() }
      #expect(error?.code.primary == .busy)
      writing.end()
      let holding = Holding(readerOf: db)
      #expect(throws: DatabaseError.self) { try db.close() }
      holding.end()
      // Also from inside an access.
      try db.write { connection in
        #expect(throws: DatabaseError.self) { try db.close() }
        try connection.execute("INSERT INTO note VALUES (1)")
      }
      #expect(try db.row("SELECT count(*) FROM note")?[0] == 1)
      try db.close()
      expectMisuse { try db.read { _ in } }
    }
  }

  @Test("closing with a live statement throws busy and leaves the database usable")
  func liveStatement() throws {
    for db in try databases() {
      try db.execute("CREATE TABLE note (n); INSERT INTO note VALUES (1), (2)")
      try db.read { connection in
        let statement = try connection.prepare("SELECT n FROM note")
        #expect(try statement.step())
        let error = #expect(throws: DatabaseError.self) { try db.close() }
        #expect(error?.code.primary == .busy)
        #expect(try statement.step())
      }
      #expect(try db.rows("SELECT n FROM note").count == 2)
      try db.close()
    }
  }

  @Test("closing from asynchronous code, also in a task that was cancelled")
  func closingInTask() async throws {
    for db in try databases() {
      let holding = Holding(writerOf: db)
      let error = await #expect(throws: DatabaseError.self) { try await db.close() }
      #expect(error?.code.primary == .busy)
      holding.end()
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await db.close()
      }.value
      expectMisuse { try db.read { _ in } }
      try await db.close()
    }
  }

  @Test("closing while an access waits throws busy, and the access is served")
  func waiting() async throws {
    let db = try Database.temporary()
    let holding = Holding(writerOf: db)
    let task = Task.immediate { try await db.write { try $0.execute("CREATE TABLE note (n)") } }
    #expect(throws: DatabaseError.self) { try db.close() }
    holding.end()
    try await task.value
    try await db.close()
  }

  @Test("closing does not count an access that was cancelled while it waited behind a live query")
  func cancelledWait() async throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let probe = Task.detached {
      try await db.observing(hops: true, isFirst: true) { _ in
        begun.signal()
        gate.wait()
      }
    }
    begun.wait()
    let reading = Task.immediate { try await db.read { _ in } }
    #expect(db.access.pool.waitingCount(.reader) == 1)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(db.access.pool.waitingCount(.reader) == 0 && db.poolStatus.readers.waiting == 0)
    let closed = Lock<Result<Void, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    startThread {
      let result = Result { try db.close() }
      closed.withLock { $0 = result }
      ended.signal()
    }
    while db.access.pool.state.withLock({ $0.closers.isEmpty }), closed.withLock({ $0 == nil }) {
      await Task.yield()
    }
    gate.signal()
    ended.wait()
    try closed.withLock { try #require($0).get() }
    try await probe.value
  }

  @Test("closing waits while the library itself uses the writer, and then succeeds")
  func look() async throws {
    let db = try Database.temporary()
    let closed = Lock<Result<Void, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    try await db.askingWriter { _ in
      startThread {
        let result = Result { try db.close() }
        closed.withLock { $0 = result }
        ended.signal()
      }
      // Until closing waits or has failed.
      while db.access.pool.state.withLock({ $0.closers.isEmpty }),
        closed.withLock({ $0 == nil })
      {
        sched_yield()
      }
    }
    await withCheckedContinuation { continuation in
      startThread {
        ended.wait()
        continuation.resume()
      }
    }
    try #require(closed.withLock { $0 }).get()
    expectMisuse { try db.read { _ in } }
  }

  @Test("closing right after an awaited access succeeds")
  func afterAwaiting() async throws {
    for _ in 0..<50 {
      let db = try Database.inMemory()
      async let first: Void = db.write { try $0.execute("CREATE TABLE note (n)") }
      async let second: Void = db.write { _ in }
      _ = try await (first, second)
      try await db.read(on: .background) { _ in }
      try synchronously { try db.close() }
    }
  }

  @Test("closing is optional: the file is complete and free after the last reference is gone")
  func optional() throws {
    let folder = try TemporaryFolder()
    do {
      let db = try Database(path: folder.file())
      try db.execute("CREATE TABLE note (n); INSERT INTO note VALUES (1)")
    }
    // The last connection moved the log into the file and removed it.
    #expect(folder.fileNames == ["database.sqlite"])
    #expect(try Database(path: folder.file()).row("SELECT n FROM note")?[0] == 1)
  }

  @Test("`close()` closes the file even if the caller kept a lent connection")
  func keptConnection() throws {
    let folder = try TemporaryFolder()
    let db = try Database(path: folder.file())
    var kept: [Connection] = []
    var statements: [Statement] = []
    try db.write { connection in
      try connection.execute("CREATE TABLE note (n)")
      kept.append(connection)
      statements.append(try connection.prepare("SELECT 1"))
    }
    try db.read { kept.append($0) }
    try db.close()
    #expect(folder.fileNames == ["database.sqlite"])
    for connection in kept {
      #expect(throws: DatabaseError.self) { try connection.rows("SELECT 1") }
    }
    for statement in statements {
      let error = #expect(throws: DatabaseError.self) { try statement.step() }
      #expect(error?.code == .misuse)
    }
  }
}
