import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Reports of table scans")
struct TableScanReportTests {
  private let scan: SQL = "SELECT * FROM post WHERE status = 'status1'"

  @Test("a report prints the table, the SQL and the index")
  func description() throws {
    let posts = try ScannedPosts()
    _ = try posts.db.rows(scan)
    #expect(
      posts.reports.current.map(\.description) == [
        """
        a scan of post read 299 rows: SELECT * FROM post WHERE status = 'status1'
          CREATE INDEX "post_on_status" ON "post" ("status")
        """
      ])
  }

  @Test("a report does not contain the values of a statement")
  func values() throws {
    let posts = try ScannedPosts()
    _ = try posts.db.rows("SELECT * FROM post WHERE status = \("secret")")
    let report = try #require(posts.reports.current.first)
    #expect(!report.description.contains("secret") && report.indexes.count == 1)
  }

  @Test("each SQL is reported once over all connections, and again after a schema change")
  func once() async throws {
    let posts = try ScannedPosts()
    let (db, scan) = (posts.db, scan)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await db.rows(scan) } }
      try await group.waitForAll()
    }
    try await db.write { connection in
      for _ in 0..<3 { _ = try connection.rows(scan) }
    }
    #expect(posts.reports.current.count == 1)
    try await db.execute("CREATE INDEX other ON post (title)")
    _ = try await db.rows(scan)
    #expect(posts.reports.current.count == 2)
  }

  @Test("a statement that is reset halfway is reported for the rows that it scanned")
  func halfWay() throws {
    let posts = try ScannedPosts()
    try posts.db.read { connection in
      let statement = try connection.prepare(scan)
      _ = try statement.step()
      try statement.reset()
      #expect(posts.reports.current == [])
      for _ in 0..<12 { _ = try statement.step() }
      try statement.reset()
      #expect(posts.reports.current.count == 1)
    }
  }

  @Test("a scan is reported in memory, and for a table made in the same transaction")
  func inMemory() throws {
    let posts = try ScannedPosts(inMemory: true)
    try posts.db.write { connection in
      try connection.execute("CREATE TABLE made AS SELECT * FROM post")
      _ = try connection.rows("SELECT * FROM made WHERE views = 3")
    }
    #expect(
      posts.reports.current.last?.indexes.map(\.sql) == [
        #"CREATE INDEX "made_on_views" ON "made" ("views")"#
      ])
  }

  @Test("an access to the database inside the report closure throws misuse")
  func closure() throws {
    let failures = Shared<[any Error]>([])
    let database = Shared<Database?>(nil)
    let posts = try ScannedPosts { configuration in
      configuration.onTableScan = { _ in
        guard let database = database.current else { return }
        do { _ = try database.rows("SELECT 1") } catch { failures.change { $0.append(error) } }
      }
    }
    database.change { $0 = posts.db }
    #expect(try posts.db.rows(scan).count == 60)
    #expect((failures.current.first as? DatabaseError)?.code == .misuse)
    database.change { $0 = nil }
  }

  @Test("functions and collations of the database are available when indexes are tried")
  func functions() throws {
    let posts = try ScannedPosts()
    try posts.db.function("half") { (number: Int) in number / 2 }
    try posts.db.collation("backwards") { left, right in
      left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
    }
    try posts.run("SELECT * FROM post WHERE half(views) = 2 AND status = 'status1'")
    #expect(posts.reports.current.last?.indexes.map(\.name) == ["post_on_status"])
    try posts.run("SELECT * FROM post ORDER BY title COLLATE backwards LIMIT 2")
    #expect(posts.reports.current.count == 2)
  }

  @Test("after ANALYZE, one index is suggested for two columns, and SQLite uses it")
  func statistics() throws {
    let posts = try ScannedPosts()
    try posts.db.execute("CREATE INDEX byViews ON post (views); ANALYZE")
    posts.reports.change { $0 = [] }
    let sql: SQL = "SELECT * FROM post WHERE title = 'title7' AND isActive = 1"
    try posts.run(sql)
    let report = try #require(posts.reports.current.first)
    for index in report.indexes { try posts.db.execute(SQL(unsafe: index.sql)) }
    #expect(report.indexes.count == 1)
    let plan = try posts.plan(of: sql)
    #expect(plan.contains(report.indexes[0].name))
  }

  @Test("without `onTableScan`, no scan is reported")
  func off() throws {
    #expect(Configuration().onTableScan == nil)
    let posts = try ScannedPosts { $0.onTableScan = nil }
    _ = try posts.db.rows(scan)
    #expect(posts.reports.current == [])
  }

  @Test("a report leaves the change count and the last rowid unchanged")
  func undisturbed() throws {
    let posts = try ScannedPosts()
    try posts.db.write { connection in
      try connection.execute(
        "INSERT INTO post SELECT id + 1000, 1, 'x', 'y', 0, NULL, NULL, 0, 0 FROM post WHERE views = 3"
      )
      let (count, rowID) = (try connection.changeCount, try connection.lastInsertRowID)
      #expect(count == 28 && rowID == 1300, "\(count), \(rowID)")
    }
    #expect(posts.reports.current.map { $0.indexes.map(\.name) } == [["post_on_views"]])
  }
}
