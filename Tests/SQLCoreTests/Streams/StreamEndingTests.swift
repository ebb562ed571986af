import Dispatch
import SQLCore
import TestRun
import Testing

/// A closure that runs while a stream reads a value. The tests of the suite take turns.
private let whileReading = Lock<(@Sendable (Int64) throws -> Void)?>(nil)

/// A number that runs the closure when it is read, on the thread that reads the stream.
private struct Watched: ColumnValue, Equatable {
  let number: Int64

  static var storageClass: StorageClass { .integer }

  init(_ cell: borrowing Cell) throws {
    number = try cell.integer()
    try whileReading.withLock { $0 }?(number)
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(number) }
}

@Suite("The ends of a stream", .serialized)
struct StreamEndingTests {
  /// The numbers from 1 on, without an end.
  private static let series: SQL = """
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series)
    SELECT value FROM series
    """
  /// One row, after which SQLite searches for a second one for ever.
  private static let oneThenNever: SQL = "\(series) WHERE value < 2"
  private static let never: SQL = "\(series) WHERE value < 1"

  private static func database(maximumReaders: Int = 4) throws -> Database {
    var configuration = Configuration()
    configuration.maximumReaders = maximumReaders
    return try Database.temporary(configuration: configuration)
  }

  /// Iterates until the error, and expects the rows before it to be those from `first` on.
  private static func expectRows<Failure: Error>(
    from first: Int, of iterator: inout RowStream<Int>.AsyncIterator, then error: Failure.Type
  ) async -> Failure? {
    var expected = first
    do {
      while let value = try await iterator.next() {
        #expect(value == expected)
        expected += 1
      }
      Issue.record("the stream has an end")
      return nil
    } catch {
      #expect(error is Failure, "\(error)")
      return error as? Failure
    }
  }

  /// A dropped stream whose thread is stuck in reading its first value until `goOn()` is called.
  /// Its connection has not been returned yet.
  private final class Stuck: Sendable {
    private let mayGoOn = DispatchSemaphore(value: 0)

    init(in db: Database) async {
      let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
      let mayGoOn = mayGoOn
      whileReading.withLock {
        $0 = { _ in
          continuation.yield()
          mayGoOn.wait()
        }
      }
      let task = Task { for try await _ in db.stream(Watched.self, StreamEndingTests.series) {} }
      for await _ in begun { break }
      task.cancel()
      _ = await task.result
      whileReading.withLock { $0 = nil }
    }

    func goOn() { mayGoOn.signal() }
  }

  @Test("`interrupt()` ends a stream with a running statement, but no later stream")
  func interruptingAStatement() async throws {
    let db = try Self.database()
    for _ in 0..<20 {
      var iterator = db.stream(Int.self, Self.oneThenNever).makeAsyncIterator()
      #expect(try await iterator.next() == 1)
      db.interrupt()
      let error = await #expect(throws: DatabaseError.self) { try await iterator.next() }
      #expect(error?.code == .interrupt)
      #expect(try await iterator.next() == nil)
    }
    #expect(db.laneStatuses.stream.isWhole && db.laneStatuses.stream.count == 1)
    try await expectWhole(db)
  }

  @Test("`interrupt()` ends an idle stream after the rows that were already read")
  func interruptingAPause() async throws {
    let db = try Self.database()
    for round in 1...20 {
      var iterator = db.stream(Int.self, Self.series).makeAsyncIterator()
      for expected in 1...round * 50 { #expect(try await iterator.next() == expected) }
      db.interrupt()
      let error = await Self.expectRows(
        from: round * 50 + 1, of: &iterator, then: DatabaseError.self)
      #expect(error?.code == .interrupt)
    }
    try await expectWhole(db)
  }

  @Test("cancelling ends a stream's wait for a connection at once")
  func cancellingAWait() async throws {
    let db = try Self.database(maximumReaders: 1)
    let stuck = await Stuck(in: db)
    let task = Task { for try await _ in db.stream("SELECT 1") {} }
    task.cancel()
    // The connection has not been returned, so nothing else ends the wait.
    await #expect(throws: CancellationError.self) { try await task.value }
    stuck.goOn()
    try await expectWhole(db)
  }

  @Test("a deadline ends a stream's wait for a connection")
  func deadlineOfAWait() async throws {
    let db = try Self.database(maximumReaders: 1)
    let stuck = await Stuck(in: db)
    await #expect(throws: DeadlineExceeded.self) {
      for try await _ in db.stream("SELECT 1", deadline: .milliseconds(5)) {}
    }
    stuck.goOn()
    try await expectWhole(db)
  }

  @Test("a deadline ends a stream's running statement", arguments: [true, false])
  func deadlineOfAStatement(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Self.database()
    await #expect(throws: DeadlineExceeded.self) {
      for try await _ in db.stream(Int.self, Self.never, deadline: .milliseconds(5)) {}
    }
    // The next stream on this connection has no deadline.
    for try await value in db.stream(Int.self, "SELECT 7") { #expect(value == 7) }
    // If the deadline passed before the statement ran, the connection returns a moment later.
    if !inMemory { try await expectWhole(db) }
    #expect(db.laneStatuses.writer.isWhole)
  }

  @Test("an idle stream returns its connection at its deadline")
  func deadlineOfAPause() async throws {
    let db = try Self.database(maximumReaders: 1)
    var (iterator, first) = try await Self.beginWithDeadline(in: db)
    #expect(first == 1)
    // The stream has no end, so only the deadline takes its connection.
    while !db.laneStatuses.stream.isWhole { await Task.yield() }
    _ = await Self.expectRows(from: 2, of: &iterator, then: DeadlineExceeded.self)
    #expect(try await iterator.next() == nil)
    try await expectWhole(db)
  }

  /// Begins an endless stream and reads its first row before its deadline, which is longer on a
  /// slower machine.
  private static func beginWithDeadline(
    in db: Database
  ) async throws -> (RowStream<Int>.AsyncIterator, first: Int?) {
    var deadline = Duration.milliseconds(20)
    while true {
      var iterator = db.stream(Int.self, series, deadline: deadline).makeAsyncIterator()
      do {
        let first = try await iterator.next()
        return (iterator, first)
      } catch is DeadlineExceeded {
        deadline *= 2
      }
    }
  }

  @Test("an open stream keeps its database open, and an ended one does not")
  func closing() async throws {
    let db = try Self.database()
    var iterator = db.stream(Int.self, "\(Self.series) LIMIT 5000").makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    let busy = #expect(throws: DatabaseError.self) { try db.close() }
    #expect(busy?.code == .busy)
    var count = 1
    while try await iterator.next() != nil { count += 1 }
    #expect(count == 5_000)
    try await db.close()
  }

  @Test("after `close()` the first row of a stream throws misuse", arguments: [true, false])
  func closed(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Self.database()
    let stream = db.stream("SELECT 1")
    for try await _ in stream {}
    try await db.close()
    let error = await #expect(throws: DatabaseError.self) { for try await _ in stream {} }
    #expect(error?.code == .misuse)
  }

  @Test("a dropped stream does not keep the database open, even while it still runs")
  func closingBesideADroppedStream() async throws {
    let db = try Self.database()
    let stuck = await Stuck(in: db)
    try await db.close()
    #expect(db.laneStatuses.stream.count == 1)
    stuck.goOn()
    // Its connection is closed.
    while db.laneStatuses.stream.count > 0 { await Task.yield() }
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("a value cannot access the database while it is read", arguments: [1, 3_000])
  func reentrancy(row: Int64) async throws {
    let db = try Self.database()
    whileReading.withLock {
      $0 = { number in if number == row { try db.read { _ in } } }
    }
    defer { whileReading.withLock { $0 = nil } }
    var given: Int64 = 0
    let error = await #expect(throws: DatabaseError.self) {
      for try await value in db.stream(Watched.self, Self.series) {
        given += 1
        #expect(value.number == given)
      }
    }
    #expect(error?.message.hasPrefix("the database was accessed from inside") == true)
    #expect(given == row - 1)
    #expect(db.laneStatuses.stream.isWhole)
  }
}
