import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("A full-text index that stays although no model declares it")
struct StaleKeptIndexTests {
  private enum First {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Post> { FullText(\.$title) }
    }
  }

  /// A program without a schema version that does not declare the index: it stays.
  private enum Second {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Post> {
        Converted(\.$title, from: String.self) { _ in "swallow" }
      }
    }
  }

  @Test("the index is filled again if a rebuild changes the values that it indexes")
  func filled() throws {
    let db = try Specification.database(models: [First.Post.self])
    try db.insert(First.Post(id: 1, title: "swift"))
    try db.migrate([Second.Post.self])
    let found = try db.row("SELECT title FROM Post")?[0]
    #expect(found == "swallow")
    // The first program declares the index, which looks unchanged to it. Found: the row is found
    // by its old word and not by its new one. checkSearchIndex would say that the index is wrong.
    try db.migrate([First.Post.self])
    let found2 = try db.fetch(First.Post.search("swallow")).count
    #expect(found2 == 1)
    let found3 = try db.fetch(First.Post.search("swift")).isEmpty
    #expect(found3)
  }
}
