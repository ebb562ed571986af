import SQLCore
import Testing

@Suite("Constraint errors name constraint, table and columns")
struct ConstraintFailureTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute(
      """
      CREATE TABLE author (
        id INTEGER PRIMARY KEY,
        email TEXT UNIQUE,
        name TEXT NOT NULL,
        age INTEGER CONSTRAINT adult CHECK (age >= 18),
        score REAL CHECK (score > 0)
      ) STRICT;
      CREATE TABLE post (
        day INTEGER, number INTEGER, author INTEGER REFERENCES author, title TEXT,
        PRIMARY KEY (day, number)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX titles ON post (lower(title));
      CREATE UNIQUE INDEX author_day ON post (author, day);
      CREATE TRIGGER no_one BEFORE INSERT ON post WHEN new.author = 7
        BEGIN SELECT raise(ABORT, 'seven is not allowed'); END;
      INSERT INTO author VALUES (1, 'a@b.c', 'Jane', 20, 1);
      INSERT INTO post VALUES (1, 1, 1, 'Swifts')
      """)
  }

  private func failure(_ sql: SQL) throws -> ConstraintFailure? {
    let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
    #expect(error?.code.primary == .constraint)
    return error?.constraint
  }

  @Test("UNIQUE is reported for one column, and for several through an index")
  func unique() throws {
    #expect(
      try failure("INSERT INTO author (email, name) VALUES ('a@b.c', 'X')")
        == ConstraintFailure(kind: .unique, table: "author", columns: ["email"]))
    #expect(
      try failure("INSERT INTO post VALUES (1, 2, 1, 'Other')")
        == ConstraintFailure(kind: .unique, table: "post", columns: ["author", "day"]))
  }

  @Test("a unique index over an expression is reported with its name, table and columns")
  func uniqueExpression() throws {
    #expect(
      try failure("INSERT INTO post VALUES (2, 2, 1, 'SWIFTS')")
        == ConstraintFailure(kind: .unique, table: "post", columns: ["title"], name: "titles"))
  }

  @Test("constraints of an attached database are looked up there")
  func attached() throws {
    try connection.attach(path: folder.file("other.sqlite"), as: "o'ther")
    try connection.execute(
      """
      CREATE TABLE "o'ther".note (body TEXT, size INTEGER CHECK (size < 100));
      CREATE UNIQUE INDEX "o'ther".titles ON note (upper(body));
      INSERT INTO note VALUES ('a', 1)
      """)
    #expect(
      try failure("INSERT INTO note VALUES ('A', 1)")
        == ConstraintFailure(kind: .unique, table: "note", columns: ["body"], name: "titles"))
    #expect(
      try failure("INSERT INTO note VALUES ('b', 100)")
        == ConstraintFailure(kind: .check, table: "note", columns: ["size"], name: "size < 100"))
  }

  @Test("PRIMARY KEY is reported for a rowid and for several columns")
  func primaryKey() throws {
    #expect(
      try failure("INSERT INTO author (id, name) VALUES (1, 'X')")
        == ConstraintFailure(kind: .primaryKey, table: "author", columns: ["id"]))
    #expect(
      try failure("INSERT INTO post VALUES (1, 1, NULL, 'Other')")
        == ConstraintFailure(kind: .primaryKey, table: "post", columns: ["day", "number"]))
  }

  @Test("NOT NULL is reported with its table and column")
  func notNull() throws {
    #expect(
      try failure("INSERT INTO author (id) VALUES (2)")
        == ConstraintFailure(kind: .notNull, table: "author", columns: ["name"]))
  }

  @Test("CHECK is reported with its name or text, its table and its columns")
  func check() throws {
    #expect(
      try failure("UPDATE author SET age = 17")
        == ConstraintFailure(kind: .check, table: "author", columns: ["age"], name: "adult"))
    #expect(
      try failure("UPDATE author SET score = -1")
        == ConstraintFailure(kind: .check, table: "author", columns: ["score"], name: "score > 0"))
  }

  @Test("two CHECKs of one column are distinguished unless SQLite names both alike")
  func checksOfOneColumn() throws {
    try connection.execute(
      """
      CREATE TABLE span (
        "start" INTEGER, "end" INTEGER,
        CHECK (("start" >= 0)), CHECK (("start" <= "end")), CHECK ("end" < 100)
      );
      CREATE TABLE twice ("a" INTEGER, CHECK ("a" > 0), CHECK ("a" < 10))
      """)
    #expect(
      try failure("INSERT INTO span VALUES (-1, 5)")
        == ConstraintFailure(
          kind: .check, table: "span", columns: ["start"], name: #""start" >= 0"#))
    #expect(
      try failure("INSERT INTO span VALUES (6, 5)")
        == ConstraintFailure(
          kind: .check, table: "span", columns: ["start", "end"], name: #""start" <= "end""#))
    // SQLite names it "end".
    #expect(
      try failure("INSERT INTO span VALUES (1, 500)")
        == ConstraintFailure(kind: .check, table: "span", columns: ["end"], name: #""end" < 100"#))
    // SQLite names both "a" and does not say which one failed.
    #expect(
      try failure("INSERT INTO twice VALUES (0)")
        == ConstraintFailure(kind: .check, table: "twice", name: "a"))
  }

  @Test("FOREIGN KEY is reported if the statement can have violated only one, from either side")
  func foreignKey() throws {
    #expect(
      try failure("INSERT INTO post VALUES (3, 3, 99, 'X')")
        == ConstraintFailure(kind: .foreignKey, table: "post", columns: ["author"]))
    #expect(
      try failure("UPDATE post SET author = 98")
        == ConstraintFailure(kind: .foreignKey, table: "post", columns: ["author"]))
    #expect(
      try failure("DELETE FROM author")
        == ConstraintFailure(kind: .foreignKey, table: "post", columns: ["author"]))
    try connection.execute(
      "CREATE TABLE pair (a INTEGER REFERENCES author, b INTEGER REFERENCES author)")
    // Either one may have failed.
    #expect(
      try failure("INSERT INTO pair VALUES (1, 99)") == ConstraintFailure(kind: .foreignKey))
    #expect(
      try failure("INSERT INTO pair VALUES (1, 1); UPDATE pair SET b = 99")
        == ConstraintFailure(kind: .foreignKey, table: "pair", columns: ["b"]))
  }

  @Test("a deferred FOREIGN KEY that fails at COMMIT is reported with table and columns")
  func deferredForeignKey() throws {
    try connection.execute(
      """
      CREATE TABLE note (
        a INTEGER REFERENCES author DEFERRABLE INITIALLY DEFERRED,
        day INTEGER, number INTEGER,
        FOREIGN KEY (day, number) REFERENCES post DEFERRABLE INITIALLY DEFERRED
      )
      """)
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { try $0.execute("INSERT INTO note VALUES (1, 5, 6)") }
    }
    #expect(
      error?.constraint
        == ConstraintFailure(kind: .foreignKey, table: "note", columns: ["day", "number"]))
    #expect(error?.message == "FOREIGN KEY constraint failed: note.day, note.number")
    #expect(try connection.row("SELECT count(*) FROM note")?[0] == 0)
  }

  @Test("an error prints as a sentence, followed by SQLite's own message")
  func sentences() throws {
    let sentences: [(SQL, String)] = [
      (
        "INSERT INTO author (email, name) VALUES ('a@b.c', 'X')",
        "another row of author has the same email (UNIQUE constraint failed: author.email)"
      ),
      (
        "INSERT INTO post VALUES (1, 1, NULL, 'Other')",
        "another row of post has the same day and number "
          + "(UNIQUE constraint failed: post.day, post.number)"
      ),
      (
        "INSERT INTO post VALUES (2, 2, 1, 'SWIFTS')",
        "another row of post has the same title, by the unique index titles "
          + "(UNIQUE constraint failed: index 'titles')"
      ),
      (
        "INSERT INTO author (id) VALUES (2)",
        "a row of author has no value for name (NOT NULL constraint failed: author.name)"
      ),
      (
        "UPDATE author SET age = 17",
        "a row of author violates the CHECK adult, which concerns age "
          + "(CHECK constraint failed: adult)"
      ),
      (
        "INSERT INTO post VALUES (3, 3, 99, 'X')",
        "a row of post refers through author to a row that does not exist "
          + "(FOREIGN KEY constraint failed: post.author)"
      ),
      (
        "UPDATE author SET age = 'old'",
        "a row of author has a value of the wrong type in the column age "
          + "(cannot store TEXT value in INTEGER column author.age)"
      ),
      ("INSERT INTO post VALUES (3, 3, 7, 'X')", "seven is not allowed"),
    ]
    for (sql, sentence) in sentences {
      let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      let line = error?.description.split(separator: "\n").first ?? ""
      #expect(line == "SQLite error \(error?.code.rawValue ?? 0): \(sentence)")
    }
  }

  @Test("a value of a wrong type in a STRICT table is reported with its column")
  func dataType() throws {
    #expect(
      try failure("UPDATE author SET age = 'old'")
        == ConstraintFailure(kind: .dataType, table: "author", columns: ["age"]))
    #expect(
      try failure("INSERT INTO author (name) VALUES (\([UInt8]([1])))")
        == ConstraintFailure(kind: .dataType, table: "author", columns: ["name"]))
  }

  @Test("RAISE in a trigger is reported with its own message")
  func raise() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO post VALUES (3, 3, 7, 'X')")
    }
    #expect(error?.constraint == ConstraintFailure(kind: .other))
    #expect(error?.message == "seven is not allowed")
  }

  @Test("a constraint error quotes names with spaces as SQLite does")
  func names() throws {
    try connection.execute("CREATE TABLE \"a table\" (\"a column\" TEXT UNIQUE NOT NULL)")
    try connection.execute("INSERT INTO \"a table\" VALUES ('x')")
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO \"a table\" VALUES (\("x"))")
    }
    var expected = DatabaseError(
      code: ResultCode(rawValue: 2067),
      message: "UNIQUE constraint failed: a table.a column",
      sql: "INSERT INTO \"a table\" VALUES (?)",
      constraint: ConstraintFailure(kind: .unique, table: "a table", columns: ["a column"]))
    expected.valueCount = 1
    #expect(error == expected)
  }

  @Test("other errors have no constraint")
  func none() throws {
    let error = #expect(throws: DatabaseError.self) { try connection.execute("nonsense") }
    #expect(error?.constraint == nil)
  }
}
