import Dispatch
import TestRun
import Testing

@testable import SQLCore

/// Cancelling a task ends its own statement and its own waiting, and those of no other task.
@Suite("Cancellation", .blocking)
struct CancellationTests {
  private let stop = Stop()
  private let db: Database

  init() throws {
    db = try Database.temporary(
      configuration: SQLHook(stop.stop).configuration {
        $0.maximumReaders = 1
        $0.busyTimeout = .seconds(3_600)
      })
    try db.execute("CREATE TABLE note (n INTEGER)")
    try db.read { _ in }
  }

  /// Cancels a task that stopped in the hook.
  private func cancel(_ task: Task<some Sendable, any Error>) async {
    stop.wait()
    task.cancel()
    stop.goOn()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private func expectRows(
    _ rows: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await db.fetch((Int).self, "SELECT n FROM note ORDER BY n")
    #expect(found == rows, sourceLocation: sourceLocation)
  }

  @Test("cancelling ends a read on a thread of the database, and the next access succeeds")
  func read() async throws {
    await cancel(
      Task.immediate { [db] in
        try await db.read(on: .background) { try $0.rows(SQLHook.rows).count }
      })
    await cancel(
      Task.immediate { [db] in try await db.rows(SQLHook.rows).count })
    try await expectRows([])
  }

  @Test("cancelling ends a read that runs in the task itself")
  func inlineRead() async throws {
    let hook = SQLHook { withUnsafeCurrentTask { $0?.cancel() } }
    for db in [
      try Database.temporary(configuration: hook.configuration()),
      try Database.inMemory(configuration: hook.configuration()),
    ] {
      try await db.read(on: .background) { _ in }
      let caller = Shared<ThreadID?>(nil)
      let task = Task.detached {
        try await db.read { connection in
          caller.change { $0 = ThreadID.current }
          return try connection.rows(SQLHook.rows).count
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await db.row("SELECT 1")?[0] == 1)
    }
  }

  @Test("a task cancelled between two statements runs no other, and its writes are undone")
  func betweenStatements() async throws {
    let reading = Task.detached { [db] in
      try await db.read { connection in
        _ = try connection.rows("SELECT 1")
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try connection.rows("SELECT 2")
        Issue.record("a statement ran")
      }
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    let stop = Stop()
    let writing = Task.immediate { [db] in
      try await db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        stop.stop()
        try connection.execute("INSERT INTO note VALUES (2)")
        Issue.record("a statement ran")
      }
    }
    stop.wait()
    writing.cancel()
    stop.goOn()
    await #expect(throws: CancellationError.self) { try await writing.value }
    try await expectRows([])
  }

  @Test("cancelling ends a write and rolls back its transaction")
  func write() async throws {
    @Sendable func work(_ connection: Connection) throws {
      try connection.execute("INSERT INTO note VALUES (1)")
      try connection.execute(SQLHook.insertion)
    }
    await cancel(Task.immediate { [db] in try await db.write { try work($0) } })
    await cancel(Task.immediate { [db] in try await db.write(alone: true) { try work($0) } })
    await cancel(
      Task.immediate { [db] in try await db.write(deadline: .seconds(3_600)) { try work($0) } })
    try await expectRows([])
    await cancel(
      Task.immediate { [db] in try await db.writeWithoutTransaction { try work($0) } })
    // The first statement was a transaction of its own.
    try await expectRows([1])
  }

  @Test("a closure that catches the cancellation and returns commits nothing and throws")
  func caught() async throws {
    for alone in [false, true] {
      await cancel(
        Task.immediate { [db] in
          try await db.write(alone: alone) { connection in
            try connection.execute("INSERT INTO note VALUES (1)")
            // A read, which does not roll back by itself.
            _ = try? connection.rows(SQLHook.rows)
            try? connection.execute("INSERT INTO note VALUES (2)")
          }
        })
      await cancel(
        Task.immediate { [db] in
          try await db.write(alone: alone) { connection in
            try connection.execute("INSERT INTO note VALUES (1)")
            try? connection.savepoint { try $0.execute(SQLHook.insertion) }
          }
        })
    }
    try await expectRows([])
  }

  @Test("a write that is cancelled after its last statement is committed")
  func late() async throws {
    let stop = stop
    let task = Task.immediate { [db] in
      try await db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        stop.stop()
        return 7
      }
    }
    stop.wait()
    task.cancel()
    stop.goOn()
    #expect(try await task.value == 7)
    try await expectRows([1])
  }

  @Test("an autocommit statement reports cancellation only if it stored nothing")
  func ended() async throws {
    // SQLite calls the progress handler after the end of a statement as well.
    try db.onProgress(every: 1) {}
    try db.function("cancelled") { (number: Int) in
      withUnsafeCurrentTask { $0?.cancel() }
      Self.running.current?.cancel()
      return number
    }
    for number in 1...20 {
      let begin = DispatchSemaphore(value: 0)
      let task = Task.detached { [db] in
        try await db.writeWithoutTransaction { connection in
          begin.wait()
          try connection.execute("INSERT INTO note VALUES (cancelled(\(number)))")
        }
      }
      Self.running.change { $0 = task }
      begin.signal()
      let isReported: Bool
      do {
        try await task.value
        isReported = true
      } catch is CancellationError {
        isReported = false
      }
      let stored: [Int] = try await db.fetch((Int).self, "SELECT n FROM note")
      #expect(isReported == stored.contains { $0 == number })
    }
  }

  private static let running = Shared<Task<Void, any Error>?>(nil)

  @Test("cancelling ends the wait for another connection's lock, alone or in a shared commit")
  func busy() async throws {
    let other = try Connection(path: try #require(db.path))
    try other.execute("BEGIN IMMEDIATE")
    let tasks = [
      Task.immediate { [db] in try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
      },
      Task.immediate { [db] in try await db.write { try $0.execute("INSERT INTO note VALUES (2)") }
      },
      Task.immediate { [db] in
        try await db.write(alone: true) { try $0.execute("INSERT INTO note VALUES (3)") }
      },
      Task.immediate { [db] in try await db.write { try $0.execute("INSERT INTO note VALUES (4)") }
      },
    ]
    for task in tasks.dropLast() {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try other.execute("INSERT INTO note VALUES (0)")
    try other.execute("COMMIT")
    try await tasks[3].value
    try await expectRows([0, 4])
  }

  @Test("cancelling does not end another task's statement on the same connection")
  func others() async throws {
    for _ in 0..<20 {
      let first = Task.immediate { [db] in
        try await db.read(on: .background) { try $0.rows(SQLHook.rows).count }
      }
      let second = Task.immediate { [db] in
        try await db.read(on: .background) { try $0.rows(SQLHook.rows).count }
      }
      stop.wait()
      first.cancel()
      stop.goOn()
      await #expect(throws: CancellationError.self) { try await first.value }
      stop.wait()
      // Cancelled again, when another task has its connection.
      first.cancel()
      stop.goOn()
      #expect(try await second.value == 1)
    }
  }

  @Test("a late cancellation does not affect a later lease")
  func lateCancellation() throws {
    let core = try ConnectionCore(
      location: .memory, configuration: Configuration(), isReader: false)
    let early = core.lease
    core.endLease()
    core.cancel(lease: core.lease)
    core.cancel(lease: early)
    #expect(throws: CancellationError.self) { try core.lend().execute("SELECT 1") }
    core.endLease()
    try core.lend().execute("SELECT 1")
  }

  @Test("thousands of cancelled reads and writes leave no transaction open")
  func many() async throws {
    // The statements that end a transaction also advance the progress handler, by a few steps each.
    let stop = Stop()
    for _ in 0..<TestSize.count(small: 200, full: 3_000) {
      let writing = Task.immediate { [db] in
        try await db.write(alone: true) { connection in
          try connection.execute("INSERT INTO note VALUES (1)")
          stop.stop()
          _ = try connection.rows("SELECT 1")
        }
      }
      stop.wait()
      writing.cancel()
      stop.goOn()
      await #expect(throws: CancellationError.self) { try await writing.value }
      let reading = Task { [db] in
        try await db.read { connection in
          withUnsafeCurrentTask { $0?.cancel() }
          try connection.execute("SELECT 1")
        }
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
    try await expectRows([])
    #expect(try await db.writeWithoutTransaction { try $0.isInTransaction } == false)
  }
}
