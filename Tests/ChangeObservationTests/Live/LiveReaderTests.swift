import ChangeObservation
import QueryDSL
import SQLCore
import Testing

@Suite("Connections of live queries")
struct LiveReaderTests {
  private static func database(_ readers: Int, live: Int) throws -> Database {
    var configuration = Configuration()
    configuration.maximumReaders = readers
    configuration.maximumLiveReaders = live
    let db = try Database.temporary(configuration: configuration)
    try db.execute("CREATE TABLE Thing (size INTEGER)")
    return db
  }

  private static let count: SQL = "SELECT count(*) FROM Thing"

  @Test("live queries that run again take no reader from the program, nor from new observers")
  func reads() async throws {
    let db = try Self.database(1, live: 2)
    let gate = Gate()
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<20 {
        group.addTask {
          var counts: [Int] = []
          let observation = db.observe { connection -> Int in
            let count = try connection.fetch(Int.self, Self.count)[0]
            if count > 0 { gate.wait() }
            return count
          }
          for try await count in observation {
            counts.append(count)
            beginning.yield()
            if counts.count == 2 { break }
          }
          return counts
        }
      }
      var first = begun.makeAsyncIterator()
      for _ in 0..<20 { await first.next() }
      try await db.execute("INSERT INTO Thing VALUES (1)")
      while db.poolStatus.live.waiting < 18 { await Task.yield() }
      #expect(db.poolStatus.live == .init(connections: 2, used: 2, waiting: 18))
      #expect(try await db.read { try $0.fetch(Int.self, Self.count) } == [1])
      #expect(try await db.fetch(Int.self, Self.count) == [1])
      var other = db.observe(sql: "SELECT size FROM Thing").makeAsyncIterator()
      #expect(try await other.next()?.map { $0.values } == [[1]])
      for _ in 0..<20 { gate.open() }
      for try await counts in group { #expect(counts == [0, 1]) }
    }
    while db.poolStatus.live.used > 0 { await Task.yield() }
    #expect(db.laneStatuses.live.isWhole && db.laneStatuses.reader.isWhole)
  }

  @Test("a database with one connection runs live queries on it")
  func oneConnection() async throws {
    let db = try Self.database(0, live: 2)
    var counts = db.observe(sql: Self.count).makeAsyncIterator()
    #expect(try await counts.next()?.map { $0.values } == [[0]])
    try await db.execute("INSERT INTO Thing VALUES (1)")
    #expect(try await counts.next()?.map { $0.values } == [[1]])
    #expect(db.poolStatus.live == .init(connections: 0, used: 0, waiting: 0))
  }

  @Test("at least one connection is for live queries")
  func least() async throws {
    let db = try Self.database(1, live: 0)
    var counts = db.observe(sql: Self.count).makeAsyncIterator()
    #expect(try await counts.next()?.map { $0.values } == [[0]])
    try await db.execute("INSERT INTO Thing VALUES (1)")
    #expect(try await counts.next()?.map { $0.values } == [[1]])
    #expect(db.poolStatus.live.connections == 1)
  }
}
