import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("References to renamed tables and columns")
struct RenamingTests {
  enum Old {
    struct Author: Model {
      @PrimaryKey var id: Int
      @Column var author: String
      static var schema: Schema<Author> { Unique(\.$author) }
    }

    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var author: Int?
      @Column var pen: String?
      static var schema: Schema<Post> {
        ForeignKey(\.$author, references: \Author.$id, onDelete: .cascade)
        ForeignKey(\.$pen, references: \Author.$author)
        Index(\.$pen)
      }
    }
  }

  enum New {
    struct Writer: Model {
      @PrimaryKey var number: Int
      @Column var name: String
      var id: Int { number }
      static var schema: Schema<Writer> {
        RenamedTable(from: "Author")
        Renamed(\.$number, from: "id")
        Renamed(\.$name, from: "author")
        Unique(\.$name)
      }
    }

    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var writer: Int?
      @Column var pen: String?
      static var schema: Schema<Post> {
        Renamed(\.$writer, from: "author")
        ForeignKey(\.$writer, references: \Writer.$number, onDelete: .cascade)
        ForeignKey(\.$pen, references: \Writer.$name)
        Index(\.$pen)
      }
    }

    /// Like `Post`, with a change that needs a rebuild.
    struct Checked: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var writer: Int?
      @Column var pen: String?
      static var schema: Schema<Checked> {
        Renamed(\.$writer, from: "author")
        ForeignKey(\.$writer, references: \Writer.$number, onDelete: .cascade)
        ForeignKey(\.$pen, references: \Writer.$name)
        Check { $0.$id > 0 }
        Index(\.$pen)
      }
    }

    /// Declares no foreign keys, so that the existing ones stay.
    struct Silent: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var author: Int?
      @Column var pen: String?
      static var schema: Schema<Silent> {
        Check { $0.$id > 0 }
        Index(\.$pen)
      }
    }
  }

  func database() throws -> Database {
    let db = try Specification.database(models: [Old.Author.self, Old.Post.self])
    try db.insert(Old.Author(id: 1, author: "Jane"))
    try db.insert(Old.Post(id: 5, author: 1, pen: "Jane"))
    return db
  }

  @Test(
    "renaming a table and its columns updates foreign keys that refer to them with ALTER alone",
    arguments: [false, true])
  func references(_ isChildFirst: Bool) throws {
    let db = try database()
    let models: [any Model.Type] =
      isChildFirst ? [New.Post.self, New.Writer.self] : [New.Writer.self, New.Post.self]
    let plan = try db.migrate(models)
    let actions = Set(plan.steps.map(\.action))
    #expect(
      actions == [
        .renameTable(from: "Author"), .renameColumn(from: "id", to: "number"),
        .renameColumn(from: "author", to: "name"), .renameColumn(from: "author", to: "writer"),
        .dropIndex("Author_unique_author"), .createIndex("Writer_unique_name"),
      ])
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
    try expectCascade(db, child: "writer")
  }

  @Test(
    "renaming updates the foreign keys of a table that is rebuilt in the same migration",
    arguments: [false, true])
  func rebuiltChild(_ isChildFirst: Bool) throws {
    let db = try database()
    let models: [any Model.Type] =
      isChildFirst ? [New.Checked.self, New.Writer.self] : [New.Writer.self, New.Checked.self]
    let plan = try db.migrate(models)
    #expect(plan.steps.filter { $0.action == .rebuildTable }.map(\.table) == ["Post"])
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
    let sql = try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Post'")?[0, as: String.self]
    #expect(sql?.contains("Author") == false)
    #expect(sql?.components(separatedBy: "REFERENCES").count == 3)
    try expectCascade(db, child: "writer")
  }

  @Test("renaming updates undeclared foreign keys of a table that is rebuilt")
  func undeclared() throws {
    let db = try database()
    let plan = try db.migrate([New.Writer.self, New.Silent.self])
    #expect(
      plan.steps.compactMap(\.line) == [
        #"Dropped(foreignKey: "author")"#, #"Dropped(foreignKey: "pen")"#,
      ])
    let sql = try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Post'")?[0, as: String.self]
    #expect(
      sql == """
        CREATE TABLE "Post" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "author" INTEGER,
          "pen" TEXT,
          CHECK (("id" > 0)),
          FOREIGN KEY ("author") REFERENCES "Writer" ("number") ON DELETE CASCADE,
          FOREIGN KEY ("pen") REFERENCES "Writer" ("name")
        ) STRICT
        """)
    try expectCascade(db, child: "author")
  }

  private func expectCascade(_ db: Database, child: String) throws {
    #expect(try db.row("SELECT \(identifier: child), pen FROM Post")?.values == [1, "Jane"])
    #expect(throws: DatabaseError.self) { try db.execute("UPDATE Post SET pen = 'nobody'") }
    try db.execute("UPDATE Post SET pen = NULL; DELETE FROM Writer")
    #expect(try db.rows("SELECT * FROM Post").isEmpty)
  }

  // MARK: Names that another column or table gave up

  struct First: Model {
    static let tableName = "a"
    @PrimaryKey var id: Int
    @Column var y: String
    @Column var z: String
    static var schema: Schema<First> {
      Renamed(\.$y, from: "x")
      Renamed(\.$z, from: "y")
      Dropped("w")
    }
  }

  struct Second: Model {
    static let tableName = "b"
    @PrimaryKey var id: Int
    @Column var y: String
    @Column var z: String
    static var schema: Schema<Second> {
      RenamedTable(from: "a")
      Renamed(\.$y, from: "x")
      Renamed(\.$z, from: "y")
    }
  }

  struct Third: Model {
    static let tableName = "c"
    @PrimaryKey var id: Int
    static var schema: Schema<Third> { RenamedTable(from: "b") }
  }

  struct Recreated: Model {
    static let tableName = "a"
    @PrimaryKey var id: Int
    static var schema: Schema<Recreated> { Index(\.$id) }
  }

  @Test(
    "a column or a table can take a name that another gives up in the same migration",
    arguments: 0..<4)
  func chains(_ order: Int) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY NOT NULL, x TEXT NOT NULL, y TEXT NOT NULL);
      CREATE TABLE b (id INTEGER PRIMARY KEY NOT NULL);
      CREATE INDEX "a_on_id" ON "a" ("id");
      INSERT INTO a VALUES (1, 'x', 'y'); INSERT INTO b VALUES (2), (3)
      """)
    let all: [any Model.Type] = [Second.self, Third.self, Recreated.self]
    let models = [all, all.reversed(), [all[1], all[2], all[0]], [all[2], all[0], all[1]]][order]
    try db.migrate(models)
    #expect(try db.row("SELECT id, y, z FROM b")?.values == [1, "x", "y"])
    #expect(try db.rows("SELECT id FROM c").map { $0[0] } == [2, 3])
    #expect(try db.row("SELECT count(*) FROM a")?[0] == 0)
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
    #expect(
      try db.rows("SELECT tbl_name FROM sqlite_schema WHERE name = 'a_on_id'").map { $0[0] } == [
        "a"
      ])
  }

  @Test("columns can pass on their names, and the renaming lines have no effect afterwards")
  func columns() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY NOT NULL, x TEXT NOT NULL, y TEXT NOT NULL, w TEXT);
      INSERT INTO a VALUES (1, 'x', 'y', 'w')
      """)
    let plan = try db.migrate([First.self])
    #expect(
      plan.steps.map(\.action) == [
        .renameColumn(from: "y", to: "z"), .renameColumn(from: "x", to: "y"), .dropColumn("w"),
      ])
    #expect(try db.row("SELECT y, z FROM a")?.values == ["x", "y"])
    #expect(try db.migrate([First.self]).steps.isEmpty)
  }
}
