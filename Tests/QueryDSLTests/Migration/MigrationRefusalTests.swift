import Foundation
import QueryDSL
import SQLCore
import Testing

@Suite("Migration: what would lose something, or cannot be done, is refused, and nothing is done")
struct MigrationRefusalTests {
  struct Thing: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var size: Int?
    @Column var other: String?

    static var schema: Schema<Thing> {
      Index(\.$name)
      Unique(\.$size)
    }
  }

  /// Opens a table that is there already with a model, and expects that it is refused for one
  /// reason, and that the table is as it was.
  func expectRefused(
    _ sql: SQL, _ reason: String, models: [any Model.Type] = [Album.self, Thing.self],
    rows: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let db = try Database.temporary()
    try db.execute(sql)
    let before = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try db.migrate(models)
    }
    #expect(
      error?.plan.refusals.map(\.reason) == [reason], sourceLocation: sourceLocation)
    let line = "  ! refused: \(reason)\(rows)"
    #expect(
      error?.description.contains(line) == true, "\(error?.description ?? "")",
      sourceLocation: sourceLocation)
    #expect(
      error?.description.hasPrefix("the database was not migrated, and nothing was changed:")
        == true, sourceLocation: sourceLocation)
    let after = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    #expect(after == before, sourceLocation: sourceLocation)
    let path = try #require(db.path)
    #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try Database(path: path, models: models)
    }
  }

  @Test("another type")
  func type() throws {
    try expectRefused(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, name BLOB NOT NULL, size INTEGER, other TEXT);
      INSERT INTO Thing VALUES (1, x'00', 2, NULL)
      """,
      "name is BLOB in the database and TEXT in Thing; declare a type that is stored so, or a new "
        + "property", rows: " (1 row)")
    try expectRefused(
      "CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size, other TEXT)",
      "size is untyped in the database and INTEGER in Thing; declare a type that is stored so, or "
        + "a new property", rows: " (0 rows)")
  }

  @Test("NULL where there is no optional, and NOT NULL where there is one")
  func nullability() throws {
    try expectRefused(
      "CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, other TEXT)",
      "name may be NULL in the database and is not optional in Thing; declare it as an optional")
    try expectRefused(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER NOT NULL,
        other TEXT)
      """,
      "size is NOT NULL in the database and optional in Thing; declare it without the question "
        + "mark")
  }

  @Test("another primary key; a new column of the key")
  func primaryKey() throws {
    try expectRefused(
      "CREATE TABLE Thing (id INTEGER, name TEXT PRIMARY KEY NOT NULL, size INTEGER, other TEXT)",
      "the primary key is (name) in the database and (id) in ThingWithOptionalID",
      models: [ThingWithOptionalID.self])
  }

  @Test("a column more in the primary key")
  func widerKey() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE Line (orderID INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    let plan = try db.migrationPlan(for: [Line.self])
    #expect(
      plan.refusals.map(\.reason).prefix(2) == [
        "the primary key is (orderID) in the database and (orderID, number) in Line",
        "number belongs to the primary key, which ALTER TABLE cannot change",
      ])
  }

  /// As `Thing`, but that its id may be NULL in the database.
  struct ThingWithOptionalID: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int?
    @Column var name: String
    @Column var size: Int?
    @Column var other: String?
  }

  @Test("a key that the database would not assign: INT is no rowid")
  func assignedKey() throws {
    try expectRefused(
      "CREATE TABLE Thing (id INT PRIMARY KEY, name TEXT NOT NULL, size INTEGER, other TEXT)",
      "id is declared INT in the database, which assigns keys to an INTEGER PRIMARY KEY alone; "
        + "declare it without the question mark", models: [ThingWithOptionalID.self])
  }

  @Test("a new column that is not optional and has no value for the rows that are there")
  func noDefault() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var mood: Temper
    }
    try expectRefused(
      "CREATE TABLE Post (id INTEGER PRIMARY KEY); INSERT INTO Post VALUES (1), (2)",
      #"the new column mood needs a value for the rows that are there; write "#
        + #"`Default(\.$mood, …)` in the schema of Post, or make it an optional"#,
      models: [Post.self], rows: " (2 rows)")
  }

  @Test("a new column that refers to another table, and is not optional or has a default")
  func reference() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var albumID: Int
      static var schema: Schema<Post> { ForeignKey(\.$albumID, references: \Album.$id) }
    }
    struct Other: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var albumID: Int?
      static var schema: Schema<Other> {
        ForeignKey(\.$albumID, references: \Album.$id)
        Default(\.$albumID, 1)
      }
    }
    try expectRefused(
      "CREATE TABLE Post (id INTEGER PRIMARY KEY)",
      "the new column albumID refers to another table, and rows that are there would refer to "
        + "nothing; make it an optional", models: [Album.self, Post.self])
    try expectRefused(
      "CREATE TABLE Post (id INTEGER PRIMARY KEY)",
      "the new column albumID refers to another table and has a default, which ALTER TABLE cannot "
        + #"add; leave out `Default(\.$albumID, …)`"#, models: [Album.self, Other.self])
  }

  @Test("a foreign key on a column that is there")
  func foreignKey() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var albumID: Int?
      static var schema: Schema<Post> { ForeignKey(\.$albumID, references: \Album.$id) }
    }
    try expectRefused(
      "CREATE TABLE Post (id INTEGER PRIMARY KEY, albumID INTEGER)",
      "the foreign key on albumID is not in the database, and ALTER TABLE cannot add it to a "
        + "column that is there", models: [Post.self])
  }

  @Test("NOT NULL without a default, and no property declares it: insertions would fail")
  func undeclared() throws {
    try expectRefused(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER, other TEXT,
        needed TEXT NOT NULL)
      """,
      "needed is NOT NULL without a default and no property declares it: insertions would fail; "
        + "declare it as a property of Thing")
  }

  @Test("a unique index over values that come twice; NULL may")
  func duplicates() throws {
    try expectRefused(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER, other TEXT);
      INSERT INTO Thing VALUES (1, 'a', 5, NULL), (2, 'b', 5, NULL), (3, 'c', NULL, NULL),
        (4, 'd', NULL, NULL)
      """,
      "size shall be unique, and 1 of the values there is in several rows", rows: " (4 rows)")
  }

  @Test("an index of that name over other columns")
  func otherIndex() throws {
    try expectRefused(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER, other TEXT);
      CREATE INDEX Thing_on_name ON Thing (other)
      """,
      "the index Thing_on_name is there with other columns; drop it by "
        + #"`DROP INDEX "Thing_on_name"`"#)
  }

  @Test("a view in the place of a table")
  func view() throws {
    try expectRefused(
      "CREATE VIEW thing AS SELECT 1 AS id", "Thing is a view; a model needs a table")
  }

  @Test("several reasons are told at once")
  func several() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE Thing (id TEXT, name INTEGER, size INTEGER, other TEXT)")
    let plan = try db.migrationPlan(for: [Thing.self, Album.self])
    #expect(plan.refusals.count == 3)
    #expect(plan.steps.contains { $0.kind == .createTable })
    #expect(!plan.isEmpty)
  }

  @Test("an error while it runs leaves the schema as it was")
  func errorHalfWay() throws {
    let db = try Database.temporary()
    // The name of the index is taken by a table: SQLite finds it out.
    try db.execute("CREATE TABLE Thing_on_name (x)")
    #expect(throws: DatabaseError.self) { try db.migrate([Album.self, Thing.self]) }
    #expect(
      try db.rows("SELECT name FROM sqlite_schema").map { $0[0] } == ["Thing_on_name"])
  }
}
