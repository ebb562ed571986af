import Apus
import Foundation
import Testing

@testable import ApusAnalytics

@Suite("What SQLite and DuckDB answer differently", .enabled(if: hasDuckDB))
struct RefusalTests {
  private let test: TestDatabase

  init() throws {
    test = try TestDatabase()
    try test.insert(0..<40)
    try test.analytics.copy(Sale.self, Store.self, from: test.db)
  }

  /// Queries in SQL whose rows must be the same.
  @Test(
    "is translated",
    arguments: [
      "SELECT id / 3, -id / 3, id % 7, -id % 7, id / 0, id % 0 FROM Sale ORDER BY id",
      "SELECT amount / 0, amount % 3, 5.5 % 2, 7 / 2.0 FROM Sale ORDER BY id",
      "SELECT weight - weight, weight * 0, weight + -weight FROM Sale ORDER BY id",
      "SELECT id FROM Sale WHERE weight - weight IS NULL ORDER BY id",
      "SELECT note FROM Sale ORDER BY note, id",
      "SELECT note FROM Sale ORDER BY note DESC, id",
      "SELECT note FROM Sale ORDER BY note COLLATE NOCASE NULLS LAST, note, id",
      "SELECT id FROM Sale WHERE name LIKE 'A%' OR name LIKE 'ä' ORDER BY id",
      "SELECT id FROM Sale WHERE name = 'AB' COLLATE NOCASE ORDER BY id",
      "SELECT name || note, note || id FROM Sale ORDER BY id",
      "SELECT substr(name, 0, 2), substr(name, -1), substr(name, 2, -1) FROM Sale ORDER BY id",
      "SELECT round(2.5), round(-0.5), round(amount), max(id, rating), min(amount, weight) "
        + "FROM Sale ORDER BY id",
      "SELECT max(rating, NULL), coalesce(NULL, rating), typeof(rating), typeof(amount) "
        + "FROM Sale ORDER BY id",
      "SELECT CAST(' 12x' AS INTEGER), CAST(-2.9 AS INTEGER), CAST(1e300 AS INTEGER)",
      "SELECT id > 1.5, big > 9007199254740992.0, big = 9.007199254740993e15 FROM Sale ORDER BY id",
      "SELECT sum(quantity), total(NULL), avg(quantity), group_concat(name, '-') FROM Sale",
      "SELECT sum(id), count(*) FROM Sale WHERE id < 0",
      "SELECT name FROM Sale UNION SELECT name FROM Store INTERSECT SELECT note FROM Sale "
        + "ORDER BY 1",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) "
        + "SELECT i, i * i FROM n ORDER BY i",
      "SELECT id FROM Sale WHERE (quantity, id) > (0, 5) ORDER BY quantity, id LIMIT 5 OFFSET 2",
      "SELECT id, token = 'a', token > 'a', token < 5 FROM Sale ORDER BY id",
      "SELECT id FROM Sale WHERE NULL IS rating OR rating IS NOT quantity ORDER BY id LIMIT -1",
      "SELECT (SELECT name FROM Store WHERE Store.id = storeID), EXISTS (SELECT 1) FROM Sale "
        + "ORDER BY id",
      "SELECT strftime('%Y-%m-%d %H:%M:%S', id * 86400, 'unixepoch', '+1 months') FROM Sale "
        + "ORDER BY id",
      "SELECT x'00FF', hex(name), length(CAST(name AS BLOB)), unicode(name) FROM Sale ORDER BY id",
      "SELECT s.\"id\" AS \"a\"\"b\", 'it''s' FROM Sale AS s, Store t WHERE t.id = s.id ORDER BY 1",
      "VALUES (1, 'a'), (NULL, 'b')", "SELECT rowid, oid FROM Sale ORDER BY _rowid_ DESC",
      "SELECT status, count(*) AS n FROM Sale GROUP BY status HAVING n > 1 ORDER BY n DESC, 1",
      "SELECT (SELECT name FROM Sale b WHERE b.quantity = a.quantity ORDER BY id DESC) FROM Sale a "
        + "ORDER BY id",
      "SELECT trim(name, ''), ltrim(name, 'a'), +name, -quantity FROM Sale ORDER BY id",
      "SELECT a.id, b.name FROM Sale a LEFT JOIN Store b ON a.storeID = b.id AND b.size > 0 "
        + "ORDER BY a.id",
      "SELECT id FROM Sale WHERE rating IN (1, NULL, 2.0) OR rating NOT IN (0, NULL) ORDER BY id",
      "SELECT id FROM Sale WHERE quantity BETWEEN -1.5 AND rating OR name IN ('a', 'B') ORDER BY id",
      "SELECT 0x10, 1e3, .5, -9223372036854775808, TRUE, id IS TRUE FROM Sale ORDER BY id",
    ]) func translated(_ sql: String) throws
  {
    let here = try test.db.read { try $0.rows(SQL(unsafe: sql)).map(\.values) }
    let there = try test.analytics.database.read { try $0.rows(SQL(unsafe: sql)).map(\.values) }
    #expect(here == there)
  }

  /// Queries that throw, each with a part of what to write instead.
  @Test(
    "or refused, with what to write",
    arguments: [
      ("SELECT CAST(amount AS TEXT) FROM Sale", "in Swift"),
      ("SELECT amount || 'x' FROM Sale", "in Swift"),
      ("SELECT round(amount, 1) FROM Sale", "in Swift"),
      ("SELECT id FROM Sale WHERE name = 1", "one type"),
      ("SELECT id FROM Sale WHERE name", "compare it"),
      ("SELECT name + 1 FROM Sale", "in Swift"),
      ("SELECT CASE WHEN id > 1 THEN 1 ELSE 2.5 END FROM Sale", "cast them"),
      ("SELECT DISTINCT name COLLATE NOCASE FROM Sale", "lower()"),
      ("SELECT count(*) FROM Sale GROUP BY name COLLATE NOCASE", "lower()"),
      ("SELECT group_concat(a.name) FROM Sale a, Store b", "in Swift"),
      ("SELECT json_extract(tags, '$[0]') FROM Sale", "copy a query"),
      ("SELECT tags -> '$[0]' FROM Sale", "copy a query"),
      ("SELECT id FROM Sale WHERE name GLOB '[ab]*'", "LIKE"),
      ("SELECT id << 2 FROM Sale", "multiply"),
      ("SELECT CURRENT_TIMESTAMP", "as a value"),
      ("SELECT strftime('%Y', name) FROM Sale", "standard form"),
      ("SELECT printf('%d', id) FROM Sale", "in Swift"),
      ("SELECT id FROM Sale NATURAL JOIN Store", "ON"),
      ("SELECT value FROM json_each('[1]')", "as a query"),
    ]) func refused(_ sql: String, advice: String) throws
  {
    let error = #expect(throws: AnalyticsError.self) {
      try test.analytics.database.read { try $0.rows(SQL(unsafe: sql)) }
    }
    guard case .unsupported(_, let written, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(written.contains(advice))
  }

  struct Word: Model {
    @PrimaryKey var id: Int
    @Column var text: String
  }

  @Test(
    "a key that is not the rowid is not taken for it",
    arguments: [
      "id BIGINT PRIMARY KEY, text TEXT)", "id INTEGER PRIMARY KEY, text TEXT) WITHOUT ROWID",
    ])
  func otherKeys(_ definition: String) throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE Word (\(unsafe: definition)")
    try db.execute("INSERT INTO Word VALUES (2, 'b'), (1, 'a')")
    try test.analytics.copy(Word.self, from: db)
    for sql: SQL in ["SELECT rowid FROM Word", "SELECT group_concat(text) FROM Word"] {
      #expect(throws: (any Error).self) { try test.analytics.database.read { try $0.rows(sql) } }
    }
    let rows = try test.analytics.database.read { try $0.rows("SELECT id FROM Word ORDER BY id") }
    #expect(rows.map(\.values) == [[1], [2]])
  }

  @Test("an integer that leaves 64 bits throws, where SQLite continues with a REAL")
  func overflow() throws {
    for sql in ["SELECT big + big FROM Sale", "SELECT sum(abs(big / 2)) FROM Sale"] {
      let error = #expect(throws: AnalyticsError.self) {
        try test.analytics.database.read { try $0.rows(SQL(unsafe: sql)) }
      }
      guard case .outOfRange? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("deep queries are answered or refused, on the small stacks of some threads")
  func deep() async throws {
    let copies = test.analytics.database
    for depth in [10, 45, 900] {
      let sql =
        "SELECT " + String(repeating: "(", count: depth) + "1"
        + String(repeating: ")", count: depth)
      let found = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            returning: Result { try copies.read { try $0.rows(SQL(unsafe: sql)) } })
        }
      }
      switch found {
      case .success(let rows): #expect(rows.first?[0] == 1)
      case .failure(let error): #expect(depth == 900, "\(error)")
      }
    }
  }

  @Test("mistakes are those of SQLite, and writes are refused")
  func mistakes() throws {
    let copies = test.analytics.database
    #expect(throws: DatabaseError.self) { try copies.read { try $0.rows("SELECT nope FROM Sale") } }
    #expect(throws: (any Error).self) { try copies.run(Sale.delete()) }
    #expect(throws: (any Error).self) {
      try copies.fetch(Sale.where { $0.$price > 1 })
    }
    // The session is still usable.
    #expect(try copies.count(Sale.all) == 40)
  }

  @Test("a deadline ends a query")
  func deadline() throws {
    let sql: SQL = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
      SELECT count(*) FROM n AS a, n AS b WHERE a.i * b.i % 7 = 3
      """
    #expect(throws: (any Error).self) {
      try test.analytics.database.read(deadline: .milliseconds(50)) { try $0.rows(sql) }
    }
    #expect(try test.analytics.database.count(Sale.all) == 40)
  }

  @Test("streams, transactions of reads and nested statements work")
  func nestedStatements() throws {
    try test.analytics.database.read { connection in
      var count = 0
      try connection.forEach("SELECT id FROM Sale") { row in
        let id: Int = try row.get(at: 0)
        let found = try connection.row("SELECT count(*) FROM Sale WHERE id = \(id)")
        #expect(found?[0] == 1)
        count += 1
      }
      #expect(count == 40)
      // Many batches; the first are read before another query runs.
      var sum = 0
      try connection.forEach(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        SELECT i, 'a text that is not stored in place ' || i FROM n ORDER BY i
        """
      ) { row in
        let (number, text): (Int, String) = (try row.get(at: 0), try row.get(at: 1))
        #expect(text.hasSuffix(" \(number)"))
        if number == 3 { #expect(try connection.row("SELECT max(id) FROM Sale")?[0] == 39) }
        sum += number
      }
      #expect(sum == 50_005_000)
      // Only the beginning of a result is read.
      #expect(try connection.row("SELECT id FROM Sale ORDER BY id")?[0] == 0)
    }
  }
}
