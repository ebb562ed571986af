import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Obstacles that other programs left in a file")
struct ForeignObstacleTests {
  struct Item: Model {
    @PrimaryKey var id: Int
    @Column var code: String
  }

  struct Folded: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var code: String
    static var schema: Schema<Folded> { Collated(\.$code, .noCase) }
  }

  struct FoldedKey: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
    static var schema: Schema<FoldedKey> { Collated(\.$code, .noCase) }
  }

  /// Expects that a migration is refused with the line and leaves the schema unchanged.
  private func refused(
    _ sql: SQL, _ models: [any Model.Type], _ line: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let db = try Specification.database()
    try db.execute(sql)
    let schema: SQL = "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2"
    let before = try db.rows(schema).map(\.values)
    let plan = try db.migrationPlan(for: models)
    #expect(plan.refusals.map(\.line) == [line], "\(plan)", sourceLocation: sourceLocation)
    #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try db.migrate(models)
    }
    #expect(try db.rows(schema).map(\.values) == before, sourceLocation: sourceLocation)
  }

  @Test("a collation that makes unique values or keys equal is refused")
  func collation() throws {
    try refused(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL UNIQUE);
      INSERT INTO Item VALUES (1, 'x'), (2, 'X')
      """, [Folded.self], #"Collated(\.$code, .binary)"#)
    try refused(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      CREATE UNIQUE INDEX mine ON Item (code);
      INSERT INTO Item VALUES (1, 'x'), (2, 'X')
      """, [Folded.self], #"Collated(\.$code, .binary)"#)
    try refused(
      """
      CREATE TABLE Item (code TEXT PRIMARY KEY NOT NULL);
      INSERT INTO Item VALUES ('x'), ('X')
      """, [FoldedKey.self], #"Collated(\.$code, .binary)"#)
  }

  struct Numbered: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var code: Int
  }

  @Test("an undeclared check that the new values would violate is refused")
  func check() throws {
    try refused(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL,
        code TEXT NOT NULL CONSTRAINT words CHECK (typeof(code) = 'text'));
      INSERT INTO Item VALUES (1, '5')
      """, [Numbered.self], #"Dropped(check: "words")"#)
  }

  struct Converting: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var code: Int
    static var schema: Schema<Converting> {
      Converted(\.$code, from: String.self) { Int($0) ?? -1 }
    }
  }

  @Test("a check that a declared conversion violates is found when it runs, and nothing changes")
  func convertedCheck() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL,
        CONSTRAINT positive CHECK (code > 0));
      INSERT INTO Item VALUES (1, 'five')
      """)
    let error = #expect(throws: MigrationError.self) { try db.migrate([Converting.self]) }
    #expect(error?.plan.refusals.map(\.line) == [#"Dropped(check: "positive")"#])
    #expect(try db.row("SELECT code FROM Item")?[0] == "five")
  }

  struct Merging: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var code: Int
  }

  @Test("unique values that become equal are refused, whatever ON CONFLICT says")
  func conflict() throws {
    try refused(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code UNIQUE ON CONFLICT IGNORE);
      INSERT INTO Item VALUES (1, '5'), (2, 5)
      """, [Merging.self], #"Dropped(unique: "code")"#)
  }

  // MARK: Views and triggers

  struct Without: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    static var schema: Schema<Without> { Dropped("code") }
  }

  struct Rebuilt: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var size: Int
    static var schema: Schema<Rebuilt> {
      Dropped("code")
      Check { $0.$size > 0 }
    }
  }

  @Test(
    "dropping a column that a view of a view or its trigger names is refused",
    arguments: [Without.self, Rebuilt.self] as [any Model.Type])
  func viewOverView(_ model: any Model.Type) throws {
    let table: SQL =
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT, size INTEGER NOT NULL DEFAULT 1);
      INSERT INTO Item VALUES (1, 'a', 1); CREATE VIEW everything AS SELECT * FROM Item;
      """
    try refused(
      table + "CREATE VIEW codes AS SELECT upper(code) FROM everything", [model],
      #"Dropped(view: "codes")"#)
    try refused(
      table
        + """
        CREATE TABLE log (x); CREATE TRIGGER noted AFTER INSERT ON log BEGIN
          SELECT code FROM everything; END
        """, [model], #"Dropped(trigger: "noted")"#)
  }

  struct Renaming: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var name: String
    static var schema: Schema<Renaming> { Renamed(\.$name, from: "code") }
  }

  struct RenamedItem: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    @Column var code: String
    static var schema: Schema<RenamedItem> { RenamedTable(from: "Item") }
  }

  @Test(
    "a broken view stays as it was and does not prevent a migration",
    arguments: [Renaming.self, RenamedItem.self, Without.self] as [any Model.Type])
  func brokenView(_ model: any Model.Type) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      CREATE TABLE gone (x); CREATE TABLE log (x);
      CREATE VIEW broken AS SELECT * FROM gone;
      CREATE VIEW worse AS SELECT * FROM broken;
      CREATE TRIGGER lost AFTER INSERT ON log BEGIN INSERT INTO gone VALUES (new.x); END;
      DROP TABLE gone;
      CREATE VIEW works AS SELECT id FROM Item;
      """)
    let others: SQL =
      "SELECT name, sql FROM sqlite_schema WHERE name IN ('broken', 'worse', 'lost') ORDER BY name"
    let before = try db.rows(others).map(\.values)
    #expect(try db.migrationPlan(for: [model]).refusals.isEmpty)
    try db.migrate([model])
    #expect(try db.rows(others).map(\.values) == before)
    #expect(try db.rows("SELECT * FROM works").isEmpty)
    #expect(try db.migrationPlan(for: [model]).isEmpty)
  }

  // MARK: Foreign keys

  struct Child: Model {
    @PrimaryKey var id: Int
    @Column var size: Int
    static var schema: Schema<Child> { Check { $0.$size >= 0 } }
  }

  struct RenamedChild: Model {
    static let tableName = "Kid"
    @PrimaryKey var id: Int
    static var schema: Schema<RenamedChild> { RenamedTable(from: "Child") }
  }

  struct RekeyedChild: Model {
    static let tableName = "Child"
    @PrimaryKey var size: Int
    var id: Int { size }
  }

  @Test(
    "rows with broken references keep them in a rebuild that changes the table's name or key",
    arguments: [Child.self, RenamedChild.self, RekeyedChild.self] as [any Model.Type])
  func violations(_ model: any Model.Type) throws {
    let db = try Specification.database()
    try db.writeWithoutTransaction { connection in
      try connection.execute("PRAGMA foreign_keys = OFF")
      try connection.execute(
        """
        CREATE TABLE Parent (id INTEGER PRIMARY KEY);
        CREATE TABLE Child (id INTEGER PRIMARY KEY, size INTEGER NOT NULL DEFAULT 0,
          parent INTEGER REFERENCES Parent);
        INSERT INTO Child VALUES (7, 1, 99), (9, 2, NULL)
        """)
      try connection.execute("PRAGMA foreign_keys = ON")
    }
    try db.migrate([model])
    #expect(try db.rows("PRAGMA foreign_key_check").count == 1)
    #expect(try db.migrationPlan(for: [model]).isEmpty)
  }

  // MARK: Limits and spelling

  @Test("a table of 2,000 columns is rebuilt, and one column more is refused")
  func manyColumns() throws {
    let columns = (1...1_998).map { "c\($0) INT" }.joined(separator: ", ")
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL, \(unsafe: columns));
      INSERT INTO Item (id, code) VALUES (1, '5')
      """)
    try db.migrate([Numbered.self])
    #expect(try db.fetch(Numbered.all).map(\.code) == [5])
    try refused(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, c0 INT, \(unsafe: columns))
      """, [Folded.self], #"static let tableName = "Item2""#)
  }

  @Test("text in double quotes, as SQLite's shell writes it, is kept by a rebuild")
  func quotedText() throws {
    let db = try Specification.database()
    let sql =
      #"CREATE TABLE Item (id INTEGER PRIMARY KEY, code TEXT NOT NULL CHECK (code <> "none"))"#
    try db.writing { core in
      core.takesQuotedTextInDefinitions = true
      defer { core.takesQuotedTextInDefinitions = false }
      try core.lend().execute(SQL(unsafe: sql))
    }
    try db.execute("INSERT INTO Item VALUES (1, '5')")
    try db.migrate([Numbered.self])
    #expect(try db.fetch(Numbered.all).map(\.code) == [5])
    #expect(try db.migrationPlan(for: [Numbered.self]).isEmpty)
  }
}
