import TestRun
import Testing

@testable import SQLCore

@Suite("Listeners to the waiting for connections", .blocking)
struct WaitListenerTests {
  private final class Waits: Sendable {
    private let list = Lock<[AccessWait]>([])
    func add(_ wait: AccessWait) { list.withLock { $0.append(wait) } }
    var all: [AccessWait] { list.withLock { $0 } }

    /// The waits, once there are as many as given. The report may follow the grant.
    func wait(for count: Int) async -> [AccessWait] {
      while all.count < count { await Task.yield() }
      return all
    }
  }

  private let db: Database
  private let waits = Waits()

  init() throws {
    db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    try db.execute("CREATE TABLE note (n INTEGER)")
  }

  @Test("an access that finds a connection does not wait")
  func without() async throws {
    db.onWait { waits.add($0) }
    for _ in 1...10 {
      try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
      try await db.read(on: .background) { _ in }
      for try await _ in db.stream(Int.self, "SELECT n FROM note") {}
    }
    try onAnotherThread { [db] in try db.read { _ in } }
    try await db.close()
    #expect(waits.all.isEmpty)
  }

  @Test("a wait is reported with its lane and its duration, synchronous or not")
  func granted() async throws {
    db.onWait { waits.add($0) }
    let clock = ContinuousClock()
    let start = clock.now
    let reader = Holding(readerOf: db)
    async let read: Void = db.read(on: .background) { _ in }
    while db.poolStatus.readers.waiting < 1 { await Task.yield() }
    async let sync: Void = Task.detached { [db] in try onAnotherThread { try db.read { _ in } } }
      .value
    while db.poolStatus.readers.waiting < 2 { await Task.yield() }
    let before = clock.now
    while clock.now < before + .milliseconds(3) {}
    let held = before.duration(to: clock.now)
    reader.end()
    _ = try await (read, sync)
    let reads = await waits.wait(for: 2)
    #expect(reads.map(\.lane) == [.readers, .readers])
    #expect(reads.allSatisfy { $0.wasGranted && $0.duration >= held })

    let writer = Holding(writerOf: db)
    // Both join one transaction: one by the connection that it is granted, one by joining.
    async let first: Void = db.write { try $0.execute("INSERT INTO note VALUES (1)") }
    async let second: Void = db.write { try $0.execute("INSERT INTO note VALUES (2)") }
    while db.poolStatus.writer.waiting < 2 { await Task.yield() }
    writer.end()
    _ = try await (first, second)
    let all = await waits.wait(for: 4)
    #expect(all.dropFirst(2).map(\.lane) == [.writer, .writer])
    #expect(all.allSatisfy { $0.wasGranted && $0.duration <= start.duration(to: clock.now) })
  }

  @Test("a wait that a cancellation or a deadline ends is reported as not granted")
  func ended() async throws {
    db.onWait { waits.add($0) }
    let holding = Holding(readerOf: db)
    await #expect(throws: DeadlineExceeded.self) {
      try await db.read(deadline: .milliseconds(1)) { _ in }
    }
    let task = Task { [db] in try await db.read(on: .background) { _ in } }
    while db.poolStatus.readers.waiting < 1 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    holding.end()
    let all = await waits.wait(for: 2)
    #expect(all.map(\.wasGranted) == [false, false])
    try onAnotherThread { [db] in try db.read { _ in } }
    #expect(waits.all.count == 2)
  }

  @Test("a listener that was removed is not called, and is released")
  func removed() async throws {
    final class Token: Sendable {}
    var token: Token? = Token()
    weak let weakToken = token
    let listener = db.onWait { [token, waits] wait in
      _ = token
      waits.add(wait)
    }
    db.onWait { waits.add($0) }
    token = nil
    #expect(weakToken != nil)
    try db.remove(listener)
    #expect(weakToken == nil)
    #expect(listener.isRemoved)
    let holding = Holding(readerOf: db)
    async let read: Void = db.read(on: .background) { _ in }
    while db.poolStatus.readers.waiting < 1 { await Task.yield() }
    holding.end()
    try await read
    _ = await waits.wait(for: 1)
    #expect(waits.all.count == 1)
  }
}
