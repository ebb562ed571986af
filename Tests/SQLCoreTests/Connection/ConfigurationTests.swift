import Dispatch
import TestRun
import Testing

@testable import SQLCore

@Suite("The configuration of a connection", .blocking)
struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("the defaults are WAL, FULL, and enforced foreign keys")
  func defaults() throws {
    let connection = try folder.connection()
    #expect(try connection.value(String.self, "PRAGMA journal_mode") == "wal")
    #expect(try connection.value(Int.self, "PRAGMA synchronous") == 2)
    #expect(try connection.value(Bool.self, "PRAGMA foreign_keys") == true)
    #expect(try connection.value(Int.self, "PRAGMA journal_size_limit") == 64 << 20)
    #expect(try connection.value(Bool.self, "PRAGMA query_only") == false)
    #expect(try connection.value(Bool.self, "PRAGMA trusted_schema") == true)
  }

  @Test("each setting can be changed, and `relaxed` waits for the disk only at checkpoints")
  func changed() throws {
    #expect(try folder.connection(.relaxed).value(Int.self, "PRAGMA synchronous") == 1)
    let connection = try folder.connection(
      .with {
        $0.synchronous = .extra
        $0.enforcesForeignKeys = false
        $0.busyTimeout = .microseconds(1_500)
        $0.maximumWALBytes = 1 << 20
        $0.trustsSchema = false
      })
    #expect(try connection.value(Int.self, "PRAGMA synchronous") == 3)
    #expect(try connection.value(Bool.self, "PRAGMA foreign_keys") == false)
    #expect(try connection.value(Int.self, "PRAGMA journal_size_limit") == 1 << 20)
    #expect(try connection.value(Bool.self, "PRAGMA trusted_schema") == false)
    #expect(try connection.value(Bool.self, "PRAGMA cell_size_check") == true)
  }

  @Test("extensions cannot be loaded, and no file is mapped into memory")
  func extensions() throws {
    let connection = try folder.connection()
    let error = #expect(throws: DatabaseError.self) {
      try connection.rows("SELECT load_extension('none')")
    }
    #expect(error?.message == "not authorized")
    #expect(try connection.value(Int.self, "PRAGMA mmap_size") == 0)
  }

  @Test("an error holds its statement and the number of its values, and the values only on request")
  func values() throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE note (n TEXT UNIQUE); INSERT INTO note VALUES ('secret')")
    let secret = "secret"
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO note VALUES (\(secret))")
    }
    #expect(error?.valueCount == 1)
    #expect(error.map { "\($0)".contains(secret) } == false)
    let shown = try folder.connection(.with { $0.showsValuesInErrors = true })
    let open = #expect(throws: DatabaseError.self) {
      try shown.execute("INSERT INTO note VALUES (\(secret))")
    }
    #expect(open.map { "\($0)".contains(secret) } == true)
  }

  @Test(
    "a busy timeout is rounded up to whole milliseconds and fits a C int",
    arguments: [
      (Duration.seconds(5), Int32(5_000)), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(7), 7),
      (.microseconds(1_001), 2), (.seconds(-1), 0), (.milliseconds(-1), 0),
      (.seconds(Int64.max), .max), (.seconds(Int64.min), 0), (.seconds(3_000_000), .max),
    ])
  func milliseconds(duration: Duration, expected: Int32) {
    #expect(duration.wholeMilliseconds == expected)
  }

  @Test("a connection without a path is in memory")
  func memory() throws {
    let connection = try Connection()
    try connection.execute("CREATE TABLE note (n)")
    #expect(try connection.value(String.self, "SELECT file FROM pragma_database_list") == "")
    #expect(
      try Connection(path: ":memory:").value(Int.self, "SELECT count(*) FROM sqlite_schema") == 0)
    #expect(try Connection(path: "").tableExists("note") == false)
    #expect(try connection.tableExists("NOTE"))
  }

  @Test("text in double quotes is a name, so a misspelt column is an error")
  func doubleQuotes() throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE person (name TEXT)")
    let error = #expect(throws: DatabaseError.self) {
      try connection.rows("SELECT \"nmae\" FROM person")
    }
    // Newer versions quote the name, and add "should this be a string literal in single-quotes?".
    #expect(
      error?.message.replacing("\"", with: "").hasPrefix("no such column: nmae") == true)
    #expect(throws: DatabaseError.self) {
      try connection.execute("CREATE INDEX i ON person (name) WHERE name <> \"x\"")
    }
    #expect(throws: DatabaseError.self) { try connection.rows("SELECT \"text\"") }
  }

  @Test("foreign keys are enforced, and their actions run")
  func foreignKeys() throws {
    let connection = try folder.connection()
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (parent INTEGER REFERENCES parent ON DELETE CASCADE);
      INSERT INTO parent VALUES (1);
      INSERT INTO child VALUES (1)
      """)
    #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO child VALUES (2)") }
    try connection.execute("DELETE FROM parent")
    #expect(try connection.value(Int.self, "SELECT count(*) FROM child") == 0)
    let free = try folder.connection(.with { $0.enforcesForeignKeys = false })
    try free.execute("INSERT INTO child VALUES (2)")
  }

  @Test("in defensive mode the schema table cannot be written")
  func defensive() throws {
    let connection = try folder.connection()
    try connection.execute("PRAGMA writable_schema = ON")
    #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO sqlite_schema VALUES ('table', 'a', 'a', 2, '')")
    }
  }

  @Test("`prepareConnection` runs last on each connection, and its error is thrown")
  func prepareConnection() throws {
    struct Failure: Error {}
    let count = Lock(0)
    let configuration = Configuration.with {
      $0.prepareConnection = { connection in
        count.withLock { $0 += 1 }
        try connection.execute("PRAGMA cache_size = -77")
        #expect(try connection.value(Bool.self, "PRAGMA foreign_keys") == true)
      }
    }
    let db = try Database(path: folder.file(), configuration: configuration)
    #expect(count.withLock { $0 } == 1)
    #expect(try db.row("PRAGMA cache_size")?[0] == -77)
    #expect(try db.write { try $0.value(Int.self, "PRAGMA cache_size") } == -77)
    #expect(count.withLock { $0 } == 2)
    #expect(throws: Failure.self) {
      try folder.connection(.with { $0.prepareConnection = { _ in throw Failure() } })
    }
    let error = #expect(throws: DatabaseError.self) {
      try folder.connection(.with { $0.prepareConnection = { try $0.execute("nonsense") } })
    }
    #expect(error?.message.hasPrefix(folder.file()) == true)
  }

  @Test("the connection passed to `prepareConnection` is valid only inside it")
  func prepareConnectionKept() throws {
    nonisolated(unsafe) var kept: Connection?
    let connection = try folder.connection(.with { $0.prepareConnection = { kept = $0 } })
    let error = #expect(throws: DatabaseError.self) { try kept?.execute("SELECT 1") }
    #expect(error?.code == .misuse)
    try connection.execute("SELECT 1")
  }

  @Test("a timeout of zero fails at once with busy, and a longer one waits for the lock")
  func busyTimeout() throws {
    let holder = try folder.connection()
    try holder.execute("CREATE TABLE note (n)")
    let impatient = try folder.connection(.with { $0.busyTimeout = .zero })
    try holder.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: DatabaseError.self) {
      try impatient.transaction { try $0.execute("INSERT INTO note VALUES (1)") }
    }
    #expect(error?.code.primary == .busy)
    #expect(try !impatient.isInTransaction)

    // The patient connection has met the lock when it is released.
    let path = folder.file()
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let result = Lock<Result<Int, any Error>?>(nil)
    DispatchQueue.global().async {
      let outcome = Result {
        let patient = try Connection(path: path)
        try patient.onBusy { _ in
          begun.signal()
          // The busy timeout decides.
          return false
        }
        try patient.transaction { try $0.execute("INSERT INTO note VALUES (2)") }
        return try patient.value(Int.self, "SELECT max(n) FROM note") ?? 0
      }
      result.withLock { $0 = outcome }
      ended.signal()
    }
    begun.wait()
    try holder.execute("INSERT INTO note VALUES (1); COMMIT")
    ended.wait()
    #expect(try result.withLock { try $0?.get() } == 2)
    try impatient.execute("INSERT INTO note VALUES (3)")
  }

  @Test("the last rowid and the counts of changes are reported")
  func counts() throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE note (n)")
    try connection.execute("INSERT INTO note VALUES (1), (2), (3)")
    #expect(try connection.lastInsertRowID == 3)
    #expect(try connection.changeCount == 3)
    try connection.execute("UPDATE note SET n = 0 WHERE n > 1")
    #expect(try connection.changeCount == 2)
    #expect(try connection.totalChangeCount == 5)
  }
}
