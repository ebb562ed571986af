import Foundation
import SQLCore
import TestRun
import Testing

/// Money moves between two tables while other tasks count it. Also run under the thread
/// sanitizer.
@Suite("Concurrency: writers and readers of one file")
struct WritersAndReadersConcurrencyTests {
  private static let total = 1_000

  /// A busy timeout that outlasts the test, however slow the machine is.
  private static var patient: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(3_600)
    return configuration
  }

  private func make() throws -> Database {
    let db = try Database.temporary(configuration: Self.patient)
    try db.execute(
      """
      CREATE TABLE cash (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL) STRICT;
      CREATE TABLE bank (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL) STRICT;
      CREATE TABLE receipt (id INTEGER PRIMARY KEY) STRICT;
      INSERT INTO cash VALUES (1, \(Self.total));
      INSERT INTO bank VALUES (1, 0)
      """)
    return db
  }

  /// Moves an amount and writes a receipt.
  private static func move(_ amount: Int, receipt id: Unique64, _ connection: Connection) throws {
    try connection.execute("UPDATE cash SET amount = amount - \(amount)")
    try connection.execute("UPDATE bank SET amount = amount + \(amount)")
    try connection.execute("INSERT INTO receipt VALUES (\(id))")
  }

  /// The sum over both tables, each read by a statement of its own.
  private static func sum(_ connection: Connection) throws -> Int {
    let cash = try connection.row("SELECT sum(amount) FROM cash")?.get(Int.self, at: 0) ?? 0
    let bank = try connection.row("SELECT sum(amount) FROM bank")?.get(Int.self, at: 0) ?? 0
    return cash + bank
  }

  private struct Tally: Sendable {
    var acknowledged: [Unique64] = []
    var reads = 0
  }

  private func expectWhole(_ tally: Tally, in db: Database) throws {
    let stored = try db.fetch((Unique64).self, "SELECT id FROM receipt")
    #expect(Set(stored) == Set(tally.acknowledged))
    #expect(stored.count == tally.acknowledged.count)
    #expect(tally.acknowledged.count >= 8)
    #expect(tally.reads >= 8)
    #expect(try db.read { try Self.sum($0) } == Self.total)
    #expect(try db.row("PRAGMA integrity_check")?[0] == "ok")
    print("\(stored.count) writes and \(tally.reads) reads")
  }

  /// Runs 8 tasks that write and 8 that read, each `count` times.
  private func run(_ databases: [Database], count: Int) async throws -> Tally {
    try await withThrowingTaskGroup(of: Tally.self) { group in
      for number in 0..<8 {
        let db = databases[number % databases.count]
        group.addTask {
          var tally = Tally()
          for _ in 0..<count {
            let id = Unique64(tag: Int16(number))
            try await db.write { try Self.move(number - 3, receipt: id, $0) }
            tally.acknowledged.append(id)
          }
          return tally
        }
        group.addTask {
          var tally = Tally()
          for _ in 0..<count {
            let sum = try await db.read { try Self.sum($0) }
            tally.reads += 1
            guard sum == Self.total else {
              Issue.record("the sum is \(sum)")
              return tally
            }
          }
          return tally
        }
      }
      return try await group.reduce(into: Tally()) {
        $0.acknowledged += $1.acknowledged
        $0.reads += $1.reads
      }
    }
  }

  @Test("while 8 tasks write and 8 read, the sum is constant and no receipt is lost")
  func oneDatabase() async throws {
    let db = try make()
    let tally = try await run(
      [db], count: TestSize.count(small: 100, full: 2_000, sanitized: 500))
    try await onThread { try expectWhole(tally, in: db) }
  }

  @Test("two databases on one file wait for each other, and neither fails with busy")
  func twoDatabases() async throws {
    let db = try make()
    let other = try Database(path: try #require(db.path), configuration: Self.patient)
    let tally = try await run([db, other], count: TestSize.count(small: 20, full: 250))
    try await onThread { try expectWhole(tally, in: other) }
  }

  @Test("threads that block, beside tasks that suspend, keep the sum and every receipt")
  func threadsAndTasks() async throws {
    let db = try make()
    let tally = Shared(Tally())
    let threads = (0..<4).map { number in
      Task.detached {
        try await onThread {
          for _ in 0..<50 {
            let id = Unique64(tag: Int16(number))
            try db.write { try Self.move(1, receipt: id, $0) }
            let sum = try db.read { try Self.sum($0) }
            #expect(sum == Self.total)
            tally.change {
              $0.acknowledged.append(id)
              $0.reads += 1
            }
          }
        }
      }
    }
    let tasks = try await run([db], count: 1)
    for thread in threads { try await thread.value }
    var both = tally.current
    both.acknowledged += tasks.acknowledged
    both.reads += tasks.reads
    let whole = both
    try await onThread { try expectWhole(whole, in: db) }
  }

  @Test("tasks cancelled at any time lose no acknowledged write")
  func cancellation() async throws {
    let db = try make()
    let acknowledged = Shared<[Unique64]>([])
    for round in 0..<30 {
      let tasks = (0..<8).map { number in
        Task {
          let id = Unique64(tag: Int16(number))
          try await db.write { try Self.move(1, receipt: id, $0) }
          acknowledged.change { $0.append(id) }
          let sum = try await db.read { try Self.sum($0) }
          #expect(sum == Self.total)
        }
      }
      for (number, task) in tasks.enumerated() where (number + round) % 3 == 0 { task.cancel() }
      for task in tasks {
        do {
          try await task.value
        } catch is CancellationError {}
      }
    }
    let stored = try await db.fetch((Unique64).self, "SELECT id FROM receipt")
    #expect(Set(stored).isSuperset(of: acknowledged.current))
    #expect(try await db.read { try Self.sum($0) } == Self.total)
  }

  @Test("a new file that 8 threads open at once takes a write from each of them")
  func opening() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "opening-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for round in 0..<5 {
      let path = folder.appending(path: "\(round).sqlite").path()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await onThread {
              let db = try Database(path: path, configuration: Self.patient)
              try db.execute("CREATE TABLE IF NOT EXISTS note (n INTEGER)")
              try db.execute("INSERT INTO note VALUES (\(number))")
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try await Database(path: path).row("SELECT count(*) FROM note")
      #expect(count?[0] == 8)
    }
  }

  @Test("tasks that read in loops without suspending let other tasks run")
  func endlessReaders() async throws {
    let db = try make()
    let isOver = Shared(false)
    // More tasks than Swift's pool has threads.
    let readers = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
      Task { while !isOver.current { _ = try await db.read { try Self.sum($0) } } }
    }
    let last = Task {
      try await db.write { try Self.move(1, receipt: Unique64(), $0) }
      isOver.change { $0 = true }
    }
    try await last.value
    for reader in readers { try await reader.value }
  }

  @Test("a task completes although it holds the last reference to its database")
  func lifetimes() async throws {
    for _ in 0..<20 {
      let task: Task<Int?, any Error>
      do {
        let db = try make()
        task = Task {
          try await db.write { try Self.move(1, receipt: Unique64(), $0) }
          return try await db.read {
            try $0.row("SELECT count(*) FROM receipt")?.get(Int.self, at: 0)
          }
        }
      }
      #expect(try await task.value == 1)
    }
  }
}
