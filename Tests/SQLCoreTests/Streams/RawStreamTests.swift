import SQLCore
import TestRun
import Testing

@Suite("Streams of rows from raw SQL")
struct RawStreamTests {
  /// Makes a table of the numbers from 1 to `count`.
  private static func numbers(
    in db: Database, _ count: Int = 5_000
  ) throws {
    try db.execute("CREATE TABLE number (value INTEGER PRIMARY KEY, name TEXT) STRICT")
    try db.execute(
      """
      INSERT INTO number SELECT value, 'n' || value FROM (\(Self.series) LIMIT \(count))
      """)
  }

  /// The numbers from 1 on, without an end.
  private static let series: SQL = """
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series)
    SELECT value FROM series
    """

  /// One row, after which SQLite searches for a second one for ever.
  private static let oneThenNever: SQL = """
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series)
    SELECT value FROM series WHERE value < 2
    """

  @Test("every row arrives in order, with its column names")
  func rows() async throws {
    let db = try Database.temporary()
    try Self.numbers(in: db)
    var expected = 1
    for try await row in db.stream("SELECT value, name FROM number ORDER BY value") {
      #expect(try row["value", as: Int.self] == expected)
      #expect(try row["name", as: String.self] == "n\(expected)")
      expected += 1
    }
    #expect(expected == 5_001)
    #expect(db.laneStatuses.stream.isWhole)
    #expect(db.laneStatuses.stream.count == 1)
  }

  @Test("rows arrive as tuples and as values, with values bound")
  func tuples() async throws {
    let db = try Database.temporary()
    try Self.numbers(in: db)
    let least = 4_990
    var pairs: [(Int, String)] = []
    for try await (value, name) in db.stream(
      (Int, String).self, "SELECT value, name FROM number WHERE value > \(least)")
    {
      pairs.append((value, name))
    }
    #expect(pairs.map(\.0) == Array(4_991...5_000))
    #expect(pairs.map(\.1) == (4_991...5_000).map { "n\($0)" })
    var sum = 0
    for try await value in db.stream(Int.self, "SELECT value FROM number") { sum += value }
    #expect(sum == 5_000 * 5_001 / 2)
  }

  @Test("a query without rows gives an empty stream", arguments: [true, false])
  func empty(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Database.temporary()
    try Self.numbers(in: db, 0)
    for try await row in db.stream("SELECT * FROM number") { Issue.record("\(row)") }
  }

  @Test("a stream that failed or ended gives no more rows")
  func afterTheEnd() async throws {
    let db = try Database.temporary()
    var broken = db.stream("SELECT * FROM nowhere").makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await broken.next() }
    #expect(try await broken.next() == nil)
    var short = db.stream("SELECT 1").makeAsyncIterator()
    #expect(try await short.next() != nil)
    #expect(try await short.next() == nil)
    #expect(try await short.next() == nil)
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("an SQL error is thrown after the rows before it", arguments: [true, false])
  func errorOfSQL(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Database.temporary()
    // `abs()` of the smallest integer throws "integer overflow".
    let sql: SQL = """
      SELECT value, abs(CASE value WHEN 1500 THEN -9223372036854775808 ELSE value END)
      FROM (\(Self.series) LIMIT 3000)
      """
    var given: [Int] = []
    let error = await #expect(throws: DatabaseError.self) {
      for try await (value, _) in db.stream((Int, Int).self, sql) { given.append(value) }
    }
    #expect(error?.message == "integer overflow")
    #expect(given == Array(1..<1_500))
    #expect(db.laneStatuses.stream.isWhole && db.laneStatuses.writer.isWhole)
  }

  @Test("a value of another type throws at its row", arguments: [true, false])
  func errorOfValue(inMemory: Bool) async throws {
    let db = try inMemory ? Database.inMemory() : Database.temporary()
    var given = 0
    let error = await #expect(throws: ColumnValueError.self) {
      for try await value in db.stream(
        Int.self, "SELECT iif(value = 1500, 'x', value) AS v FROM (\(Self.series) LIMIT 3000)")
      {
        given += 1
        #expect(value == given)
      }
    }
    #expect(given == 1_499)
    #expect(error?.row == 1_499)
    #expect(error?.column == "v")
  }

  @Test("a wrong number of types throws")
  func wrongTypes() async throws {
    let db = try Database.temporary()
    let error = await #expect(throws: DatabaseError.self) {
      for try await _ in db.stream((Int, Int).self, "SELECT 1") {}
    }
    #expect(error?.code == .range)
  }

  @Test("a stream cannot write, and a transaction that it begins does not stay open")
  func writing() async throws {
    let db = try Database.temporary()
    try Self.numbers(in: db)
    let error = await #expect(throws: DatabaseError.self) {
      for try await _ in db.stream("DELETE FROM number RETURNING value") {}
    }
    #expect(error?.code.primary == .readOnly)
    for try await _ in db.stream("BEGIN") {}
    #expect(db.laneStatuses.stream.isWhole)
    #expect(db.laneStatuses.stream.count == 1)
  }

  @Test("the first row arrives while SQLite still searches for the second")
  func firstRow() async throws {
    let db = try Database.temporary()
    for try await value in db.stream(Int.self, Self.oneThenNever) {
      #expect(value == 1)
      break
    }
    try await expectWhole(db)
  }

  @Test("an endless stream is read only as far as it is iterated over")
  func endless() async throws {
    let db = try Database.temporary()
    var last = 0
    for try await value in db.stream(Int.self, Self.series) {
      last = value
      if value == 20_000 { break }
    }
    #expect(last == 20_000)
    try await expectWhole(db)
  }

  @Test("cancelling the task ends a running statement, and the connection is clean")
  func cancellingAStatement() async throws {
    let db = try Database.temporary()
    for _ in 0..<20 {
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for try await _ in db.stream(Int.self, Self.oneThenNever) { continuation.yield() }
      }
      for await _ in started { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try await expectWhole(db)
  }

  @Test("a task cancelled before or during the first read throws")
  func cancellingAtTheBeginning() async throws {
    let db = try Database.temporary()
    for round in 0..<200 {
      let task = Task {
        // There is no first row, so only the cancellation ends this.
        for try await _ in db.stream(Int.self, "\(Self.oneThenNever) AND value > 2") {}
      }
      for _ in 0..<round % 20 { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try await expectWhole(db)
  }

  @Test("a task cancelled inside the loop gets no further row")
  func cancellingInTheLoop() async throws {
    let db = try Database.temporary()
    let given = Lock(0)
    let task = Task {
      for try await value in db.stream(Int.self, Self.series) {
        given.withLock { $0 = value }
        if value == 500 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(given.withLock { $0 } == 500)
    try await expectWhole(db)
  }

  @Test("cancelling after the last row changes nothing")
  func cancellingAfterTheEnd() async throws {
    let db = try Database.temporary()
    try await Task {
      for try await _ in db.stream("SELECT 1") {}
      var iterator = db.stream("SELECT 1").makeAsyncIterator()
      while try await iterator.next() != nil {}
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(try await iterator.next() == nil)
    }.value
    #expect(db.laneStatuses.stream.isWhole)
  }

  @Test("a stream keeps its database alive")
  func lifetime() async throws {
    var iterator = try {
      let db = try Database.temporary()
      try Self.numbers(in: db)
      return db.stream(Int.self, "SELECT value FROM number").makeAsyncIterator()
    }()
    var count = 0
    while try await iterator.next() != nil { count += 1 }
    #expect(count == 5_000)
  }
}
