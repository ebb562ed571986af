import SQLCore
import Testing

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Comparing the schema with the declared one while it is read")
struct SchemaReadingTests {
  struct Author: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    static var schema: Schema<Author> {
      Index(\.$name)
      Unique(\.$name, \.$id)
    }
  }

  struct Post: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    static var schema: Schema<Post> {
      Dropped(table: "Draft")
      Dropped(index: "old")
    }
  }

  private func isExact(after sql: SQL) throws -> Bool {
    let db = try Specification.database(models: [Author.self, Post.self])
    try db.execute(sql)
    let declared = try Declarations(of: [Author.self, Post.self])
    return try db.read { connection in
      let reading = try SchemaReading(of: connection, for: declared)
      let schema = try ExistingSchema(of: connection)
      #expect(reading.schema.entries.map(\.name) == schema.entries.map(\.name))
      #expect(reading.schema.entries.map(\.sql) == schema.entries.map(\.sql))
      return reading.isExact
    }
  }

  @Test(
    "what does not concern the declared tables is no difference",
    arguments: [
      "SELECT 1",
      "CREATE TABLE other (a UNIQUE); CREATE INDEX i ON other (a)",
      "CREATE TABLE other (a); CREATE TRIGGER t AFTER INSERT ON other BEGIN SELECT 1; END",
      "CREATE VIEW v AS SELECT * FROM Author",
      "INSERT INTO Post VALUES (1, 'a'); ANALYZE",
      // The definitions stand in another order.
      """
      DROP INDEX Author_on_name; DROP TABLE Post;
      CREATE INDEX "Author_on_name" ON "Author" ("name");
      CREATE TABLE "Post" (
        "id" INTEGER PRIMARY KEY NOT NULL,
        "title" TEXT NOT NULL
      ) STRICT
      """,
    ])
  func same(_ sql: String) throws {
    #expect(try isExact(after: SQL(unsafe: sql)))
  }

  @Test(
    "any other definition of a declared table is a difference",
    arguments: [
      "DROP TABLE Post",
      "DROP INDEX Author_on_name",
      "ALTER TABLE Post ADD COLUMN more TEXT",
      "ALTER TABLE Post RENAME COLUMN title TO name",
      "ALTER TABLE Post RENAME TO Other",
      "CREATE INDEX i ON Post (title)",
      "CREATE INDEX i ON POST (title)",
      "CREATE TRIGGER t AFTER INSERT ON Post BEGIN SELECT 1; END",
      "CREATE TRIGGER t AFTER INSERT ON post BEGIN SELECT 1; END",
      "DROP INDEX Author_on_name; CREATE INDEX Author_on_name ON Author (name, id)",
      "DROP INDEX Author_on_name; CREATE INDEX Author_on_name ON Post (title)",
      "DROP TABLE Post; CREATE VIEW Post AS SELECT 1 AS id, 'a' AS title",
      "CREATE TABLE Draft (a)",
      "CREATE TABLE other (a); CREATE INDEX old ON other (a)",
    ])
  func different(_ sql: String) throws {
    #expect(try !isExact(after: SQL(unsafe: sql)))
  }
}
