import SQLCore
import TestRun
import Testing

@Suite("Constraint errors name constraint, table and columns")
struct ConstraintFailureTests {
  let folder: TemporaryFolder
  let connection: Connection

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

  func failure(_ sql: SQL) throws -> ConstraintFailure? {
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
    // SQLite names both "a" and does not say which one failed; the new rows show it.
    let low = ConstraintFailure(
      kind: .check, table: "twice", columns: ["a"], name: #""a" > 0"#)
    let high = ConstraintFailure(
      kind: .check, table: "twice", columns: ["a"], name: #""a" < 10"#)
    #expect(try failure("INSERT INTO twice VALUES (0)") == low)
    #expect(try failure("INSERT INTO twice VALUES (10)") == high)
  }

  @Test("the rows of a statement decide between CHECKs that SQLite names alike")
  func checksNamedAlike() throws {
    try connection.execute(
      """
      CREATE TABLE twice (
        id INTEGER PRIMARY KEY, "a" INTEGER DEFAULT 50, b TEXT, CHECK ("a" > 0), CHECK ("a" < 10)
      );
      INSERT INTO twice VALUES (1, 5, NULL), (2, 6, NULL)
      """)
    let low = ConstraintFailure(
      kind: .check, table: "twice", columns: ["a"], name: #""a" > 0"#)
    let high = ConstraintFailure(
      kind: .check, table: "twice", columns: ["a"], name: #""a" < 10"#)
    #expect(try failure("INSERT INTO twice (a) VALUES (\(3)), (\(0))") == low)
    #expect(try failure("INSERT INTO twice (a, b) VALUES (3, 'x'), (10, 'y') RETURNING id") == high)
    // The default.
    #expect(try failure("INSERT INTO twice (b) VALUES ('x')") == high)
    #expect(try failure("INSERT INTO twice (a) SELECT a - 5 FROM twice") == low)
    #expect(try failure("UPDATE twice SET b = 'x, y', a = abs(a) + 4 WHERE id = 2") == high)
    try connection.transaction { _ in
      let failure = try failure("UPDATE twice SET a = a - 5")
      #expect(failure == low)
    }
    try connection.execute(
      """
      CREATE TABLE log (a);
      CREATE TRIGGER keep AFTER INSERT ON log BEGIN INSERT INTO twice (a) VALUES (new.a); END
      """)
    // Rows that violate both, a value that is converted, and statements that are not read again.
    for sql: SQL in [
      "INSERT INTO twice (a) VALUES (0), (10)", "INSERT INTO twice (a) VALUES ('10')",
      "INSERT INTO twice (id, a) VALUES (1, 3) ON CONFLICT DO UPDATE SET a = 0",
      "WITH v(x) AS (VALUES (0)) INSERT INTO twice (a) SELECT x FROM v",
      "UPDATE twice SET a = v.x FROM (SELECT 0 AS x) AS v",
      "REPLACE INTO twice (id, a) VALUES (1, 0)",
      "UPDATE OR FAIL twice SET a = a - 6", "INSERT OR ROLLBACK INTO twice (a) VALUES (0)",
      "INSERT INTO log VALUES (0)",
    ] {
      let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      #expect(error?.constraint == ConstraintFailure(kind: .check, table: "twice", name: "a"))
      #expect(
        error?.message == #"CHECK constraint failed: a: one of "a" > 0, "a" < 10"#)
    }
  }

  @Test("the search for a constraint calls no hook and no function of the program")
  func searchIsInvisible() throws {
    try createPair()
    let events = Shared<[String]>([])
    try connection.function("own") { (value: Int) in
      events.change { $0.append("own") }
      return value
    }
    try connection.onUpdate { _ in events.change { $0.append("update") } }
    try connection.onCommit { events.change { $0.append("commit") } }
    try connection.onRollback { events.change { $0.append("rollback") } }
    try connection.onTrace(.statement) { event in
      if event.sql?.contains("apus_written") == true { events.change { $0.append("trace") } }
    }
    func count(_ sql: SQL) throws -> (DatabaseError?, [String]) {
      events.change { $0 = [] }
      let before = try connection.row("SELECT last_insert_rowid(), total_changes()")
      let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      let after = try connection.row("SELECT last_insert_rowid(), total_changes()")
      #expect(before?[1] == after?[1])
      return (error, events.current)
    }
    // With one possible key nothing is read.
    let (single, known) = try count("UPDATE pair SET b = 99 WHERE id = 1")
    let (double, searched) = try count("UPDATE pair SET a = 1, b = 99 WHERE id = 1")
    #expect(single?.constraint?.columns == ["b"] && double?.constraint?.columns == ["b"])
    #expect(searched == known)
    let (candidates, calls) = try count("INSERT INTO pair VALUES (9, 1, own(99))")
    #expect(candidates?.message == "FOREIGN KEY constraint failed: one of pair.a, pair.b")
    #expect(calls.filter { $0 == "own" }.count == 1)
    let (random, _) = try count("INSERT INTO pair VALUES (9, 1, random() / 2 + 99)")
    #expect(random?.constraint == ConstraintFailure(kind: .foreignKey, table: "pair"))
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
