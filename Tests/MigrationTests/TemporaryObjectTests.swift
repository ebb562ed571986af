import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// SQLite finds a temporary table before a table of the file with the same name, and DROP TABLE also
/// drops the temporary triggers of the table.
@Suite("Temporary objects of the connection that migrates")
struct TemporaryObjectsTests {
  private enum First {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
    }
  }

  private enum Second {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var stars: Int?
    }
  }

  private enum Third {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Post> { Check { $0.$id > 0 } }
    }
  }

  @Test("a temporary table of the same name is not migrated in place of the table")
  func table() throws {
    let db = try Specification.database(models: [First.Post.self])
    try db.insert(First.Post(id: 1, title: "a"))
    try db.write { try $0.execute("CREATE TEMP TABLE Post (id INTEGER PRIMARY KEY, title TEXT)") }
    #expect(throws: MigrationError.self) { try db.migrate([Second.Post.self]) }
    try db.write { try $0.execute("DROP TABLE temp.Post") }
    try db.migrate([Second.Post.self])
    let opened = try Specification.reopen(db)
    let found = try opened.columnNames(of: "Post")
    #expect(found == ["id", "title", "stars"])
  }

  @Test("a rebuild keeps the temporary triggers of the table")
  func trigger() throws {
    let db = try Specification.database(models: [First.Post.self])
    try db.write { tx in
      try tx.createTemporaryTriggers(of: First.Post.self) {
        Trigger("no_empty_title", before: .insert) { new in
          Raise(.abort, "no title").where { new.$title == "" }
        }
      }
    }
    #expect(throws: DatabaseError.self) { try db.insert(First.Post(id: 1, title: "")) }
    try db.migrate([Third.Post.self])
    #expect(throws: DatabaseError.self) { try db.insert(Third.Post(id: 1, title: "")) }
  }
}
