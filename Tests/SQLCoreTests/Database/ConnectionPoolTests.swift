import TestRun
import Testing

@testable import SQLCore

@Suite("The connection pool", .blocking)
struct ConnectionPoolTests {
  private func core() throws -> ConnectionCore {
    try ConnectionCore(location: .memory, configuration: Configuration(), isReader: false)
  }

  /// Waiters that log their answers in order.
  private final class Log: Sendable {
    private let entries = Lock<[String]>([])
    var all: [String] { entries.withLock { $0 } }

    func waiter(_ name: String) -> Waiter {
      let waiter = Waiter()
      _ = waiter.begin { [self] result in
        let answer =
          switch result {
          case .success(.connection): "connection"
          case .success(.room): "room"
          case .failure: "cancelled"
          }
        entries.withLock { $0.append("\(name): \(answer)") }
      }
      return waiter
    }
  }

  @Test("the first waiter to ask is served first")
  func order() throws {
    let core = try core()
    let pool = ConnectionPool(writer: core, maximumReaders: 1)
    let log = Log()
    for name in ["a", "b", "c"] { try pool.take(.writer, for: log.waiter(name)) }
    #expect(log.all == ["a: connection"])
    pool.giveBack(core, to: .writer)
    pool.giveBack(core, to: .writer)
    #expect(log.all == ["a: connection", "b: connection", "c: connection"])
    pool.giveBack(core, to: .writer)
    #expect(pool.removeAll().count == 1)
    #expect(pool.removeAll().isEmpty)
  }

  @Test("a cancelled waiter leaves its turn to the next one")
  func cancelled() throws {
    let core = try core()
    let pool = ConnectionPool(writer: core, maximumReaders: 1)
    let log = Log()
    let waiters = ["a", "b", "c", "d"].map { log.waiter($0) }
    for waiter in waiters { try pool.take(.writer, for: waiter) }
    waiters[1].cancel()
    waiters[1].cancel()
    waiters[2].cancel()
    // Too late: this one was already served.
    waiters[0].cancel()
    pool.giveBack(core, to: .writer)
    #expect(log.all == ["a: connection", "b: cancelled", "c: cancelled", "d: connection"])
    pool.giveBack(core, to: .writer)
    #expect(pool.removeAll().count == 1)
  }

  @Test("a waiter cancelled before it asks is not served, and the connection stays in the pool")
  func cancelledBefore() throws {
    let pool = ConnectionPool(writer: try core(), maximumReaders: 1)
    let log = Log()
    let waiter = log.waiter("a")
    waiter.cancel()
    try pool.take(.writer, for: waiter)
    #expect(log.all == ["a: cancelled"])
    #expect(pool.removeAll().count == 1)
    let unheard = Waiter()
    unheard.cancel()
    #expect(unheard.begin { _ in Issue.record("answered") } is CancellationError)
  }

  @Test("readers are created on demand up to the limit, and returned room is granted again")
  func room() throws {
    let pool = ConnectionPool(writer: try core(), maximumReaders: 2)
    let log = Log()
    for name in ["a", "b", "c", "d"] { try pool.take(.reader, for: log.waiter(name)) }
    #expect(log.all == ["a: room", "b: room"])
    pool.giveBack(.room, to: .reader)
    #expect(log.all.last == "c: room")
    let core = try core()
    pool.giveBack(core, to: .reader)
    #expect(log.all.last == "d: connection")
    pool.giveBack(core, to: .reader)
    #expect(try pool.takeIdle(.reader) === core)
    pool.giveBack(core, to: .reader)
  }

  @Test("the pool knows the thread of an access until the connection is returned")
  func reentrancy() throws {
    let core = try core()
    let pool = ConnectionPool(writer: core, maximumReaders: 1)
    _ = try pool.takeIdle(.writer)
    #expect(throws: DatabaseError.self) { try pool.takeIdle(.writer) }
    #expect(throws: DatabaseError.self) { try pool.takeIdle(.reader) }
    #expect(throws: DatabaseError.self) { try pool.check() }
    #expect(pool.coreOfCurrentThread() === core)
    try onAnotherThread { try pool.check() }
    pool.giveBack(core, to: .writer)
    try pool.check()
  }

  @Test("thousands of waiters are served in order, without those that were cancelled")
  func many() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let core = try core()
    let pool = ConnectionPool(writer: core, maximumReaders: 1)
    let log = Log()
    try pool.take(.writer, for: log.waiter("first"))
    var expected: [String] = []
    for number in 0..<TestSize.count(small: 1_000, full: 3_000) {
      let waiter = log.waiter("\(number)")
      try pool.take(.writer, for: waiter)
      if Bool.random(using: &random) {
        waiter.cancel()
      } else {
        expected.append("\(number): connection")
      }
    }
    for _ in 0...expected.count { pool.giveBack(core, to: .writer) }
    let served = log.all.dropFirst().filter { $0.hasSuffix("connection") }
    #expect(Array(served) == expected, "seed \(seed)")
    #expect(pool.removeAll().count == 1)
  }

  @Test("a lease ends with its access: an earlier Connection is stale, a later one is valid")
  func leases() throws {
    let core = try core()
    let pool = ConnectionPool(writer: core, maximumReaders: 1)
    _ = try pool.takeIdle(.writer)
    let first = core.lend()
    try first.execute("SELECT 1")
    pool.giveBack(core, to: .writer)
    _ = try pool.takeIdle(.writer)
    let second = core.lend()
    #expect(throws: DatabaseError.self) { try first.execute("SELECT 1") }
    try second.execute("SELECT 1")
    pool.giveBack(core, to: .writer)
  }
}
