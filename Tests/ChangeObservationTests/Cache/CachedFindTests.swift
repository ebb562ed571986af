import Foundation
import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import SQLCore

@Suite("Cached rows", .blocking)
struct CachedFindTests {
  let file: TemporaryPath
  let db: Database

  init() throws {
    file = try TemporaryPath()
    db = try Database(path: file.path, models: [Page.self])
    try db.insert((1...50).map { Page(id: $0, text: "page \($0)") })
    // The first read finds the index of the log; the first write reports to the cache.
    _ = try db.find(Page.self, 1)
    try db.execute("UPDATE Page SET text = 'page 1' WHERE id = 1")
    for id in 1...50 { _ = try db.find(Page.self, id) }
  }

  @Test("a row that was read is found again without a statement, synchronously and not")
  func hits() async throws {
    let statements = Lock(0)
    try db.onTrace(.statement) { _ in statements.withLock { $0 += 1 } }
    #expect(try findAtOnce(7) == Page(id: 7, text: "page 7"))
    #expect(try await db.find(Page.self, 8)?.text == "page 8")
    let onMain = Task { @MainActor [db] in try await db.find(Page.self, 9)?.text }
    #expect(try await onMain.value == "page 9")
    #expect(statements.withLock { $0 } == 0)
    #expect(try db.cacheStatistics(of: Page.self).hits == 3)
    #expect(try db.cacheStatistics(of: Page.self).count == 50)
  }

  @Test("the counts of all cached models are those of each")
  func allCounts() throws {
    #expect(db.cacheStatistics == ["Page": try db.cacheStatistics(of: Page.self)])
    let empty = try Database(path: file.path, models: [Page.self])
    #expect(empty.cacheStatistics.isEmpty)
    _ = try empty.find(Page.self, 1)
    #expect(empty.cacheStatistics["Page"]?.misses == 1)
    try db.close()
    #expect(db.cacheStatistics["Page"]?.count == 0)
  }

  @Test(
    "a commit of this database removes the rows that it touched, and keeps the others",
    .needs(.preUpdateHook))
  func ownCommits() throws {
    let counts = try db.counts(of: Page.self) { () throws in
      try db.execute("UPDATE Page SET text = 'new' WHERE id IN (3, 4)")
      try db.execute("DELETE FROM Page WHERE id = 5")
      try db.execute("INSERT INTO Page VALUES (100, 'x')")
      #expect(try db.find(Page.self, 3)?.text == "new")
      #expect(try db.find(Page.self, 5) == nil)
      #expect(try db.find(Page.self, 6)?.text == "page 6")
      #expect(try db.find(Page.self, 3)?.text == "new")
    }
    #expect(counts == (hits: 2, misses: 2, invalidations: 3))
  }

  @Test("a commit of another connection, or of another process, removes all rows")
  func otherCommits() throws {
    let other = try Connection(path: file.path)
    let counts = try db.counts(of: Page.self) { () throws in
      try other.execute("UPDATE Page SET text = 'other' WHERE id = 3")
      #expect(try db.find(Page.self, 3)?.text == "other")
    }
    #expect(counts == (hits: 0, misses: 1, invalidations: 50))
    for number in 0..<5 {
      _ = try db.find(Page.self, 3)
      let process = try OtherProcess.run([
        "step", file.path, "1", "UPDATE Page SET text = 'process \(number)' WHERE id = 3",
      ])
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(try db.find(Page.self, 3)?.text == "process \(number)")
    }
  }

  @Test("a commit after one of another connection, which no read has seen, removes all rows")
  func bothCommit() throws {
    let other = try Connection(path: file.path)
    try other.execute("UPDATE Page SET text = 'other' WHERE id = 3")
    try db.execute("UPDATE Page SET text = 'own' WHERE id = 4")
    #expect(try db.find(Page.self, 3)?.text == "other")
    #expect(try db.find(Page.self, 4)?.text == "own")
  }

  @Test("a write sees itself, and nothing of it is cached before it commits")
  func insideWrites() throws {
    struct Abandoned: Error {}
    #expect(throws: Abandoned.self) {
      try db.write { tx in
        try tx.execute("UPDATE Page SET text = 'uncommitted'")
        #expect(try tx.find(Page.self, 3)?.text == "uncommitted")
        let outside = elsewhere { [db] in try? db.find(Page.self, 3)?.text }
        #expect(outside == "page 3")
        throw Abandoned()
      }
    }
    let counts = try db.counts(of: Page.self) { () throws in
      #expect(try db.find(Page.self, 3)?.text == "page 3")
    }
    #expect(counts == (hits: 1, misses: 0, invalidations: 0))
    #expect(throws: DatabaseError.self) {
      try db.write { _ in _ = try db.find(Page.self, 3) }
    }
  }

  @Test("the cache keeps within its bounds, and keeps the rows that are read often")
  func bounds() throws {
    try db.insert((101...1_000).map { Page(id: $0, text: String(repeating: "x", count: 50)) })
    for id in 101...1_000 {
      _ = try db.find(Page.self, id)
      _ = try db.find(Page.self, 7)
    }
    var statistics = try db.cacheStatistics(of: Page.self)
    #expect(statistics.count <= 100 && statistics.count > 90)
    #expect(statistics.evictions > 800)
    #expect(statistics.hits >= 899)
    try db.insert((1_001...1_050).map { Page(id: $0, text: String(repeating: "x", count: 9_000)) })
    for id in 1_001...1_050 { _ = try db.find(Page.self, id) }
    statistics = try db.cacheStatistics(of: Page.self)
    #expect(statistics.byteCount <= 100_000 && statistics.byteCount > 80_000)
    // A row that is larger than the cache is not kept.
    try db.insert(Page(id: 2_000, text: String(repeating: "x", count: 200_000)))
    _ = try db.find(Page.self, 2_000)
    #expect(try db.cacheStatistics(of: Page.self).byteCount <= 100_000)
  }

  @Test("a schema change removes all rows; a table whose key is another one is not cached")
  func schemaChanges() throws {
    try db.execute("ALTER TABLE Page RENAME TO Old")
    #expect(throws: DatabaseError.self) { try db.find(Page.self, 3) }
    try db.execute("CREATE TABLE Page (id INTEGER, text TEXT); INSERT INTO Page VALUES (3, 'new')")
    let counts = try db.counts(of: Page.self) { () throws in
      for _ in 0..<3 { #expect(try db.find(Page.self, 3)?.text == "new") }
    }
    #expect(counts.hits == 0)
    try db.execute("DROP TABLE Page; CREATE VIEW Page AS SELECT id, text || '!' AS text FROM Old")
    for _ in 0..<3 { #expect(try db.find(Page.self, 3)?.text == "page 3!") }
    try db.execute("UPDATE Old SET text = 'changed'")
    #expect(try db.find(Page.self, 3)?.text == "changed!")
  }

  @Test("a column with the name of the rowid does not hide which row a commit touched")
  func rowIDColumn() throws {
    try db.execute(
      "DROP TABLE Page; CREATE TABLE Page (id INTEGER PRIMARY KEY, text TEXT, _rowid_ TEXT)")
    try db.execute("INSERT INTO Page VALUES (1, 'old', '7'), (7, 'seven', '1')")
    for _ in 0..<2 { #expect(try db.find(Page.self, 1)?.text == "old") }
    try db.execute("UPDATE Page SET text = 'new' WHERE id = 1")
    #expect(try db.find(Page.self, 1)?.text == "new")
  }

  @Test("an authorizer is asked about rows that were cached before")
  func authorizer() throws {
    #expect(try db.find(Page.self, 3)?.text == "page 3")
    try db.onAuthorize { action in
      if case .read(table: "Page", column: "text") = action.kind { .deny } else { .allow }
    }
    for _ in 0..<3 {
      #expect(throws: DatabaseError.self) { try db.find(Page.self, 3) }
    }
    #expect(try db.cacheStatistics(of: Page.self).count == 0)
  }

  @Test("without shared memory nothing is cached, and every read is right")
  func unsupported() throws {
    var alone = Configuration()
    alone.maximumReaders = 0
    for db in [try Database.inMemory(), try Database.temporary(configuration: alone)] {
      try db.migrate([Page.self])
      try db.insert(Page(id: 1, text: "one"))
      for _ in 0..<3 { #expect(try db.find(Page.self, 1)?.text == "one") }
      try db.execute("UPDATE Page SET text = 'two'")
      #expect(try db.find(Page.self, 1)?.text == "two")
      #expect(try db.cacheStatistics(of: Page.self) == CacheStatistics())
    }
  }

  @Test("inside a read of the same database, a cached row throws as any other does")
  func insideReads() throws {
    for id in [3, 1_000] {
      #expect(throws: DatabaseError.self) { try db.read { _ in try db.find(Page.self, id) } }
      #expect(throws: DatabaseError.self) { try db.write { _ in try db.find(Page.self, id) } }
    }
    #expect(try db.find(Page.self, 3)?.text == "page 3")
  }

  @Test("while another thread reads or writes, a cached row is found without a statement")
  func besideAccesses() throws {
    let counts = try db.counts(of: Page.self) { () throws in
      let found = try db.read { [db] _ in elsewhere { try? db.find(Page.self, 3)?.text } }
      #expect(found == "page 3")
      let beside = try db.write { [db] _ in elsewhere { try? db.find(Page.self, 4)?.text } }
      #expect(beside == "page 4")
    }
    #expect(counts == (hits: 2, misses: 0, invalidations: 0))
  }

  @Test("a closed database throws, whether or not the row was cached")
  func closing() throws {
    try db.close()
    #expect(throws: DatabaseError.self) { try db.find(Page.self, 3) }
    #expect(try db.cacheStatistics(of: Page.self).count == 0)
  }

  @Test("a cancelled task gets no cached row")
  func cancellation() async throws {
    let task = Task { [db] in
      while !Task.isCancelled { await Task.yield() }
      return try await db.find(Page.self, 3)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a restarted log, and a checkpoint that truncates it, make no row outdated")
  func checkpoints() throws {
    for number in 0..<20 {
      _ = try db.checkpoint(number % 2 == 0 ? .truncate : .restart)
      try db.execute("UPDATE Page SET text = \("\(number)") WHERE id = 3")
      #expect(try db.find(Page.self, 3)?.text == "\(number)")
      #expect(try db.find(Page.self, 4)?.text == "page 4")
    }
  }

  private func findAtOnce(_ id: Int) throws -> Page? { try db.find(Page.self, id) }

  /// Runs a closure on another thread, and waits for it.
  private func elsewhere<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value?
  ) -> Value? {
    let value = Lock<Value?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let result = body()
      value.withLock { $0 = result }
      ended.signal()
    }
    ended.wait()
    return value.withLock { $0 }
  }
}
