import SQLCore
import Testing

@Suite("The details of an error")
struct ErrorDetailTests {
  @Test("an error counts the bound values, and shows them only on request")
  func values() throws {
    let plain = try Connection()
    let open = try Connection(configuration: .with { $0.showsValuesInErrors = true })
    for connection in [plain, open] {
      try connection.execute("CREATE TABLE person (name TEXT UNIQUE)")
      try connection.execute("INSERT INTO person VALUES (\("Secret"))")
    }
    func failure(_ connection: Connection) -> DatabaseError? {
      #expect(throws: DatabaseError.self) {
        try connection.execute("INSERT INTO person VALUES (\("Secret"))")
      }
    }
    let hidden = try #require(failure(plain))
    #expect(hidden.valueCount == 1 && hidden.expandedSQL == nil)
    #expect(hidden.description.hasSuffix("  with 1 value, not shown"))
    #expect(!hidden.description.contains("Secret"))
    let shown = try #require(failure(open))
    #expect(shown.expandedSQL == "INSERT INTO person VALUES ('Secret')")
    #expect(shown.description.hasSuffix("with its values: INSERT INTO person VALUES ('Secret')"))
  }

  @Test("an error holds its codes, message, SQL, offset, constraint, table and columns")
  func parts() throws {
    let connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE pair (a INTEGER, b INTEGER NOT NULL, CONSTRAINT positive CHECK (b > 0), UNIQUE (a, b));
      INSERT INTO pair VALUES (1, 1)
      """)
    func failure(_ sql: SQL) -> DatabaseError? {
      #expect(throws: DatabaseError.self) { try connection.execute(sql) }
    }
    let unique = try #require(failure("INSERT INTO pair VALUES (1, 1)"))
    #expect(unique.code.rawValue == 2067 && unique.code.primary == .constraint)
    #expect(unique.message == "UNIQUE constraint failed: pair.a, pair.b")
    #expect(unique.sql == "INSERT INTO pair VALUES (1, 1)")
    #expect(
      unique.constraint == ConstraintFailure(kind: .unique, table: "pair", columns: ["a", "b"]))
    let check = failure("INSERT INTO pair VALUES (1, -1)")?.constraint
    #expect(check?.kind == .check && check?.name == "positive")
    let null = failure("INSERT INTO pair VALUES (1, NULL)")?.constraint
    #expect(null == ConstraintFailure(kind: .notNull, table: "pair", columns: ["b"]))
    let fault = failure("SELECT a, nmae FROM pair")
    #expect(fault?.offset == 10)
    #expect(fault?.code == .error)
  }
}
