import ApusMetrics
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

  @Test func `The position of the change log is sampled where there is one`() async throws {
    let test = TestMetrics()
    let db = try Database.temporary(models: [LoggedItem.self])
    let metrics = try DatabaseMetrics(db, name: "main", factory: test)
    for _ in 1...3 { try await db.write { try $0.insert(LoggedItem(name: "a")) } }
    await metrics.sample()
    #expect(try Self.value(test, "apus.log.position") == 3)
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
    try db.close()
    while try Self.value(test, "apus.connections.open", pool: "writer") != 0 { await Task.yield() }
    task.cancel()
    try await task.value
  }
}
