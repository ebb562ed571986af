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
    #expect(
      try failure("INSERT INTO pair VALUES (1, 1); UPDATE pair SET b = 99")
        == ConstraintFailure(kind: .foreignKey, table: "pair", columns: ["b"]))
  }

  /// Two foreign keys of `pair` refer to `author`, which has the rows 1 and 2.
  private func createPair() throws {
    try connection.execute(
      """
      INSERT INTO author VALUES (2, 'd@e.f', 'John', 20, 1), (3, 'g@h.i', 'Jim', 20, 1);
      CREATE TABLE pair (
        id INTEGER PRIMARY KEY, a INTEGER REFERENCES author (id), b INTEGER REFERENCES author
      );
      INSERT INTO pair VALUES (1, 1, NULL), (2, NULL, 2)
      """)
  }

  /// Returns the columns of a foreign key that a statement violates, and checks that its error has
  /// the table.
  private func violatedKey(_ sql: SQL) throws -> [String]? {
    let failure = try failure(sql)
    #expect(failure?.kind == .foreignKey && failure?.table == "pair", "\(sql)")
    return failure?.columns
  }

  @Test("the rows of a statement decide which of two foreign keys it violated")
  func twoForeignKeys() throws {
    try createPair()
    func check() throws {
      #expect(try violatedKey("INSERT INTO pair VALUES (9, 1, 99)") == ["b"])
      #expect(try violatedKey("INSERT INTO pair (b, a) VALUES (\(1), \(99))") == ["a"])
      #expect(try violatedKey("INSERT INTO pair (b) VALUES (1), (98) RETURNING id") == ["b"])
      #expect(
        try violatedKey("INSERT INTO pair (a, b) SELECT id, iif(id = 3, 97, 1) FROM author")
          == ["b"])
      #expect(
        try violatedKey(
          "INSERT INTO pair (a) WITH v(x) AS (VALUES (1), (96)) SELECT x FROM v") == ["a"])
      #expect(try violatedKey("UPDATE pair SET a = 1, b = a + 50 WHERE id = 1") == ["b"])
      #expect(try violatedKey("UPDATE pair AS p SET a = (SELECT 95), b = 2") == ["a"])
      // Author 1 is referred to by `a`, author 2 by `b`.
      #expect(try violatedKey("DELETE FROM author WHERE id = 2") == ["b"])
      #expect(try violatedKey("DELETE FROM author WHERE id = \(1);") == ["a"])
      #expect(try violatedKey("UPDATE author SET id = 20 WHERE id = 2") == ["b"])
    }
    try connection.execute("DROP TABLE post")
    try check()
    try connection.transaction { _ in try check() }
    try connection.transaction { connection in
      try connection.execute("PRAGMA defer_foreign_keys = 1; INSERT INTO pair VALUES (50, 60, 70)")
      #expect(try connection.row("PRAGMA defer_foreign_keys")?[0] == 1)
      try connection.execute("PRAGMA defer_foreign_keys = 0")
      #expect(try violatedKey("INSERT INTO pair VALUES (9, 1, 99)") == ["b"])
      try connection.execute("DELETE FROM pair WHERE id = 50")
    }
  }

  @Test("an error names all foreign keys that the statement can have violated")
  func candidates() throws {
    try createPair()
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO pair VALUES (9, 98, 99)")
    }
    #expect(error?.constraint == ConstraintFailure(kind: .foreignKey, table: "pair"))
    #expect(error?.message == "FOREIGN KEY constraint failed: one of pair.a, pair.b")
    // Children of two tables.
    try connection.execute("INSERT INTO post VALUES (5, 5, 2, 'X')")
    let parent = #expect(throws: DatabaseError.self) {
      try connection.execute("DELETE FROM author WHERE id = 2")
    }
    #expect(parent?.constraint == ConstraintFailure(kind: .foreignKey))
    #expect(parent?.message == "FOREIGN KEY constraint failed: one of pair.b, post.author")
    // REPLACE deletes the row of another author with this address.
    try connection.execute(
      "DROP INDEX author_day; DELETE FROM post; DELETE FROM author WHERE id = 3")
    let replaced = #expect(throws: DatabaseError.self) {
      try connection.execute(
        "INSERT OR REPLACE INTO author VALUES (7, 'd@e.f', 'John', 20, 1)")
    }
    #expect(
      replaced?.message
        == "FOREIGN KEY constraint failed: one of pair.a, pair.b, post.author")
    // Tables whose names are keywords.
    try connection.execute(
      """
      CREATE TABLE "with" (
        a INTEGER REFERENCES author, b INTEGER DEFAULT "a" REFERENCES author
      )
      """)
    for sql: SQL in ["INSERT INTO with VALUES (1, 99)", "INSERT INTO with (a) VALUES (99)"] {
      #expect(try failure(sql) == ConstraintFailure(kind: .foreignKey, table: "with"))
    }
    try connection.execute("DROP TABLE \"with\"")
    // A trigger sets the other column.
    try connection.execute(
      """
      CREATE TRIGGER other AFTER UPDATE OF a ON pair
        BEGIN UPDATE pair SET b = 99 WHERE id = new.id; END
      """)
    let trigger = #expect(throws: DatabaseError.self) {
      try connection.execute("UPDATE pair SET a = 1")
    }
    #expect(trigger?.constraint == ConstraintFailure(kind: .foreignKey, table: "pair"))
  }

  @Test("no foreign key is named alone where another one may have been violated")
  func otherForeignKeys() throws {
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
      CREATE TABLE tree (
        id INTEGER PRIMARY KEY REFERENCES parent, next INTEGER AS (id + 1) STORED REFERENCES parent,
        up INTEGER DEFAULT 99 REFERENCES tree ON DELETE SET DEFAULT, code INTEGER REFERENCES parent (code)
      );
      CREATE TABLE leaf (
        a INTEGER REFERENCES parent, b INTEGER REFERENCES parent, tree INTEGER REFERENCES tree
      );
      INSERT INTO parent VALUES (1, '01'), (2, '2'), (3, '3'), (4, '4'), (5, '5');
      INSERT INTO tree (id, up) VALUES (1, NULL), (2, 1);
      INSERT INTO leaf VALUES (1, 1, 2)
      """)
    /// Checks that an error has no columns, and that the message has the key that was violated.
    func check(_ key: String, _ sql: SQL) throws {
      let error = #expect(throws: DatabaseError.self) { try connection.execute(sql) }
      #expect(error?.constraint?.kind == .foreignKey && error?.constraint?.columns == [], "\(sql)")
      #expect(error?.message.contains("one of ") == true, "\(sql)")
      #expect(error?.message.contains(key) == true, "\(sql): \(error?.message ?? "")")
    }
    // The action sets the default.
    try check("tree.up", "DELETE FROM tree WHERE id = 1")
    // The rowid and a generated column.
    try check("tree.id", "UPDATE tree SET rowid = 50 WHERE id = 1")
    try check("tree.next", "UPDATE tree SET id = 5 WHERE id = 1")
    // The column makes 1 of '01', which no parent has; the other key has its parent in the same statement.
    try check("tree.code", "INSERT INTO tree (id, up, code) VALUES (3, 4, '01'), (4, NULL, NULL)")
    // Forms whose rows are not read again.
    try check("leaf.b", "WITH v AS (SELECT 99 AS x) INSERT INTO leaf (a, b) SELECT 1, x FROM v")
    try check("leaf.b", "UPDATE leaf SET a = 1, b = p.id + 50 FROM parent AS p WHERE p.id = leaf.a")
    try check("leaf.b", "REPLACE INTO leaf (a, b) VALUES (1, 99)")
    try connection.execute("CREATE UNIQUE INDEX once ON leaf (a)")
    try check(
      "leaf.b", "INSERT INTO leaf (a, b) VALUES (1, 1) ON CONFLICT (a) DO UPDATE SET b = 99")
    // The row of a trigger, in the same and in another table.
    try connection.execute(
      """
      CREATE TRIGGER grow AFTER INSERT ON parent BEGIN INSERT INTO leaf VALUES (NULL, 99, NULL); END;
      CREATE TRIGGER fall AFTER UPDATE OF a ON leaf BEGIN UPDATE leaf SET tree = 98; END
      """)
    try check("leaf.b", "INSERT INTO parent VALUES (7, '7')")
    try check("leaf.tree", "UPDATE leaf SET a = 2")
  }

  @Test("at COMMIT all foreign keys are named that rows violate, whenever they were stored")
  func olderViolation() throws {
    try connection.execute(
      """
      ATTACH ':memory:' AS other;
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE leaf (a REFERENCES parent, b REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE other.parent (id INTEGER PRIMARY KEY);
      CREATE TABLE other.nut (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
      """)
    func message(_ sql: SQL) -> String? {
      #expect(throws: DatabaseError.self) {
        try connection.transaction { try $0.execute(sql) }
      }?.message
    }
    #expect(
      message("INSERT INTO other.nut VALUES (5)") == "FOREIGN KEY constraint failed: nut.p")
    try connection.execute(
      "PRAGMA foreign_keys = 0; INSERT INTO leaf VALUES (9, NULL); PRAGMA foreign_keys = 1")
    #expect(
      message("INSERT INTO leaf VALUES (NULL, 5)")
        == "FOREIGN KEY constraint failed: one of leaf.a, leaf.b")
  }

  @Test("the action of a foreign key for the statement decides whether it can be violated")
  func actions() throws {
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE kept (p INTEGER REFERENCES parent ON DELETE CASCADE);
      CREATE TABLE other (p INTEGER REFERENCES parent);
      INSERT INTO parent VALUES (1);
      INSERT INTO kept VALUES (1)
      """)
    #expect(
      try failure("UPDATE parent SET id = 2")
        == ConstraintFailure(kind: .foreignKey, table: "kept", columns: ["p"]))
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
