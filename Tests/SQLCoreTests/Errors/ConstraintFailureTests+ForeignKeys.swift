import SQLCore
import Testing

extension ConstraintFailureTests {
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
  func createPair() throws {
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
}
