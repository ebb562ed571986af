import Dispatch
import SQLCore
import Testing

/// What the code of a value does while a stream reads one; the tests of the suite take turns.
private let whileReading = Lock<(@Sendable (Int64) throws -> Void)?>(nil)

/// A number with code of its own, which runs on the thread that reads the stream.
private struct Watched: ColumnValue, Equatable {
  let number: Int64

  static var storageClass: StorageClass { .integer }

  init(_ cell: borrowing Cell) throws {
    number = try cell.integer()
    try whileReading.withLock { $0 }?(number)
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(number) }
}

@Suite("D3 D4 D6 D18 G4 G6 what ends a stream", .serialized)
struct StreamEndingTests {
  /// Numbers from 1 on, without an end.
  private static let series: SQL = """
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series)
    SELECT value FROM series
    """
  /// One row, and then SQLite looks for the second for ever.
  private static let oneThenNever: SQL = "\(series) WHERE value < 2"
  private static let never: SQL = "\(series) WHERE value < 1"

  private static func database(maximumReaders: Int = 4) throws -> Database {
    var configuration = Configuration()
    configuration.maximumReaders = maximumReaders
    return try Database.temporary(configuration: configuration)
  }

  /// Iterates to the error, and expects the rows before it to be those from `first` on.
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

  /// A stream whose thread stands inside the code of its first value until it is told to go on;
  /// it was dropped, and so its connection is on its way back.
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

  @Test("D6 interrupt() ends a stream whose statement runs, and harms none that follows")
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

  @Test("D6 interrupt() ends a stream that nobody reads, after the rows that were read")
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

  @Test("D30 a stream that waits for a connection is cancelled at once")
  func cancellingAWait() async throws {
    let db = try Self.database(maximumReaders: 1)
    let stuck = await Stuck(in: db)
    let task = Task { for try await _ in db.stream("SELECT 1") {} }
    task.cancel()
    // The connection is not back: nothing else ends the wait.
    await #expect(throws: CancellationError.self) { try await task.value }
    stuck.goOn()
    try await expectWhole(db)
  }

  @Test("G4 a deadline ends a stream that waits for a connection")
  func deadlineOfAWait() async throws {
    let db = try Self.database(maximumReaders: 1)
    let stuck = await Stuck(in: db)
    await #expect(throws: DeadlineExceeded.self) {
      for try await _ in db.stream("SELECT 1", deadline: .milliseconds(5)) {}
    }
    stuck.goOn()
    try await expectWhole(db)
  }

  @Test("G4 a deadline ends a statement that runs", arguments: [true, false])
  func deadlineOfAStatement(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Self.database()
    await #expect(throws: DeadlineExceeded.self) {
      for try await _ in db.stream(Int.self, Self.never, deadline: .milliseconds(5)) {}
    }
    // The next one on this connection has none.
    for try await value in db.stream(Int.self, "SELECT 7") { #expect(value == 7) }
    // Where the deadline passed before its statement ran, the connection comes back a moment later.
    if !inMemory { try await expectWhole(db) }
    #expect(db.laneStatuses.writer.isWhole)
  }

  @Test("G4 at its deadline a stream that nobody reads gives its connection back")
  func deadlineOfAPause() async throws {
    let db = try Self.database(maximumReaders: 1)
    var (iterator, first) = try await Self.beginWithDeadline(in: db)
    #expect(first == 1)
    // The stream has no end: only the deadline takes the connection from it.
    while !db.laneStatuses.stream.isWhole { await Task.yield() }
    _ = await Self.expectRows(from: 2, of: &iterator, then: DeadlineExceeded.self)
    #expect(try await iterator.next() == nil)
    try await expectWhole(db)
  }

  /// Begins a stream without an end, and reads its first row before its deadline, which is the later
  /// the slower the machine.
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

  @Test("D4 a stream that is held keeps the database open; one that ended does not")
  func closing() async throws {
    let db = try Self.database()
    var iterator = db.stream(Int.self, "\(Self.series) LIMIT 5000").makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    let busy = #expect(throws: DatabaseError.self) { try db.close() }
    #expect(busy?.code == .busy)
    var count = 1
    while try await iterator.next() != nil { count += 1 }
    #expect(count == 5_000)
    try db.close()
  }

  @Test("D3 after close() the first row of a stream throws misuse", arguments: [true, false])
  func closed(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Self.database()
    let stream = db.stream("SELECT 1")
    for try await _ in stream {}
    try db.close()
    let error = await #expect(throws: DatabaseError.self) { for try await _ in stream {} }
    #expect(error?.code == .misuse)
  }

  @Test("D4 a stream that was dropped does not keep the database open, though it still runs")
  func closingBesideADroppedStream() async throws {
    let db = try Self.database()
    let stuck = await Stuck(in: db)
    try db.close()
    #expect(db.laneStatuses.stream.count == 1)
    stuck.goOn()
    // Its connection is not kept.
    while db.laneStatuses.stream.count > 0 { await Task.yield() }
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("D18 the code of a value that is read cannot access the database", arguments: [1, 3_000])
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
