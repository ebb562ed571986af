import SQLCore
import Testing

@Suite("A constraint error tells which constraint, table and columns")
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

  @Test("UNIQUE of a column, and of several through an index")
  func unique() throws {
    #expect(
      try failure("INSERT INTO author (email, name) VALUES ('a@b.c', 'X')")
        == ConstraintFailure(kind: .unique, table: "author", columns: ["email"]))
    #expect(
      try failure("INSERT INTO post VALUES (1, 2, 1, 'Other')")
        == ConstraintFailure(kind: .unique, table: "post", columns: ["author", "day"]))
  }

  @Test("an index over an expression is named")
  func uniqueExpression() throws {
    #expect(
      try failure("INSERT INTO post VALUES (2, 2, 1, 'SWIFTS')")
        == ConstraintFailure(kind: .unique, name: "titles"))
  }

  @Test("PRIMARY KEY of a rowid, and of several columns")
  func primaryKey() throws {
    #expect(
      try failure("INSERT INTO author (id, name) VALUES (1, 'X')")
        == ConstraintFailure(kind: .primaryKey, table: "author", columns: ["id"]))
    #expect(
      try failure("INSERT INTO post VALUES (1, 1, NULL, 'Other')")
        == ConstraintFailure(kind: .primaryKey, table: "post", columns: ["day", "number"]))
  }

  @Test("NOT NULL")
  func notNull() throws {
    #expect(
      try failure("INSERT INTO author (id) VALUES (2)")
        == ConstraintFailure(kind: .notNull, table: "author", columns: ["name"]))
  }

  @Test("CHECK by its name, or by its text")
  func check() throws {
    #expect(
      try failure("UPDATE author SET age = 17") == ConstraintFailure(kind: .check, name: "adult"))
    #expect(
      try failure("UPDATE author SET score = -1")
        == ConstraintFailure(kind: .check, name: "score > 0"))
  }

  @Test("FOREIGN KEY, whose table SQLite does not tell")
  func foreignKey() throws {
    #expect(
      try failure("INSERT INTO post VALUES (3, 3, 99, 'X')")
        == ConstraintFailure(kind: .foreignKey))
    #expect(try failure("DELETE FROM author")?.kind == .foreignKey)
  }

  @Test("the type of a column in a STRICT table")
  func dataType() throws {
    #expect(
      try failure("UPDATE author SET age = 'old'")
        == ConstraintFailure(kind: .dataType, table: "author", columns: ["age"]))
    #expect(
      try failure("INSERT INTO author (name) VALUES (\([UInt8]([1])))")
        == ConstraintFailure(kind: .dataType, table: "author", columns: ["name"]))
  }

  @Test("RAISE in a trigger, with its own words")
  func raise() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO post VALUES (3, 3, 7, 'X')")
    }
    #expect(error?.constraint == ConstraintFailure(kind: .other))
    #expect(error?.message == "seven is not allowed")
  }

  @Test("names with spaces, and a whole error")
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

  @Test("other errors have none")
  func none() throws {
    let error = #expect(throws: DatabaseError.self) { try connection.execute("nonsense") }
    #expect(error?.constraint == nil)
  }
}
