import SQLCore
import TestRun
import Testing

/// A database with 300 posts of 60 authors that reports scans of more than 50 rows.
struct ScannedPosts {
  let db: Database
  let reports = Shared<[TableScan]>([])

  static let schema: SQL = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT) STRICT;
    CREATE TABLE post (
      id INTEGER PRIMARY KEY, authorID INTEGER NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
      views INTEGER NOT NULL, rating REAL, tag TEXT COLLATE NOCASE, isActive INTEGER NOT NULL,
      createdAt INTEGER NOT NULL) STRICT;
    CREATE TABLE small (id INTEGER PRIMARY KEY, kind TEXT) STRICT;
    CREATE VIEW active AS SELECT * FROM post WHERE isActive = 1;
    CREATE INDEX latest ON post (createdAt) WHERE isActive = 2;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO author SELECT i, 'name' || i, 'country' || (i % 7) FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO post SELECT i, i % 60 + 1, 'title' || i, 'status' || (i % 5), i % 11, NULL,
        'tag' || (i % 9), i % 3, i * 7 FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO small SELECT i, 'kind' || (i % 2) FROM n;
    """

  init(inMemory: Bool = false, _ change: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configuration.maximumScannedRows = 50
    configuration.onTableScan = { [reports] scan in reports.change { $0.append(scan) } }
    change(&configuration)
    db =
      try inMemory
      ? Database.inMemory(configuration: configuration)
      : Database.temporary(configuration: configuration)
    try db.write { try $0.execute(Self.schema) }
    reports.change { $0 = [] }
  }

  func run(_ sql: SQL) throws {
    try db.write { connection in
      try connection.forEach(sql) { _ in }
      try connection.requestRollback()
    }
  }

  /// SQLite's query plan as text.
  func plan(of sql: SQL) throws -> String {
    try db.write { connection in
      try connection.rows("EXPLAIN QUERY PLAN \(sql)")
        .map { try $0.get(String.self, named: "detail") }.joined(separator: "\n")
    }
  }
}

/// A statement and the indexes that serve it, as CREATE INDEX writes them.
struct ScanShape: Sendable, CustomTestStringConvertible {
  let sql: SQL
  let indexes: [String]
  var testDescription: String { sql.text }

  init(_ sql: SQL, _ indexes: String...) {
    (self.sql, self.indexes) = (sql, indexes)
  }
}

@Suite("Scans of large tables and the suggested indexes")
struct TableScanTests {
  static let shapes = [
    // Comparisons.
    ScanShape("SELECT * FROM post WHERE status = 'status1'", #"post ("status")"#),
    ScanShape("SELECT * FROM post WHERE status = \("status1")", #"post ("status")"#),
    ScanShape("SELECT * FROM post WHERE views > 7", #"post ("views")"#),
    ScanShape("SELECT * FROM post WHERE views BETWEEN 3 AND 4", #"post ("views")"#),
    ScanShape("SELECT * FROM post WHERE rating IS NULL", #"post ("rating")"#),
    ScanShape("SELECT * FROM post WHERE status IN ('status1', 'status2')", #"post ("status")"#),
    ScanShape("SELECT * FROM post WHERE authorID IN \(array: [1, 2])", #"post ("authorID")"#),
    ScanShape(
      "SELECT * FROM post WHERE views > 3 AND status = 'status1'", #"post ("status", "views")"#),
    ScanShape(
      "SELECT * FROM post WHERE authorID = 1 AND status = 'status1'",
      #"post ("authorID", "status")"#),
    // Orders.
    ScanShape("SELECT * FROM post ORDER BY createdAt DESC LIMIT 3", #"post ("createdAt")"#),
    ScanShape(
      "SELECT * FROM post ORDER BY status, createdAt DESC", #"post ("status", "createdAt" DESC)"#),
    ScanShape(
      "SELECT * FROM post WHERE status = 'status1' ORDER BY createdAt DESC LIMIT 3",
      #"post ("status", "createdAt")"#),
    ScanShape("SELECT status, count(*) FROM post GROUP BY status", #"post ("status")"#),
    ScanShape("SELECT DISTINCT authorID FROM post", #"post ("authorID")"#),
    ScanShape("SELECT max(views) FROM post", #"post ("views")"#),
    // Collations, LIKE and GLOB.
    ScanShape("SELECT * FROM post WHERE tag = 'TAG1'", #"post ("tag")"#),
    ScanShape(
      "SELECT * FROM post WHERE title = 'TITLE7' COLLATE NOCASE",
      #"post ("title" COLLATE "NOCASE")"#),
    ScanShape(
      "SELECT * FROM post WHERE title LIKE 'title12%'", #"post ("title" COLLATE "NOCASE")"#),
    ScanShape(
      "SELECT * FROM post WHERE title LIKE \("title12%")", #"post ("title" COLLATE "NOCASE")"#),
    ScanShape("SELECT * FROM post WHERE title GLOB 'title12*'", #"post ("title")"#),
    // OR, joins, queries inside queries.
    ScanShape(
      "SELECT * FROM post WHERE status = 'status1' OR views = 3", #"post ("status")"#,
      #"post ("views")"#),
    ScanShape("SELECT * FROM post WHERE views = 1 OR views = 3", #"post ("views")"#),
    ScanShape(
      "SELECT * FROM small JOIN post AS p ON p.status = small.kind", #"post ("status")"#),
    ScanShape(
      """
      SELECT author.name, p.title FROM author JOIN post AS p ON p.authorID = author.id
      WHERE author.country = 'country1'
      """, #"author ("country")"#, #"post ("authorID")"#),
    ScanShape(
      "SELECT * FROM small WHERE EXISTS (SELECT 1 FROM post WHERE post.views = small.id)",
      #"post ("views")"#),
    ScanShape("SELECT * FROM active WHERE views = 5", #"post ("isActive", "views")"#),
    ScanShape(
      "WITH p AS (SELECT * FROM post WHERE views > 3) SELECT * FROM p WHERE status = 'status1'",
      #"post ("status", "views")"#),
    // Beside a partial index.
    ScanShape(
      "SELECT * FROM post WHERE isActive = 1 AND createdAt > 900",
      #"post ("isActive", "createdAt")"#),
    // Writing.
    ScanShape("UPDATE post SET views = 0 WHERE status = 'status1'", #"post ("status")"#),
    ScanShape("DELETE FROM post WHERE createdAt < 700", #"post ("createdAt")"#),
    ScanShape(
      "DELETE FROM post WHERE status = 'status1' RETURNING id", #"post ("status")"#),
  ]

  @Test(
    "a suggested index, once created, is the one that SQLite uses", arguments: Self.shapes)
  func suggestion(shape: ScanShape) throws {
    let posts = try ScannedPosts()
    try posts.run(shape.sql)
    #expect(posts.reports.current.count == 1)
    let report = try #require(posts.reports.current.first)
    #expect(report.sql == shape.sql.text)
    #expect(!report.tables.isEmpty && report.rowCount > 50)
    let found = report.indexes.map { index in
      "\(index.table) (\(index.sql.split(separator: " (", maxSplits: 1)[1])"
    }
    #expect(found.sorted() == shape.indexes.sorted())

    for index in report.indexes { try posts.db.execute(SQL(unsafe: index.sql)) }
    let plan = try posts.plan(of: shape.sql)
    for index in report.indexes { #expect(plan.contains("INDEX \(index.name)"), "\(plan)") }
    // A scan that remains, in the order of the index, is reported without advice.
    posts.reports.change { $0 = [] }
    try posts.run(shape.sql)
    #expect(posts.reports.current.flatMap(\.indexes) == [])
  }

  static let hopeless: [SQL] = [
    "SELECT * FROM post", "SELECT * FROM post WHERE title LIKE '%12'",
    "SELECT * FROM post WHERE views + 1 = 5", "SELECT * FROM post WHERE views <> 5",
    "SELECT * FROM post WHERE lower(title) = 'a'", "SELECT * FROM post WHERE +status = 'status1'",
    "SELECT * FROM post ORDER BY random()", "SELECT * FROM post ORDER BY views + 1",
    "SELECT sum(views) FROM post", "SELECT * FROM post WHERE status = 'status1' OR title LIKE '%1'",
    "SELECT status FROM post", "UPDATE post SET views = views + 1",
  ]

  @Test("no index is suggested if none would help", arguments: Self.hopeless.indices)
  func noSuggestion(index: Int) throws {
    let posts = try ScannedPosts()
    try posts.run(Self.hopeless[index])
    let report = try #require(posts.reports.current.first)
    #expect(report.tables == ["post"] && report.indexes == [])
    #expect(report.description.hasSuffix("\n  no index would help"))
  }

  static let quiet: [SQL] = [
    "SELECT * FROM post WHERE id = 7", "SELECT * FROM post LIMIT 50", "SELECT count(*) FROM post",
    "SELECT * FROM small WHERE kind = 'kind1'",
    // Small tables, however often they are gone through.
    "SELECT count(*) FROM small a, small b WHERE a.id + b.id = 5",
    "SELECT * FROM post WHERE isActive = 2 AND createdAt > 2000",
    "SELECT name FROM sqlite_schema",
  ]

  @Test("a statement that scans few rows is not reported", arguments: Self.quiet.indices)
  func fewRows(index: Int) throws {
    let posts = try ScannedPosts()
    try posts.run(Self.quiet[index])
    #expect(posts.reports.current == [])
  }

  @Test("a statement that ran on a small table is reported when the table has grown, and only once")
  func grown() throws {
    let posts = try ScannedPosts()
    let sql: SQL = "SELECT count(*) FROM small AS a JOIN small AS b ON a.id + b.id = 5"
    try posts.run(sql)
    // The two scans have 420 steps, but the table has only 20 rows.
    #expect(posts.reports.current.isEmpty)
    try posts.db.execute(
      """
      WITH n(i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO small SELECT i, 'kind' FROM n
      """)
    for _ in 0..<3 { try posts.run(sql) }
    #expect(posts.reports.current.map(\.tables) == [["small"]])
  }

  @Test("indexes are suggested for a statement that does not run")
  func beforeRunning() throws {
    let posts = try ScannedPosts()
    let sql: SQL = "SELECT * FROM post WHERE status = \("status1") AND views > 5"
    let indexes = try posts.db.read { try $0.suggestedIndexes(for: sql) }
    #expect(indexes.map(\.table) == ["post"])
    #expect(indexes.first?.terms.map(\.column) == ["status", "views"])
    #expect(posts.reports.current == [])
    let found = try posts.db.read {
      try $0.suggestedIndexes(for: "SELECT * FROM post WHERE id = 1")
    }
    #expect(found == [])
    #expect(throws: DatabaseError.self) {
      try posts.db.read { try $0.suggestedIndexes(for: "SELECT * FROM nothing") }
    }
    let deletion = try posts.db.read {
      try $0.suggestedIndexes(for: "DELETE FROM post WHERE status = 'x'")
    }
    #expect(deletion.count == 1)
    #expect(try posts.db.row("SELECT count(*) FROM post")?[0] == 300)
  }
}
