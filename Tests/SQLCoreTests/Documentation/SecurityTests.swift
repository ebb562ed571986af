import Foundation
import SQLCore
import TestRun
import Testing

/// The statements of Documentation/Security.md that no test of a single feature covers.
@Suite("The promises of the security page")
struct SecurityTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func database(_ configuration: Configuration = Configuration()) throws -> Database {
    let db = try Database(path: folder.file(), configuration: configuration)
    try db.execute("CREATE TABLE IF NOT EXISTS note (n)")
    return db
  }

  private func code(_ body: () throws -> Void) -> ResultCode? {
    #expect(throws: DatabaseError.self, performing: body)?.code.primary
  }

  // MARK: Features that are off by default

  @Test("only the writer may ATTACH, and a limit of zero or a locked schema forbids it")
  func attach() throws {
    let attach: SQL = "ATTACH ':memory:' AS other"
    #expect(code { try database().read { try $0.execute(attach) } } == .readOnly)
    try database().writeWithoutTransaction { try $0.execute(attach) }
    let limited = try database(
      .with { $0.prepareConnection = { _ = try $0.setLimit(.attachedDatabases, to: 0) } })
    let error = #expect(throws: DatabaseError.self) {
      try limited.writeWithoutTransaction { try $0.execute(attach) }
    }
    #expect(error?.message == "too many attached databases - max 0")
    try limited.execute("CREATE TABLE other (n)")
    #expect(
      code {
        try Database(path: folder.file(), configuration: .with { $0.schemaPolicy = .locked })
          .writeWithoutTransaction { try $0.execute(attach) }
      } == .notAuthorized)
  }

  @Test("a call for one statement refuses several, and a script runs them")
  func severalStatements() throws {
    let db = try database()
    let two: SQL = "SELECT 1; DELETE FROM note"
    try db.execute("INSERT INTO note VALUES (1); INSERT INTO note VALUES (2)")
    #expect(code { _ = try db.rows(two) } == .misuse)
    #expect(code { _ = try db.fetch(Int.self, two) } == .misuse)
    #expect(code { try db.write { _ = try $0.prepare(two) } } == .misuse)
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 2)
  }

  // MARK: A file from a stranger

  @Test("a deadline or a throwing listener ends a view that never ends")
  func costlyView() throws {
    struct Enough: Error {}
    try database().execute(
      """
      CREATE VIEW costly AS
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
      """)
    let db = try Database(path: folder.file(), configuration: .untrustedFile)
    #expect(throws: DeadlineExceeded.self) {
      try db.read(deadline: .milliseconds(1)) { _ = try $0.rows("SELECT count(*) FROM costly") }
    }
    let listener = try db.onProgress(every: 1_000) { throw Enough() }
    #expect(throws: (any Error).self) { _ = try db.rows("SELECT count(*) FROM costly") }
    try db.remove(listener)
    #expect(try db.row("SELECT i FROM costly LIMIT 1")?[0] == 1)
  }

  @Test("a limit on the length of values bounds the memory that a view can use")
  func length() throws {
    try database().execute("CREATE VIEW large AS SELECT zeroblob(1000000) AS z")
    var configuration = Configuration.untrustedFile
    configuration.prepareConnection = { _ = try $0.setLimit(.length, to: 10_000) }
    let db = try Database(path: folder.file(), configuration: configuration)
    #expect(code { _ = try db.rows("SELECT z FROM large") } == .tooBig)
    #expect(try db.rows("SELECT zeroblob(9000)").count == 1)
  }

  @Test("a hostile name is quoted when it is written as an identifier")
  func nameOfFile() throws {
    let name = #"x" ; DROP TABLE note; --"#
    let db = try database()
    try db.execute("CREATE TABLE \(identifier: name) (n); INSERT INTO note VALUES (1)")
    #expect(try db.rows("SELECT * FROM \(identifier: name)").isEmpty)
    #expect(try db.rows("SELECT * FROM note").count == 1)
  }

  // MARK: Raw SQL

  @Test("raw SQL in `write` may change data and schema, but not control the transaction")
  func rawInWrite() throws {
    let db = try database()
    try db.write {
      for sql: SQL in [
        "CREATE TABLE t (n)", "INSERT INTO t VALUES (1)", "UPDATE t SET n = 2",
        "ALTER TABLE t ADD COLUMN m", "DELETE FROM t", "DROP TABLE t",
      ] { try $0.execute(sql) }
    }
    for sql: SQL in ["BEGIN", "COMMIT", "ROLLBACK"] {
      #expect(code { try db.write { try $0.execute(sql) } } == .misuse)
      #expect(code { try db.read { try $0.execute(sql) } } == .misuse)
    }
  }

  @Test("a transaction left open without `write` is undone before the next access")
  func leftOpen() throws {
    let db = try database()
    try? db.writeWithoutTransaction { try $0.execute("BEGIN; INSERT INTO note VALUES (1)") }
    #expect(try db.rows("SELECT * FROM note").isEmpty)
    try db.execute("INSERT INTO note VALUES (2)")
    try? db.readWithoutTransaction {
      try $0.execute("BEGIN")
      _ = try $0.rows("SELECT * FROM note")
    }
    try db.execute("INSERT INTO note VALUES (3)")
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 2)
  }

  @Test("no access can write the schema table")
  func schemaTable() throws {
    let db = try database()
    for sql: SQL in [
      "UPDATE sqlite_schema SET sql = 'x'", "DELETE FROM sqlite_master",
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
    ] {
      #expect(throws: DatabaseError.self) { try db.writeWithoutTransaction { try $0.execute(sql) } }
      #expect(throws: DatabaseError.self) { try db.read { try $0.execute(sql) } }
    }
    #expect(try db.rows("SELECT * FROM note").isEmpty)
  }

  // MARK: The contents of errors and logs

  @Test("an error shows a literal in raw SQL, but not a bound value")
  func literals() throws {
    let db = try database()
    try db.execute("CREATE TABLE person (name TEXT UNIQUE); INSERT INTO person VALUES ('Ada')")
    let name = "Ada"
    let bound = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO person VALUES (\(name))")
    }
    let literal = #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO person VALUES ('Ada')")
    }
    #expect(bound?.description.contains("Ada") == false)
    #expect(literal?.description.contains("Ada") == true)
    #expect(bound?.message == "UNIQUE constraint failed: person.name")
  }

  @Test("an error shows a long value that does not fit only in part")
  func unfitting() throws {
    enum Kind: String, ColumnValue { case open, closed }
    let db = try database()
    let long = String(repeating: "secret ", count: 100)
    try db.execute("INSERT INTO note VALUES (\(long))")
    let error = #expect(throws: ColumnValueError.self) {
      _ = try db.fetch(Kind.self, "SELECT n FROM note")
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("secret secret"))
    #expect(!text.contains(String(repeating: "secret ", count: 10)))
  }

  @Test("a statement listener receives no bound values unless it asks for them")
  func traces() throws {
    let db = try database()
    let seen = Shared<[String]>([])
    let listener = try db.onTrace(.statement) { event in
      seen.change { $0.append(event.sql ?? "") }
    }
    try db.execute("INSERT INTO note VALUES (\("hidden"))")
    try db.remove(listener)
    #expect(seen.current.contains { $0.contains("INSERT INTO note") })
    #expect(!seen.current.contains { $0.contains("hidden") })
  }

  @Test("deleted data stays in free pages until a vacuum, unless `secure_delete` is on")
  func deleted() throws {
    let secret = "a-secret-that-is-deleted"
    for isSecure in [false, true] {
      let path = folder.file("deleted-\(isSecure)")
      let db = try Database(
        path: path,
        configuration: .with {
          $0.prepareConnection = {
            try $0.execute("PRAGMA secure_delete = \(unsafe: "\(isSecure)")")
          }
        })
      func isThere() throws -> Bool {
        _ = try db.checkpoint(.truncate)
        return try Data(contentsOf: URL(filePath: path)).range(of: Data(secret.utf8)) != nil
      }
      try db.execute("CREATE TABLE note (n); INSERT INTO note VALUES (\(secret))")
      #expect(try isThere())
      try db.execute("DELETE FROM note")
      #expect(try isThere() == !isSecure)
      try db.vacuum()
      #expect(try !isThere())
    }
  }
}
