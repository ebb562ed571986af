import Dispatch
import SQLCore
import Testing

@Suite("The status of the pool")
struct PoolStatusTests {
  @Test("connections in use and accesses that wait are counted")
  func use() async throws {
    var configuration = Configuration()
    configuration.maximumReaders = 1
    let db = try Database.temporary(configuration: configuration)
    try await db.execute("CREATE TABLE t (n INTEGER)")
    #expect(db.poolStatus.writer == .init(connections: 1, used: 0, waiting: 0))
    #expect(db.poolStatus.readers == .init(connections: 0, used: 0, waiting: 0))
    try await db.read { _ in
      #expect(db.poolStatus.readers == .init(connections: 1, used: 1, waiting: 0))
    }
    let (began, beginning) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    async let first: Void = db.read(on: .background) { _ in
      beginning.yield()
      gate.wait()
    }
    for await _ in began { break }
    async let second: Void = db.read { _ in }
    while db.poolStatus.readers.waiting == 0 { await Task.yield() }
    #expect(db.poolStatus.readers == .init(connections: 1, used: 1, waiting: 1))
    gate.signal()
    _ = try await (first, second)
    while db.poolStatus.readers.used > 0 { await Task.yield() }
    #expect(db.poolStatus.readers == .init(connections: 1, used: 0, waiting: 0))
    try await db.close()
    #expect(db.poolStatus.readers.connections == 0)
  }

  @Test("the hits and misses of all statement caches are added up")
  func statementCaches() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE t (n INTEGER)")
    let before = db.poolStatus
    for _ in 1...10 { _ = try db.rows("SELECT n FROM t") }
    let after = db.poolStatus
    #expect(after.statementCacheHits >= before.statementCacheHits + 9)
    #expect(after.statementCacheMisses > before.statementCacheMisses)
    #expect(db.poolStatus == after)
    try db.write { connection in
      for _ in 1...5 { try connection.execute("INSERT INTO t VALUES (1)") }
      // The writer is in use, so what it did is counted later.
      #expect(db.poolStatus.statementCacheHits == after.statementCacheHits)
    }
    #expect(db.poolStatus.statementCacheHits > after.statementCacheHits)
  }
}
