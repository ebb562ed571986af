import Dispatch
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@Suite("Opening and migrating from asynchronous code")
struct AsynchronousMigrationTests {
  struct Item: Model {
    @PrimaryKey var id: Int
    @Column var size: Int
  }

  /// A file whose column `size` has another type, so that a migration copies its rows.
  private func file(rows: Int) throws -> (database: Database, path: String) {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY, size TEXT NOT NULL);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO Item SELECT i, '20' FROM n
      """)
    return (db, try #require(db.path))
  }

  @Test("`Database.open` opens a file, migrates it, and reports the progress")
  func opening() async throws {
    let (file, path) = try file(rows: 25_000)
    defer { withExtendedLifetime(file) {} }
    let seen = Mutex<[Int]>([])
    let options = MigrationOptions(progress: { progress in
      if progress.rowCount > 0 { seen.withLock { $0.append(progress.copiedRows) } }
    })
    let db = try await Database.open(path: path, models: [Item.self], migration: options)
    #expect(seen.withLock { $0 } == [0, 10_000, 20_000])
    #expect(try await db.find(Item.self, 7)?.size == 20)
    #expect(try await db.migrationPlan(for: [Item.self]).isEmpty)
    #expect(try await db.migrate([Item.self]).isEmpty)
    try await db.close()
    let plain = try await Database.open(path: path)
    #expect(try await plain.row("SELECT typeof(size) FROM Item")?[0] == "integer")
  }

  @Test("an error of a plan is thrown as in the synchronous form")
  func refused() async throws {
    let (db, path) = try file(rows: 1)
    try await db.execute("UPDATE Item SET size = 'large'")
    let error = await #expect(throws: MigrationError.self) {
      _ = try await Database.open(path: path, models: [Item.self])
    }
    #expect(try await db.migrationPlan(for: [Item.self]).description == error?.plan.description)
  }

  // If the openings blocked the threads that tasks share, the task that ends the lock would never run.
  @Test("openings that wait for the migration of another program leave Swift's threads free")
  func waiting() async throws {
    let (db, path) = try file(rows: 1)
    let other = try Connection(path: path)
    try other.execute("BEGIN IMMEDIATE")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask { _ = try await Database.open(path: path, models: [Item.self]) }
      }
      for _ in 0..<1_000 { await Task.yield() }
      try other.execute("ROLLBACK")
      try await group.waitForAll()
    }
    #expect(try await db.find(Item.self, 1)?.size == 20)
  }

  @Test("cancelling the task ends a migration while it copies rows, and nothing is changed")
  func cancelled() async throws {
    let (db, path) = try file(rows: 25_000)
    let (reports, report) = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    let options = MigrationOptions(progress: { progress in
      guard progress.copiedRows == 10_000 else { return }
      report.yield()
      goOn.wait()
    })
    let opening = Task {
      _ = try await Database.open(path: path, models: [Item.self], migration: options)
    }
    for await _ in reports { break }
    opening.cancel()
    goOn.signal()
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(try await db.rows("SELECT name FROM sqlite_schema").count == 1)
    #expect(try await db.row("SELECT typeof(size) FROM Item WHERE id = 1")?[0] == "text")
    // The same database can be migrated afterwards.
    try await db.migrate([Item.self])
    #expect(try await db.find(Item.self, 25_000)?.size == 20)
  }

  @Test("a task that was cancelled before opens and creates no file")
  func cancelledBefore() async throws {
    let (db, path) = try file(rows: 1)
    let opening = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await Database.open(path: path + "2", models: [Item.self])
    }
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(!FileManager.default.fileExists(atPath: path + "2"))
    #expect(try await db.rows("SELECT name FROM sqlite_schema").count == 1)
  }
}
