import SQLCore
import TestRun
import Testing

@Suite("The statement cache of a connection")
struct StatementCacheTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func connection(statements: Int = 128, bytes: Int = 1 << 20) throws -> Connection {
    try folder.connection(
      .with {
        $0.maximumCachedStatements = statements
        $0.maximumCachedStatementBytes = bytes
      })
  }

  @Test("the same text finds its statement again, whatever its values")
  func sameText() throws {
    let connection = try connection()
    for number in 0..<5 {
      #expect(try connection.value(Int.self, "SELECT \(number) + 1") == number + 1)
    }
    let statistics = try connection.statementCacheStatistics
    #expect(statistics.count == 1)
    #expect(statistics.misses == 1)
    #expect(statistics.hits == 4)
    #expect(statistics.byteCount > 0)
  }

  @Test("other spacing or case is another statement")
  func otherText() throws {
    let connection = try connection()
    _ = try connection.rows("SELECT 1")
    _ = try connection.rows("SELECT  1")
    _ = try connection.rows("select 1")
    #expect(try connection.statementCacheStatistics.count == 3)
  }

  @Test("text after the statement does not keep it from being found again")
  func trailing() throws {
    let connection = try connection()
    for _ in 0..<2 {
      #expect(try connection.value(Int.self, "SELECT 1;") == 1)
      #expect(try connection.value(Int.self, "SELECT 1;\n") == 1)
      #expect(try connection.value(Int.self, "SELECT 1; -- one") == 1)
      #expect(try connection.value(Int.self, " /* one */ SELECT 1 /* one */ ") == 1)
      try connection.execute("VALUES (1);\n")
    }
    #expect(try connection.statementCacheStatistics.misses == 5)
  }

  @Test("a statement that changes the schema is not cached")
  func schemaChanges() throws {
    let connection = try connection()
    for _ in 0..<2 {
      try connection.execute("CREATE TABLE IF NOT EXISTS note (text TEXT)")
      try connection.execute("ALTER TABLE note RENAME TO other")
      try connection.execute("DROP TABLE other")
    }
    #expect(try connection.statementCacheStatistics.count == 0)
    #expect(try connection.statementCacheStatistics.hits == 0)
  }

  @Test("the least recently used statement is evicted first")
  func leastRecentlyUsed() throws {
    let connection = try connection(statements: 3)
    for sql: SQL in ["SELECT 1", "SELECT 2", "SELECT 3"] { _ = try connection.rows(sql) }
    _ = try connection.rows("SELECT 1")
    _ = try connection.rows("SELECT 4")
    #expect(try connection.statementCacheStatistics.count == 3)
    let before = try connection.statementCacheStatistics
    for sql: SQL in ["SELECT 1", "SELECT 3", "SELECT 4"] { _ = try connection.rows(sql) }
    #expect(try connection.statementCacheStatistics.hits == before.hits + 3)
    _ = try connection.rows("SELECT 2")
    #expect(try connection.statementCacheStatistics.misses == before.misses + 1)
  }

  @Test("many statements stay within the bounds of the cache, and the hit rate is reported")
  func bounded() throws {
    let count = TestSize.count(small: 20_000, full: 1_000_000)
    let connection = try connection()
    var most = 0
    for number in 0..<count {
      try connection.execute("SELECT \(unsafe: String(number))")
      guard number % 100 == 0 else { continue }
      let statistics = try connection.statementCacheStatistics
      most = max(most, statistics.count)
      guard statistics.count <= 128, statistics.byteCount <= 1 << 20 else {
        Issue.record("\(statistics)")
        return
      }
    }
    let statistics = try connection.statementCacheStatistics
    #expect(most == 128)
    #expect(statistics.misses == count && statistics.hits == 0 && statistics.hitRate == 0)
    for _ in 0..<3 { try connection.execute("SELECT \(unsafe: String(count - 1))") }
    #expect(try connection.statementCacheStatistics.hitRate == 3.0 / Double(count + 3))
    #expect(try Connection().statementCacheStatistics.hitRate == 0)
  }

  @Test("the cache is bounded by bytes too, and a large statement evicts small ones")
  func boundedByBytes() throws {
    let connection = try connection(bytes: 40_000)
    for number in 0..<10 { _ = try connection.row("SELECT \(unsafe: String(number))") }
    let small = try connection.statementCacheStatistics
    #expect(small.count == 10)
    let columns = (0..<100).map { "abs(\($0))" }.joined(separator: ", ")
    _ = try connection.row("SELECT \(unsafe: columns)")
    let statistics = try connection.statementCacheStatistics
    #expect(statistics.byteCount <= 40_000)
    #expect(statistics.count < 11)
  }

  @Test("a statement larger than the cache runs and is not kept")
  func tooLarge() throws {
    let connection = try connection(bytes: 10)
    #expect(try connection.value(Int.self, "SELECT 7") == 7)
    #expect(try connection.value(Int.self, "SELECT 7") == 7)
    #expect(try connection.statementCacheStatistics.count == 0)
    #expect(try connection.statementCacheStatistics.byteCount == 0)
  }

  @Test("a cache of size zero keeps nothing, and statements still run")
  func none() throws {
    let connection = try connection(statements: 0)
    try connection.execute("CREATE TABLE note (text TEXT)")
    try connection.transaction { try $0.execute("INSERT INTO note VALUES (\("a"))") }
    #expect(try connection.value(String.self, "SELECT text FROM note") == "a")
    #expect(try connection.statementCacheStatistics.count == 0)
  }

  @Test("a statement in use gets a twin with its own rows and values")
  func twin() throws {
    let connection = try connection()
    try connection.execute("CREATE TABLE number (n INTEGER)")
    for n in 1...3 { try connection.execute("INSERT INTO number VALUES (\(n))") }
    var pairs: [[Int]] = []
    try connection.forEach("SELECT n FROM number WHERE n >= \(2)") { outer in
      let left = try outer.get(Int.self, at: 0)
      try connection.forEach("SELECT n FROM number WHERE n >= \(1)") { inner in
        pairs.append([left, try inner.get(at: 0)])
      }
    }
    #expect(pairs == [[2, 1], [2, 2], [2, 3], [3, 1], [3, 2], [3, 3]])
    #expect(
      try connection.rows("SELECT n FROM number WHERE n >= \(3)").map { $0[0] } == [3])
  }

  @Test("a twin counts as a miss, not as a hit")
  func twinStatistics() throws {
    let connection = try connection()
    try connection.forEach("SELECT 1") { _ in
      try connection.forEach("SELECT 1") { _ in }
    }
    let statistics = try connection.statementCacheStatistics
    #expect(statistics.misses == 2)
    #expect(statistics.hits == 0)
  }

  @Test("statements in use are not evicted, even without room")
  func inUse() throws {
    let connection = try connection(statements: 1)
    var depths: [Int] = []
    try connection.forEach("SELECT 1") { one in
      try connection.forEach("SELECT 2") { two in
        try connection.forEach("SELECT 3") { three in
          depths = [try one.get(at: 0), try two.get(at: 0), try three.get(at: 0)]
        }
      }
    }
    #expect(depths == [1, 2, 3])
    #expect(try connection.statementCacheStatistics.count == 1)
  }

  @Test("a statement that failed can run again with other values")
  func afterFailure() throws {
    let connection = try connection()
    try connection.execute("CREATE TABLE number (n INTEGER PRIMARY KEY) STRICT")
    for _ in 0..<2 {
      try connection.execute("INSERT OR IGNORE INTO number VALUES (\(1))")
      #expect(throws: DatabaseError.self) {
        try connection.execute("INSERT INTO number VALUES (\(1))")
      }
    }
    try connection.execute("INSERT INTO number VALUES (\(2))")
    #expect(try connection.value(Int.self, "SELECT count(*) FROM number") == 2)
  }

  @Test("a PRAGMA takes effect on each run, although SQLite runs it while preparing it")
  func pragmas() throws {
    let connection = try connection()
    for size in [-100, -200, -100, -200] {
      try connection.execute("PRAGMA cache_size = \(unsafe: String(size))")
      #expect(try connection.value(Int.self, "PRAGMA cache_size") == size)
    }
    for isOn in [false, true, false, true] {
      try connection.execute("PRAGMA foreign_keys = \(unsafe: isOn ? "ON" : "OFF")")
      #expect(try connection.value(Bool.self, "PRAGMA foreign_keys") == isOn)
    }
  }
}

@Suite("Cached statements and schema changes")
struct StatementSchemaChangeTests {
  @Test("new columns and names are seen after another connection changes the schema")
  func otherConnection() throws {
    let folder = try TemporaryFolder()
    let mine = try folder.connection()
    let other = try folder.connection()
    try mine.execute("CREATE TABLE note (a INTEGER)")
    try mine.execute("INSERT INTO note VALUES (1)")
    #expect(try mine.row("SELECT * FROM note")?.columnNames == ["a"])
    #expect(try mine.fetch((Int).self, "SELECT * FROM note") == [1])

    try other.execute("ALTER TABLE note RENAME COLUMN a TO b")
    let renamed = try mine.row("SELECT * FROM note")
    #expect(renamed?.columnNames == ["b"])
    #expect(renamed?["b"] == 1)
    #expect(renamed?["a"] == nil)

    try other.execute("ALTER TABLE note ADD COLUMN c TEXT DEFAULT 'x'")
    let pairs = try mine.fetch((Int, String).self, "SELECT * FROM note")
    #expect(pairs.map(\.0) == [1])
    #expect(pairs.map(\.1) == ["x"])
    #expect(try mine.row("SELECT * FROM note")?.columnNames == ["b", "c"])
  }

  @Test("a table dropped by another connection is an error, and a new one is found")
  func dropped() throws {
    let folder = try TemporaryFolder()
    let mine = try folder.connection()
    let other = try folder.connection()
    try mine.execute("CREATE TABLE note (a INTEGER)")
    #expect(try mine.value(Int.self, "SELECT count(*) FROM note") == 0)
    try other.execute("DROP TABLE note")
    let error = #expect(throws: DatabaseError.self) {
      try mine.value(Int.self, "SELECT count(*) FROM note")
    }
    #expect(error?.message == "no such table: note")
    try other.execute("CREATE TABLE note (z TEXT)")
    #expect(try mine.value(Int.self, "SELECT count(*) FROM note") == 0)
  }

  @Test("a prepared statement sees the column names of the changed schema")
  func userStatement() throws {
    let folder = try TemporaryFolder()
    let mine = try folder.connection()
    try mine.execute("CREATE TABLE note (a INTEGER)")
    try mine.execute("INSERT INTO note VALUES (1)")
    let statement = try mine.prepare("SELECT * FROM note")
    #expect(try statement.columnNames == ["a"])
    try folder.connection().execute("ALTER TABLE note RENAME COLUMN a TO b")
    #expect(try statement.step())
    #expect(try statement.columnNames == ["b"])
    #expect(try statement.get(Int.self, named: "b") == 1)
  }
}
