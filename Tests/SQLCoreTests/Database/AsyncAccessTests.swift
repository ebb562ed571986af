import Dispatch
import TestRun
import Testing

@testable import SQLCore

@Suite("Asynchronous access", .blocking)
struct AsyncAccessTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.execute("CREATE TABLE note (n INTEGER PRIMARY KEY)")
    // A first reader is open and idle.
    try db.read { _ in }
  }

  @Test("a read runs on the calling thread while a reader is idle")
  func inline() async throws {
    let caller = ThreadID.current
    #expect(try await db.read { _ in ThreadID.current } == caller)
  }

  @Test("a read from the main actor hops to a thread of the database") @MainActor
  func mainActor() async throws {
    let caller = ThreadID.current
    #expect(try await db.read { _ in ThreadID.current } != caller)
    MainActor.assertIsolated()
    #expect(try await db.row("SELECT 7")?[0] == 7)
  }

  @Test("a read from another actor runs on that actor's thread") @OtherActor
  func otherActor() async throws {
    let caller = ThreadID.current
    #expect(try await db.read { _ in ThreadID.current } == caller)
    OtherActor.assertIsolated()
  }

  @Test("a task of the main actor returns to it from the thread of the database at once")
  @MainActor
  func returnsAtOnce() async throws {
    let others = CountingExecutor()
    try await withTaskExecutorPreference(others) {
      _ = try await db.read { _ in }
      try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
      do {
        try await db.read { _ in throw NoNote() }
        Issue.record("the error was not thrown")
      } catch is NoNote {}
      MainActor.assertIsolated()
    }
    #expect(others.count.current == 0)
  }

  @Test("a read that may be long always hops to another thread, and its task does not stay there")
  func long() async throws {
    let caller = ThreadID.current
    let thread = try await db.reading(hops: true) { _ in ThreadID.current }
    #expect(thread != caller)
    #expect(thread != ThreadID.current)
  }

  @Test("writes run on one thread of the database and return to the caller's isolation")
  @MainActor
  func writer() async throws {
    let caller = ThreadID.current
    let first = try await db.write { _ in ThreadID.current }
    let second = try await db.writeWithoutTransaction { _ in ThreadID.current }
    #expect(first != caller)
    #expect(first == second)
    MainActor.assertIsolated()
  }

  @Test("writes run in the order in which they were requested")
  func order() async throws {
    let holding = Holding(writerOf: db)
    let order = Shared<[Int]>([])
    // Each task runs until it suspends before the next one begins.
    let tasks = (0..<50).map { number in
      Task.immediate { [db] in
        try await db.write { _ in order.change { $0.append(number) } }
      }
    }
    holding.end()
    for task in tasks { try await task.value }
    #expect(order.current == Array(0..<50))
  }

  @Test("code without `await` gets its results by completion handlers, writes in their order")
  func completionHandlers() async throws {
    let holding = Holding(writerOf: db)
    let order = Shared<[Int]>([])
    let threads = Shared<[ThreadID]>([])
    await withCheckedContinuation { continuation in
      for number in 0..<50 {
        db.write { tx in
          try tx.execute("INSERT INTO note VALUES (\(number))")
        } completion: { result in
          order.change { if case .success = result { $0.append(number) } }
          threads.change { $0.append(.current) }
          if number == 49 { continuation.resume() }
        }
      }
      holding.end()
    }
    #expect(order.current == Array(0..<50))
    #expect(Set(threads.current.map { "\($0)" }).count == 1)
    // The connection has been given back: a completion handler may use the database.
    let count = await withCheckedContinuation { continuation in
      db.read {
        try $0.row("SELECT count(*) FROM note")?.get(Int.self, at: 0)
      } completion: { [db] first in
        let second = try? db.row("SELECT count(*) FROM note")?.get(Int.self, at: 0)
        continuation.resume(returning: [try? first.get(), second])
      }
    }
    #expect(count == [50, 50])
  }

  @Test("a deadline ends the wait of an access with a completion handler")
  func deadlineOfCompletion() async throws {
    let holding = Holding(writerOf: db)
    let error = await withCheckedContinuation { continuation in
      db.write(deadline: .milliseconds(1)) { _ in
      } completion: { result in
        if case .failure(let error) = result { continuation.resume(returning: error) }
      }
    }
    holding.end()
    #expect(error is DeadlineExceeded)
  }

  @Test("a completion handler gets the closure's error, and that the database was closed")
  func failedCompletion() async throws {
    struct Failure: Error {}
    func written(_ body: @escaping @Sendable (Connection) throws -> Int) async -> (any Error)? {
      await withCheckedContinuation { continuation in
        db.write(deadline: .seconds(10), body) { result in
          if case .failure(let error) = result {
            continuation.resume(returning: error)
          } else {
            continuation.resume(returning: nil)
          }
        }
      }
    }
    let error = await written { tx in
      try tx.execute("INSERT INTO note VALUES (1)")
      throw Failure()
    }
    #expect(error is Failure)
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 0)
    try await db.close()
    let closed = await written { _ in 1 }
    #expect((closed as? DatabaseError)?.code == .misuse)
  }

  @Test("reads suspend while no reader is idle, and all of them are served")
  func waitingReads() async throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 2 })
    let holdings = [Holding(readerOf: db), Holding(readerOf: db)]
    let tasks = (0..<20).map { number in
      Task.immediate { try await db.read { try $0.value(Int.self, "SELECT \(number)") } }
    }
    for holding in holdings { holding.end() }
    var values: [Int?] = []
    for task in tasks { values.append(try await task.value) }
    #expect(values == Array(0..<20))
  }

  @Test("a waiting task that is cancelled throws CancellationError, and the next one is served")
  func cancelledWhileWaiting() async throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    try await db.write { try $0.execute("CREATE TABLE note (n)") }
    let holdings = [Holding(writerOf: db), Holding(readerOf: db)]
    func write(_ number: Int) -> Task<Void, any Error> {
      Task.immediate {
        try await db.write { try $0.execute("INSERT INTO note VALUES (\(number))") }
      }
    }
    func read() -> Task<Int?, any Error> {
      Task.immediate { try await db.read { try $0.value(Int.self, "SELECT count(*) FROM note") } }
    }
    let writes = (write(1), write(2), write(3))
    let reads = (read(), read())
    writes.0.cancel()
    writes.1.cancel()
    reads.0.cancel()
    await #expect(throws: CancellationError.self) { try await writes.0.value }
    await #expect(throws: CancellationError.self) { try await writes.1.value }
    await #expect(throws: CancellationError.self) { try await reads.0.value }
    for holding in holdings { holding.end() }
    try await writes.2.value
    _ = try await reads.1.value
    #expect(try await db.rows("SELECT n FROM note").map { $0[0] } == [3])
    // The pool is intact: every access is served.
    try onAnotherThread {
      try db.execute("INSERT INTO note VALUES (4)")
      try db.read { _ in }
    }
  }

  @Test("a task cancelled before its write writes nothing")
  func cancelledBefore() async throws {
    let task = Task { [db] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 0)
  }

  @Test("an error from the closure is rethrown and leaves the connections usable")
  func errors() async throws {
    struct Failure: Error {}
    for _ in 0..<20 {
      await #expect(throws: Failure.self) {
        try await db.write { connection in
          try connection.execute("INSERT INTO note VALUES (1)")
          throw Failure()
        }
      }
      await #expect(throws: Failure.self) { try await db.read { _ in throw Failure() } }
    }
    try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 1)
  }

  @Test("in memory, reads and writes take turns on one connection")
  func memory() async throws {
    let db = try Database.inMemory()
    try await db.write { try $0.execute("CREATE TABLE note (n)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await db.write { try $0.execute("INSERT INTO note VALUES (\(number))") }
        }
        group.addTask {
          _ = try await db.read { connection in
            let counts = try (0..<2).map { _ in
              try connection.value(Int.self, "SELECT count(*) FROM note")
            }
            #expect(counts[0] == counts[1])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await db.row("SELECT count(*) FROM note")?[0] == 50)
  }
}

@globalActor
private actor OtherActor {
  static let shared = OtherActor()
}

private struct NoNote: Error {}

/// Counts the jobs of tasks that prefer it.
private final class CountingExecutor: TaskExecutor {
  let count = Shared(0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    count.change { $0 += 1 }
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
