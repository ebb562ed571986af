import SQLCore
import Testing

@Suite("Scripts of several statements")
struct ScriptTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute("CREATE TABLE note (a, b)")
  }

  private var notes: [[DatabaseValue]] {
    get throws { try connection.rows("SELECT a, b FROM note ORDER BY rowid").map(\.values) }
  }

  @Test("the values of a script are bound in order over all of its statements")
  func values() throws {
    try connection.execute(
      """
      INSERT INTO note VALUES (\(1), \(2));
      -- nothing to bind here; only a comment
      UPDATE note SET a = a + 1;
      INSERT INTO note VALUES (\("x"), NULL), (\("y"), \("z"));
      """)
    #expect(try notes == [[2, 2], ["x", nil], ["y", "z"]])
  }

  @Test("fewer or more values than parameters throw")
  func counts() throws {
    let more = #expect(throws: DatabaseError.self) {
      try connection.execute(
        SQL(unsafe: "INSERT INTO note VALUES (1, 2); SELECT 1 --") + " \(1)")
    }
    #expect(more?.code == .range)
    #expect(throws: DatabaseError.self) { try connection.execute("SELECT ?; SELECT \(1)") }
    #expect(throws: DatabaseError.self) { try connection.execute("SELECT ?") }
    #expect(throws: DatabaseError.self) { try connection.execute("SELECT 1 -- \(1)") }
  }

  @Test("a semicolon in text, in a name, in a comment or in a trigger does not end a statement")
  func semicolons() throws {
    try connection.execute("INSERT INTO note VALUES ('a;b', \(1))")
    try connection.execute("CREATE TABLE \(identifier: "x;y") (n); INSERT INTO \"x;y\" VALUES (7)")
    try connection.execute(
      """
      CREATE TRIGGER copy AFTER INSERT ON "x;y" BEGIN
        INSERT INTO note VALUES (new.n, ';');
        INSERT INTO note VALUES (new.n + 1, '');
      END
      """)
    try connection.execute("INSERT INTO \"x;y\" VALUES (\(8)) -- one; two")
    #expect(try notes == [["a;b", 1], [8, ";"], [9, ""]])
  }

  @Test("comments and empty statements around a statement do not matter")
  func comments() throws {
    try connection.execute("-- one; two\nINSERT INTO note VALUES (1, 2); -- three")
    try connection.execute("/* ; */ ;; INSERT INTO note VALUES (3, 4) /* open at the end")
    #expect(try notes == [[1, 2], [3, 4]])
  }

  @Test("a script stops at its first error and keeps what ran before")
  func error() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute(
        "INSERT INTO note VALUES (1, 2); INSERT INTO nowhere VALUES (1); INSERT INTO note VALUES (3, 4)"
      )
    }
    #expect(error?.message == "no such table: nowhere")
    #expect(try notes == [[1, 2]])
  }

  @Test("`Database.execute` runs a script in one transaction")
  func transaction() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE note (n INTEGER PRIMARY KEY); INSERT INTO note VALUES (\(1))")
    #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO note VALUES (\(2)); INSERT INTO note VALUES (\(1))")
    }
    #expect(try db.rows("SELECT n FROM note").map { $0[0] } == [1])
  }
}
