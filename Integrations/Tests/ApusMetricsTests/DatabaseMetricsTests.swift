import Apus
import ApusHistory
import ApusMetrics
import Dispatch
import Metrics
import MetricsTestKit
import Testing

@Suite struct DatabaseMetricsTests {
  struct Item: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
  }

  struct LoggedItem: Model {
    @PrimaryKey var id: Unique64 = Unique64()
    @Column var name: String
    static var schema: Schema<LoggedItem> { Logged() }
  }

  struct CachedItem: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
    static var schema: Schema<CachedItem> {
      Cached(rows: 8)
      CachedResults(rows: 50)
    }
  }

  private static let main = [("database", "main")]

  private static func value(
    _ test: TestMetrics, _ label: String, pool: String? = nil
  ) throws -> Double? {
    try test.expectMeter(label, main + (pool.map { [("pool", $0)] } ?? [])).lastValue
  }

  @Test func `Commits and rollbacks are counted, also those that share a transaction`()
    async throws
  {
    struct Refused: Error {}
    let test = TestMetrics()
    let db = try Database.temporary(models: [Item.self])
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    for _ in 1...3 { try await db.write { try $0.insert(Item(name: "a")) } }
    try? await db.write { tx in
      try tx.insert(Item(name: "b"))
      throw Refused()
    }
    #expect(test.counterTotal(label: "apus.commits", dimensions: Self.main) == 3)
    #expect(test.counterTotal(label: "apus.rollbacks", dimensions: Self.main) == 1)
    #expect(try #require(try Self.value(test, "apus.wal.pages")) > 0)
    _ = metrics
  }

  @Test func `A sample has the connections, the accesses that wait, and the caches`() async throws {
    let test = TestMetrics()
    var configuration = Configuration()
    configuration.maximumReaders = 1
    let db = try Database.temporary(models: [Item.self], configuration: configuration)
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    for _ in 1...10 { _ = try await db.count(Item.all) }
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    // The stream of rows holds a connection while the sample is taken.
    try await db.write { tx in for _ in 1...500 { try tx.insert(Item(name: "a")) } }
    let reading = Task {
      for try await _ in db.stream(Item.all) {
        began.yield()
        for await _ in ends { break }
        break
      }
    }
    for await _ in begins { break }
    await metrics.sample()
    #expect(try Self.value(test, "apus.connections.used", pool: "streams") == 1)
    #expect(try Self.value(test, "apus.connections.used", pool: "readers") == 0)
    #expect(try Self.value(test, "apus.connections.open", pool: "writer") == 1)
    #expect(try Self.value(test, "apus.accesses.waiting", pool: "readers") == 0)
    #expect(try #require(try Self.value(test, "apus.sqlite.memory")) > 0)
    let cached = test.counterTotal(label: "apus.statements.cached", dimensions: Self.main)
    #expect(cached >= 9)
    #expect(test.counterTotal(label: "apus.statements.prepared", dimensions: Self.main) > 0)
    end.yield()
    try await reading.value
    // Counters take what is new, and not the sum again.
    await metrics.sample()
    await metrics.sample()
    let later = test.counterTotal(label: "apus.statements.cached", dimensions: Self.main)
    #expect(later < cached * 2)
  }

  @Test func `A sample has the live queries, what they hold and what they cost`() async throws {
    let test = TestMetrics()
    let db = try Database.temporary(models: [Item.self])
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    try await db.insert([Item(name: "a"), Item(name: "b")])
    var first = db.observe(Item.order(by: \.$id)).makeAsyncIterator()
    var second = db.observe(Item.order(by: \.$id)).makeAsyncIterator()
    _ = try await first.next()
    _ = try await second.next()
    await metrics.sample()
    #expect(try Self.value(test, "apus.live.observers") == 2)
    #expect(try Self.value(test, "apus.live.results") == 1)
    #expect(try Self.value(test, "apus.live.maintained") == 1)
    #expect(try Self.value(test, "apus.live.rows") == 2)
    // The watch of the file, which begins with the first observer, may have the query run once more.
    let fetches = test.counterTotal(label: "apus.live.fetches", dimensions: Self.main)
    #expect((1...2).contains(fetches))
  }

  @Test func `The position of the change log is sampled where there is one, and its readers`()
    async throws
  {
    let test = TestMetrics()
    let db = try Database.temporary(models: [LoggedItem.self])
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    for _ in 1...5 { try await db.write { try $0.insert(LoggedItem(name: "a")) } }
    let cursor = try await db.log.cursor("search")
    try await cursor.advance(past: try #require(try await cursor.next(limit: 2).last))
    await metrics.sample()
    #expect(try Self.value(test, "apus.log.position") == 5)
    #expect(try Self.value(test, "apus.log.entries") == 5)
    let behind = try test.expectMeter("apus.log.behind", Self.main + [("cursor", "search")])
    #expect(behind.lastValue == 3)
    try await db.log.purge(keeping: .init(count: 4))
    try await cursor.advance(past: try #require(try await cursor.next().last))
    await metrics.sample()
    #expect(try Self.value(test, "apus.log.entries") == 4)
    #expect(behind.lastValue == 0)
  }

  @Test func `The caches of rows are sampled by table`() async throws {
    let test = TestMetrics()
    let db = try Database.temporary(models: [CachedItem.self])
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    await metrics.sample()
    try await db.write { tx in for _ in 1...20 { try tx.insert(CachedItem(name: "a")) } }
    // The first read finds the index of the log, and the next write reports to the cache.
    _ = try await db.find(CachedItem.self, 1)
    try await db.run(CachedItem.update { $0.$name = "b" })
    for id in 1...20 as ClosedRange<Int64> {
      for _ in 1...2 { _ = try await db.find(CachedItem.self, id) }
    }
    await metrics.sample()
    let table = Self.main + [("table", "CachedItem")]
    func total(_ name: String) -> Int64 {
      test.counterTotal(label: "apus.cache.\(name)", dimensions: table)
    }
    _ = try await db.count(CachedItem.where { $0.$name == "b" })
    _ = try await db.count(CachedItem.where { $0.$name == "b" })
    await metrics.sample()
    #expect(db.resultCacheStatistics["CachedItem"]?.hits == 1)
    #expect(total("results.hits") == 1 && total("results.misses") == 1)
    #expect(try test.expectMeter("apus.cache.results.count", table).lastValue == 1)
    let counts = try #require(db.cacheStatistics["CachedItem"])
    #expect(counts.hits >= 20 && counts.evictions > 0)
    #expect(total("hits") == Int64(counts.hits))
    #expect(total("misses") == Int64(counts.misses))
    #expect(total("evictions") == Int64(counts.evictions))
    let rows = try #require(try test.expectMeter("apus.cache.rows", table).lastValue)
    #expect(rows == Double(counts.count) && (1...8).contains(rows))
    let bytes = try #require(try test.expectMeter("apus.cache.bytes", table).lastValue)
    #expect(bytes == Double(counts.byteCount) && bytes > 0)
    // The commit removes what was cached, and counters take only what is new.
    try await db.run(CachedItem.update { $0.$name = "c" })
    _ = try await db.find(CachedItem.self, 1)
    await metrics.sample()
    await metrics.sample()
    #expect(total("hits") == Int64(counts.hits))
    #expect(total("misses") == Int64(counts.misses) + 1)
    #expect(total("invalidations") >= Int64(counts.count))
  }

  @Test func `The waiting for a connection is recorded as a duration`() async throws {
    let test = TestMetrics()
    var configuration = Configuration()
    configuration.maximumReaders = 1
    let db = try Database.temporary(models: [Item.self], configuration: configuration)
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let holding: Void = db.read(on: .background) { _ in
      began.yield()
      gate.wait()
    }
    for await _ in begins { break }
    let readers = Self.main + [("pool", "readers")]
    let timer = try test.expectTimer("apus.wait.duration", readers)
    #expect(timer.values.isEmpty)
    async let read: Void = db.read(on: .background) { _ in }
    let cancelled = Task { try await db.read(on: .background) { _ in } }
    while db.poolStatus.readers.waiting < 2 { await Task.yield() }
    cancelled.cancel()
    _ = await cancelled.result
    gate.signal()
    _ = try await (holding, read)
    while timer.values.count < 2 { await Task.yield() }
    #expect(timer.values.allSatisfy { $0 > 0 })
    #expect(test.counterTotal(label: "apus.waits.ended", dimensions: readers) == 1)
    let writer = Self.main + [("pool", "writer")]
    #expect(try test.expectTimer("apus.wait.duration", writer).values.isEmpty)
    _ = metrics
  }

  @Test func `The durations of statements are recorded if that is asked for`() async throws {
    let test = TestMetrics()
    let db = try Database.temporary(models: [Item.self])
    var metrics: DatabaseMetrics? = try DatabaseMetrics(
      db, name: "main", measuresStatements: true, factory: test)
    _ = try await db.count(Item.all)
    #expect(metrics != nil)
    // Without the object, nothing is recorded any more.
    metrics = nil
    let count = try test.expectTimer("apus.statement.duration", Self.main).values.count
    #expect(count > 0)
    _ = try await db.count(Item.all)
    #expect(try test.expectTimer("apus.statement.duration", Self.main).values.count == count)
  }

  @Test func `Sampling goes on until the task is cancelled, also after the database is closed`()
    async throws
  {
    let test = TestMetrics()
    let db = try Database.temporary(models: [Item.self])
    let metrics = try DatabaseMetrics(
      db, name: "main", every: .milliseconds(1), factory: test)
    let task = Task { try await metrics.run() }
    while test.meters(label: "apus.connections.open", dimensions: []).isEmpty,
      (try? Self.value(test, "apus.connections.open", pool: "writer")) != 1
    { await Task.yield() }
    try await db.close()
    while try Self.value(test, "apus.connections.open", pool: "writer") != 0 { await Task.yield() }
    task.cancel()
    try await task.value
  }
}
