import Foundation
import SQLCore
import Testing

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Parts of a definition that a model cannot declare and a rebuild keeps")
struct KeptDefinitionTests {
  struct Item: Model {
    @PrimaryKey var id: Int
    @Column var size: Int
    @Column var code: String
  }

  private func rebuilt(_ sql: SQL, _ model: any Model.Type = Item.self) throws -> String {
    let db = try Specification.database()
    try db.execute(sql)
    let plan = try db.migrate([model])
    #expect(plan.steps.first?.action == .rebuildTable, "\(plan)")
    let again = try db.migrationPlan(for: [model])
    #expect(again.isEmpty, "\(again)")
    return try #require(
      try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Item'")?.get(String.self, at: 0))
  }

  @Test("a rebuild keeps ON CONFLICT of the key, of UNIQUE, of NOT NULL and of CHECK")
  func conflicts() throws {
    #expect(
      try rebuilt(
        """
        CREATE TABLE Item (id INTEGER PRIMARY KEY ON CONFLICT REPLACE,
          code TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL, size TEXT NOT NULL,
          CHECK (id > 0) ON CONFLICT ROLLBACK, UNIQUE (code, size) ON CONFLICT IGNORE)
        """) == """
          CREATE TABLE "Item" (
            "id" INTEGER PRIMARY KEY ON CONFLICT REPLACE,
            "code" TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT FAIL,
            "size" INTEGER NOT NULL,
            CHECK (id > 0) ON CONFLICT ROLLBACK,
            UNIQUE (code, size) ON CONFLICT IGNORE
          )
          """)
  }

  struct FoldedItem: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var code: String

    static var schema: Schema<FoldedItem> { Collated(\.$code, .noCase) }
  }

  @Test(
    "a rebuild that makes values equal is refused, whatever ON CONFLICT says",
    arguments: ["IGNORE", "REPLACE", "FAIL", "ROLLBACK", "ABORT"])
  func copiedRows(resolution: String) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE ON CONFLICT \(unsafe: resolution)
      );
      INSERT INTO Item VALUES (1, 'a'), (2, 'A');
      """)
    #expect(throws: MigrationError.self) { try db.migrate([FoldedItem.self]) }
    #expect(try db.row("SELECT count(*) FROM Item")?[0] == 2)
  }

  @Test("a rebuild keeps the column order, type names, constraint names, MATCH and DEFERRABLE")
  func words() throws {
    #expect(
      try rebuilt(
        """
        CREATE TABLE Item (code VARCHAR(20) CONSTRAINT filled NOT NULL, extra LONG TEXT,
          id BIGINT NOT NULL, size TEXT NOT NULL,
          parent INT CONSTRAINT up REFERENCES Item MATCH FULL ON DELETE CASCADE
            NOT DEFERRABLE INITIALLY DEFERRED,
          CONSTRAINT main PRIMARY KEY (id DESC) ON CONFLICT FAIL)
        """) == """
          CREATE TABLE "Item" (
            "code" VARCHAR(20) CONSTRAINT filled NOT NULL,
            "extra" LONG TEXT,
            "id" BIGINT NOT NULL,
            "size" INTEGER NOT NULL,
            "parent" INT CONSTRAINT up REFERENCES Item MATCH FULL ON DELETE CASCADE
              NOT DEFERRABLE INITIALLY DEFERRED,
            CONSTRAINT main PRIMARY KEY (id DESC) ON CONFLICT FAIL
          )
          """)
  }

  @Test("a rebuild keeps comments of every kind in their places")
  func comments() throws {
    #expect(
      try rebuilt(
        """
        CREATE TABLE Item -- the items
        ( -- one row each
          id INTEGER PRIMARY KEY, -- the key
          /* above */
          code TEXT /* of the maker */ NOT NULL, size TEXT NOT NULL /* in mm */ -- the size
          , UNIQUE (code) -- last
        )
        """) == """
          CREATE TABLE "Item" -- the items
              (
            -- one row each
            "id" INTEGER PRIMARY KEY, -- the key
            /* above */
            "code" TEXT /* of the maker */ NOT NULL,
            "size" INTEGER NOT NULL, /* in mm */ -- the size
            UNIQUE (code) -- last
          )
          """)
  }

  @Test(
    "a rebuild keeps doubled constraint names, missing commas and columns qualified by the table")
  func oddities() throws {
    #expect(
      try rebuilt(
        """
        CREATE TABLE Item (id INTEGER PRIMARY KEY, size TEXT CONSTRAINT a CONSTRAINT b NOT NULL,
          code TEXT CONSTRAINT c CHECK (Item.code <> '') CHECK ("Item"."size" <> '') NOT NULL,
          CONSTRAINT d CHECK (id > 0) CHECK (id < 9) UNIQUE (code COLLATE NOCASE DESC), CONSTRAINT e)
        """) == """
          CREATE TABLE "Item" (
            "id" INTEGER PRIMARY KEY,
            "size" INTEGER CONSTRAINT a CONSTRAINT b NOT NULL,
            "code" TEXT CONSTRAINT c CHECK (code <> '') CHECK ("size" <> '') NOT NULL,
            CONSTRAINT d CHECK (id > 0),
            CONSTRAINT "d" CHECK (id < 9),
            CONSTRAINT "d" UNIQUE (code COLLATE NOCASE DESC),
            CONSTRAINT e
          )
          """)
  }

  struct Linked: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var parent: Int?
    @Column var size: Int
    static var schema: Schema<Linked> {
      ForeignKey(\.$parent, references: \Linked.$id, onDelete: .setNull)
      Check { $0.$size > 0 }
    }
  }

  @Test("a redeclared foreign key keeps its name, and an equal check keeps its text")
  func declared() throws {
    #expect(
      try rebuilt(
        """
        CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL,
          parent INTEGER CONSTRAINT up REFERENCES Item (id) MATCH FULL ON DELETE CASCADE,
          size INTEGER NOT NULL CONSTRAINT large CHECK ( [size] > 0 ))
        """, Linked.self) == """
          CREATE TABLE "Item" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "parent" INTEGER,
            "size" INTEGER NOT NULL CONSTRAINT large CHECK ( [size] > 0 ),
            CONSTRAINT "up" FOREIGN KEY ("parent") REFERENCES "Item" ("id") MATCH "FULL" ON DELETE SET NULL
          )
          """)
  }

  @Test(
    "the parser refuses a definition that has a part it does not know",
    arguments: [
      "CREATE TABLE t (a INTEGER FANCY (1) CHECK (a) OTHER (2))",
      "CREATE TABLE t (a PRIMARY KEY, b PRIMARY KEY)",
      "CREATE TABLE t (a) UNHEARD",
      "CREATE TABLE t (a UNIQUE ON CONFLICT WHATEVER)",
      "CREATE TABLE t (a REFERENCES b ON DELETE NOTHING)",
      "CREATE TABLE t (a, EXCLUDE (a))",
    ])
  func unreadable(_ sql: String) {
    #expect(throws: TableParser.Unreadable.self) { try TableParser.parse(sql) }
  }
}
