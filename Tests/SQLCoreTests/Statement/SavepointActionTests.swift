import Testing

@testable import SQLCore

@Suite("The effect of a raw statement on savepoints")
struct SavepointActionTests {
  private func action(_ sql: String) throws -> SavepointAction? {
    let core = try Connection().core
    let (compiled, _) = try #require(try core.compile(Substring(sql)))
    let statement = StatementPointer.make(compiled)
    defer { core.giveBack(statement) }
    return statement.pointee.savepointAction
  }

  @Test(
    "SAVEPOINT opens a savepoint, however it is written",
    arguments: [
      "SAVEPOINT a", "savepoint A", "SavePoint \"a\"", "SAVEPOINT 'A'", "SAVEPOINT [a]",
      "SAVEPOINT `a`", "  \n\tSAVEPOINT\u{C}a ;", "/* x */SAVEPOINT--\n/**/a", "; SAVEPOINT a",
      "-- x\n;; SAVEPOINT a", "\u{FEFF}SAVEPOINT a", "SAVEPOINT/*/ */a", "SAVEPOINT a; SELECT 1",
    ])
  func open(sql: String) throws {
    #expect(try action(sql) == .open("a"))
  }

  @Test("names are unquoted, and only ASCII letters are folded")
  func names() throws {
    #expect(try action(#"SAVEPOINT "a""b""#) == .open("a\"b"))
    #expect(try action("SAVEPOINT 'it''s'") == .open("it's"))
    #expect(try action("SAVEPOINT ÄÉa") == .open("ÄÉa"))
    #expect(try action("SAVEPOINT \"a b; -- c\"") == .open("a b; -- c"))
    #expect(try action("SAVEPOINT x_1$y") == .open("x_1$y"))
    #expect(try action("SAVEPOINT savepoint") == .open("savepoint"))
    #expect(try action("SAVEPOINT \"\"") == .open(""))
  }

  @Test(
    "RELEASE releases a savepoint",
    arguments: [
      ("RELEASE a", "a"), ("RELEASE SAVEPOINT a", "a"), ("release savepoint \"A\"", "a"),
      ("RELEASE \"savepoint\"", "savepoint"),
      ("RELEASE SAVEPOINT savepoint", "savepoint"), ("; RELEASE/**/a", "a"),
    ])
  func release(sql: String, name: String) throws {
    #expect(try action(sql) == .release(name))
  }

  @Test(
    "ROLLBACK TO rolls back to a savepoint",
    arguments: [
      ("ROLLBACK TO a", "a"), ("ROLLBACK TO SAVEPOINT a", "a"),
      ("ROLLBACK TRANSACTION TO a", "a"), ("rollback transaction to savepoint \"x\"", "x"),
      ("ROLLBACK TRANSACTION t TO SAVEPOINT a", "a"), ("ROLLBACK TRANSACTION \"to\" TO a", "a"),
      ("ROLLBACK TRANSACTION 'to' TO \"savepoint\"", "savepoint"),
      ("ROLLBACK/* */TO--\na", "a"), ("ROLLBACK TO SAVEPOINT \"to\"", "to"),
    ])
  func rollBack(sql: String, name: String) throws {
    #expect(try action(sql) == .rollBack(name))
  }

  @Test(
    "any other statement leaves the savepoints unchanged",
    arguments: [
      "BEGIN", "COMMIT", "ROLLBACK", "ROLLBACK TRANSACTION", "ROLLBACK TRANSACTION t", "END",
      "SELECT 'SAVEPOINT a'", "SELECT 1 AS savepoint", "EXPLAIN SAVEPOINT a",
      "EXPLAIN QUERY PLAN RELEASE a", "PRAGMA foreign_keys = ON",
    ])
  func nothing(sql: String) throws {
    #expect(try action(sql) == nil)
  }
}
