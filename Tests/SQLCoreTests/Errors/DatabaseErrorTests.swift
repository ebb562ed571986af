import SQLCore
import Testing

@Suite("Database errors")
struct DatabaseErrorTests {
  private func error(_ sql: SQL) throws -> DatabaseError {
    let connection = try Connection()
    try connection.execute("CREATE TABLE note (a INTEGER PRIMARY KEY, b TEXT)")
    return try #require(throws: DatabaseError.self) { try connection.rows(sql) }
  }

  @Test("an error carries its code, message, SQL and offset")
  func parts() throws {
    let error = try error("SELECT a, nowhere FROM note WHERE a = \(7)")
    #expect(error.code == .error)
    #expect(error.message == "no such column: nowhere")
    #expect(error.sql == "SELECT a, nowhere FROM note WHERE a = ?")
    #expect(error.offset == 10)
    #expect(
      error.description == """
        SQLite error 1: no such column: nowhere
          in: SELECT a, nowhere FROM note WHERE a = ?
                        ^
        """)
  }

  @Test("the mark points at the fault, also after letters of several bytes")
  func mark() throws {
    let error = try error("SELECT 'äöü', nowhere FROM note")
    #expect(error.offset == 17)
    #expect(error.description.split(separator: "\n").last == "                    ^")
  }

  @Test("SQL of several lines has an offset and no mark")
  func lines() throws {
    let error = try error("SELECT a,\nFROM note")
    #expect(error.offset == 10)
    #expect(!error.description.contains("^"))
  }

  @Test("the offset counts from the beginning, also after comments and empty statements")
  func behindComment() throws {
    #expect(try error("/* ; */ ; SELEC a").offset == 10)
    #expect(try error("-- ä\nSELECT nowhere").offset == 13)
  }

  @Test("an error from a running statement has an extended code and no offset")
  func running() throws {
    let error = try error("INSERT INTO note VALUES (1, 'a'), (1, 'b')")
    #expect(error.code.rawValue == 1555)
    #expect(error.code.primary == .constraint)
    #expect(error.offset == nil)
    #expect(error.sql == "INSERT INTO note VALUES (1, 'a'), (1, 'b')")
  }

  @Test("a result code describes itself")
  func codes() {
    #expect(ResultCode.busy.description == "database is locked (5)")
    #expect(ResultCode(rawValue: 2067).primary == .constraint)
    #expect(ResultCode(rawValue: 12_345).description == "unknown error (12345)")
    #expect(DatabaseError(code: .interrupt, message: "").isInterruption)
    #expect(DatabaseError(code: ResultCode(rawValue: 516), message: "").isInterruption)
    #expect(!DatabaseError(code: .busy, message: "").isInterruption)
  }

  @Test("a value error names its table, column and row")
  func valueError() {
    let reason = ColumnValueError.Reason.mismatch(expected: "TEXT", found: "BLOB")
    #expect(ColumnValueError(reason).description == "expected TEXT, found BLOB")
    #expect(
      ColumnValueError(reason, table: "Post", column: "title", row: 3).description
        == "Post.title, row 3: expected TEXT, found BLOB")
    #expect(ColumnValueError(reason, row: 3).description == "row 3: expected TEXT, found BLOB")
  }
}
