import CSQLite
import TestRun
import Testing

@testable import SQLCore

/// Tasks that are cancelled at random while they read, write and wait. Also run under the thread
/// sanitizer.
@Suite("Concurrency: tasks cancelled at random")
struct CancellationConcurrencyTests {
  private static let taskCount = TestSize.count(small: 2_000, full: 50_000, sanitized: 10_000)

  /// The work of one task.
  private enum Work: CaseIterable {
    case read, longRead, backgroundRead, unisolatedRead, snapshot
    case write, longWrite, writeData, onlyWrite, writeWithDeadline, writeWithoutTransaction
    case otherWrite
    case stream, streamLeft
  }

  /// The outcomes of the tasks.
  private struct Tally: Sendable {
    var acknowledged: [Int] = []
    var faults: [String] = []
    var cancelled = 0
  }

  private struct Databases: Sendable {
    let db: Database
    /// A second database on the same file, so that writers wait for each other's locks.
    let other: Database
    let snapshot: DatabaseSnapshot

    init() throws {
      var configuration = Configuration.relaxed
      configuration.busyTimeout = .seconds(3_600)
      configuration.maximumReaders = 2
      db = try Database.temporary(configuration: configuration)
      try db.execute("CREATE TABLE note (n INTEGER PRIMARY KEY)")
      other = try Database(path: db.path ?? "", configuration: configuration)
      snapshot = try db.makeSnapshot()
    }
  }

  /// A query that takes many steps of SQLite's virtual machine.
  private static let long: SQL =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT max(i) FROM n"

  private static let longRows: SQL =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n"

  /// Reads the rows of a stream up to `last`. `TooManyStreams` is an accepted outcome.
  private static func readStream(of db: Database, upTo last: Int) async throws {
    var expected = 1
    do {
      for try await row in db.stream((Int).self, longRows) {
        try expect(row == expected, "a row of a stream is missing")
        guard expected < last else { return }
        expected += 1
      }
    } catch is TooManyStreams {
      return
    }
    try expect(expected == 2_001, "a stream was cut")
  }

  private static func insert(_ number: Int, _ connection: Connection) throws {
    try connection.execute("INSERT INTO note VALUES (\(number))")
  }

  private static func expect(_ condition: Bool, _ message: String) throws {
    if !condition { throw DatabaseError.misuse(message) }
  }

  /// Does one piece of work and returns whether it wrote its number.
  private static func run(_ work: Work, _ number: Int, in databases: Databases) async throws -> Bool
  {
    let db = databases.db
    let count: @Sendable (Connection) throws -> Int? = {
      try $0.row("SELECT count(*) FROM note")?.get(Int.self, at: 0)
    }
    let twoCounts: @Sendable (Connection) throws -> Void = { connection in
      let first = try count(connection)
      let second = try count(connection)
      try expect(first == second, "two counts of one read differ")
    }
    let longest: @Sendable (Connection) throws -> Void = { connection in
      try expect(try connection.row(long)?.get(Int.self, at: 0) == 5_000, "a long read was cut")
    }
    switch work {
    case .read: try await db.read(twoCounts)
    case .longRead: try await db.read(longest)
    case .backgroundRead: try await db.read(on: .background, longest)
    case .unisolatedRead: _ = try await db.readWithoutTransaction(on: .background, count)
    case .snapshot:
      let isEmpty = try await databases.snapshot.read { try count($0) == 0 }
      try expect(isEmpty, "the snapshot changed")
    case .write: try await db.write { try insert(number, $0) }
    case .longWrite:
      try await db.write { connection in
        try insert(number, connection)
        try longest(connection)
      }
    case .writeData: try await db.writeData { try insert(number, $0) }
    case .onlyWrite:
      try await db.write(alone: true) { connection in
        try longest(connection)
        try insert(number, connection)
      }
    case .writeWithDeadline:
      try await db.write(deadline: .seconds(3_600)) { try insert(number, $0) }
    case .writeWithoutTransaction:
      try await db.writeWithoutTransaction { try insert(number, $0) }
    case .otherWrite: try await databases.other.write { try insert(number, $0) }
    case .stream: try await readStream(of: db, upTo: .max)
    case .streamLeft: try await readStream(of: db, upTo: 1)
    }
    switch work {
    case .read, .longRead, .backgroundRead, .unisolatedRead, .snapshot, .stream, .streamLeft:
      return false
    default: return true
    }
  }

  @Test("after random cancellations the stored rows are exactly the acknowledged writes")
  func storm() async throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let databases = try Databases()
    var tally = Tally()
    var begun = 0
    var works: [Work] = []
    while begun < Self.taskCount {
      // So many tasks run at once that most of them wait.
      let numbers = begun..<min(begun + 100, Self.taskCount)
      begun = numbers.upperBound
      let tasks = numbers.map { number in
        let work = Work.allCases.randomElement(using: &random) ?? .read
        works.append(work)
        return (
          work,
          Task { () -> Bool in try await Self.run(work, number, in: databases) }
        )
      }
      var cancelled: Set<Int> = []
      let count = Int.random(in: 0...100, using: &random)
      for index in tasks.indices.shuffled(using: &random).prefix(count) {
        for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
        tasks[index].1.cancel()
        cancelled.insert(index)
      }
      for (index, (work, task)) in tasks.enumerated() {
        let number = numbers.lowerBound + index
        do {
          if try await task.value { tally.acknowledged.append(number) }
        } catch is CancellationError where cancelled.contains(index) {
          tally.cancelled += 1
        } catch {
          tally.faults.append("\(work) \(number): \(error)")
        }
      }
    }
    #expect(tally.faults.isEmpty, "seed \(seed): \(tally.faults.prefix(5))")
    #expect(tally.cancelled > 0)
    print("\(tally.acknowledged.count) writes, \(tally.cancelled) cancelled")
    let acknowledged = tally.acknowledged
    let all = works
    // The connections of abandoned streams are still on their way back.
    try await TestRun.expectWhole(databases.db)
    try await onThread { try Self.expectWhole(databases, acknowledged, all) }
  }

  private static func expectWhole(
    _ databases: Databases, _ acknowledged: [Int], _ works: [Work]
  ) throws {
    for db in [databases.db, databases.other] {
      let stored = try db.fetch((Int).self, "SELECT n FROM note ORDER BY n")
      let lost = Set(acknowledged).subtracting(stored).sorted()
      let unasked = Set(stored).subtracting(acknowledged).sorted()
      #expect(lost.isEmpty, "acknowledged and not stored: \(lost.map { "\($0) \(works[$0])" })")
      #expect(
        unasked.isEmpty, "stored and not acknowledged: \(unasked.map { "\($0) \(works[$0])" })")
      #expect(stored.count == acknowledged.count)
      try db.execute("INSERT INTO note VALUES (-1); DELETE FROM note WHERE n = -1")
    }
    #expect(try databases.db.row("PRAGMA integrity_check")?[0] == "ok")
    #expect(try databases.snapshot.row("SELECT count(*) FROM note")?[0] == 0)
    for db in [databases.db, databases.other] {
      for lane in ConnectionPool.LaneName.allCases {
        #expect(db.access.pool.waitingCount(lane) == 0)
      }
      let cores = db.access.pool.removeAll()
      #expect(cores.count >= 2)
      for core in cores {
        #expect(!core.isInTransaction)
        var statement = sqlite3_next_stmt(core.handle, nil)
        while let current = statement {
          #expect(sqlite3_stmt_busy(current) == 0)
          statement = sqlite3_next_stmt(core.handle, current)
        }
      }
    }
  }
}
