import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The changed columns of a model")
struct ChangedColumnsTests {
  struct Post: Model {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var viewCount = 0
    static var columnNaming: ColumnNaming { .snakeCase }
  }

  @Test("a new model has changes in all columns, and a loaded one in the columns that were set")
  func changes() throws {
    let db = try Specification.database(models: [Post.self])
    let new = Post(id: 1, title: "a")
    #expect(new.hasChanges)
    #expect(new.changedColumns == ["id", "title", "view_count"])
    var post = try db.insert(new)
    #expect(!post.hasChanges)
    #expect(post.changedColumns == [])
    post.viewCount += 1
    #expect(post.hasChanges)
    #expect(post.changedColumns == ["view_count"])
    let copy = post
    post.title = "b"
    #expect(post.changedColumns == ["title", "view_count"])
    #expect(copy.changedColumns == ["view_count"])
    let updated = try db.update(post)
    #expect(!updated.hasChanges)
    var found = try #require(try db.find(Post.self, 1))
    found.title = "b"
    #expect(!found.hasChanges)
    found.id = 2
    #expect(found.changedColumns == ["id"])
  }
}
