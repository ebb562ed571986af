import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Existing objects under other names, and types with the same name")
struct EqualDeclarationTests {
  struct Post: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: Int
    static var schema: Schema<Post> {
      Index(\.$a, \.$b)
      Unique(\.$b)
    }
  }

  @Test("an existing index over the same columns counts as the declared one, and the plan says so")
  func index() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY NOT NULL, a TEXT NOT NULL, b INTEGER NOT NULL);
      CREATE INDEX mine ON Post (a, b ASC);
      CREATE UNIQUE INDEX [its own] ON Post (b);
      CREATE INDEX other ON Post (b, a)
      """)
    let plan = try db.migrate([Post.self])
    #expect(plan.isEmpty, "\(plan)")
    #expect(
      plan.steps.map { "\($0.action): \($0.reason)" } == [
        "keepDeclaration(\"the index mine\"): "
          + "it is the declared index Post_on_a_b under another name",
        "keepDeclaration(\"the index its own\"): "
          + "it is the declared index Post_unique_b under another name",
        "keepDeclaration(\"the index other\"): no model declares it",
      ])
    #expect(try db.rows("SELECT name FROM sqlite_schema WHERE type = 'index'").count == 3)
  }

  struct Dropping: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: String
    @Column var b: Int
    static var schema: Schema<Dropping> {
      Index(\.$a)
      Dropped(index: "mine")
    }
  }

  @Test("a declared index is created under its own name if the schema drops the existing one")
  func renamedIndex() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY NOT NULL, a TEXT NOT NULL, b INTEGER NOT NULL);
      CREATE INDEX mine ON Post (a)
      """)
    try db.migrate([Dropping.self])
    #expect(
      try db.fetch(String.self, "SELECT name FROM sqlite_schema WHERE type = 'index'") == [
        "Post_on_a"
      ])
    #expect(try db.migrate([Dropping.self]).isEmpty)
  }

  // MARK: Types with the same name

  enum One {
    struct Note: Model { @PrimaryKey var id: Int }
    struct Facet: Model {
      static let tableName = "Facet"
      @PrimaryKey var id: Int
      @Column var a: String?
    }
  }

  enum Two {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var text: String
    }
    struct Facet: Model {
      static let tableName = "Facet"
      @PrimaryKey var id: Int
      @Column var b: String?
    }
    struct NOTE: Model { @PrimaryKey var id: Int }
  }

  @Test("two types with the same name share a table only if both declare its name")
  func names() throws {
    for other in [Two.Note.self, Two.NOTE.self] as [any Model.Type] {
      let error = #expect(throws: ModelError.self) {
        try Specification.database(models: [One.Note.self, other])
      }
      #expect(error?.message.contains("would share the table") == true)
      #expect(error?.message.contains("`static let tableName = ") == true)
    }
    let db = try Specification.database(models: [One.Facet.self, Two.Facet.self, One.Facet.self])
    #expect(try db.read { try $0.columns(ofTable: "Facet").map(\.name) } == ["id", "a", "b"])
    _ = try Specification.database(models: [One.Note.self, One.Note.self])
  }
}
