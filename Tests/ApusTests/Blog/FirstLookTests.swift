import Apus
import Foundation
import Testing

/// The four steps of the README, and what it shows below them.
@Suite("The first look of the README")
struct FirstLookTests {
  struct Post: Model, Equatable {
    @PrimaryKey var id = Unique64()
    @Column var title: String
    @Column var url: URL?
    @Column var status: Status = .draft
    @Column var views = 0
    @Column var createdAt = Date()
  }

  struct Comment: Model {
    @PrimaryKey var id = Unique64()
    @Column var postID: Post.ID
    @Column var author: String
    @Column var text: String
    @Column var tags: JSON<[String]> = []
    @Column var createdAt = Date()

    static var schema: Schema<Comment> {
      ForeignKey(\.$postID, references: \Post.$id, onDelete: .cascade)
      Index(\.$postID, \.$createdAt)
    }
  }

  private let db: Database

  init() throws {
    db = try Database.temporary(models: [Post.self, Comment.self])
  }

  /// Compiled and never run: it would leave a file behind.
  private func opened() throws -> Database {
    let db = try Database(path: "blog.sqlite", models: [Post.self])
    return db
  }

  private var hot: TableQuery<Post, Post> {
    let hot = Post.where { $0.$status == .published && $0.$views > 100 }
      .order(by: \.$createdAt, .descending)
      .limit(20)
    return hot
  }

  @Test("the table has the definition that the README shows")
  func table() throws {
    #expect(
      try db.fetch(String.self, "SELECT sql FROM sqlite_schema WHERE name = 'Post'") == [
        """
        CREATE TABLE "Post" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "title" TEXT NOT NULL,
          "url" TEXT,
          "status" TEXT NOT NULL,
          "views" INTEGER NOT NULL,
          "createdAt" INTEGER NOT NULL
        ) STRICT
        """
      ])
  }

  @Test("a model is written, read and observed")
  func steps() async throws {
    #expect(
      try hot.sql.text == """
        SELECT "id", "title", "url", "status", "views", "createdAt" FROM "Post" \
        WHERE "status" = ? AND "views" > ? ORDER BY "createdAt" DESC LIMIT ?
        """)
    var post = try await db.insert(Post(title: "News"))
    post.title = "Sports"
    post.status = .published
    try await db.update(post)
    #expect(try await db.find(Post.self, post.id)?.title == "Sports")
    var seen: [[String]] = []
    for try await posts in db.observe(hot) {
      seen.append(posts.map(\.title))
      if seen.count == 2 { break }
      try await db.run(Post.update { $0.$views = 101 })
    }
    #expect(seen == [[], ["Sports"]])
    let posts = try await db.fetch(hot)
    #expect(posts.map(\.views) == [101])
  }

  private func feed(_ search: String?) -> Query<(String, String)> {
    let feed = Query { (comment: Columns<Comment>, post: Columns<Post>) in
      From(comment)
      Join(post, on: comment.$postID == post.$id)
      Where {
        post.$status == .published
        if let search { comment.$text.contains(search) }
      }
      OrderBy(comment.$createdAt, .descending)
      Limit(20)
      Select(post.$title, comment.$text)
    }
    return feed
  }

  @Test("two tables are joined, with a condition that may be left out")
  func join() async throws {
    let posts = [Post(title: "Sports", status: .published), Post(title: "News")]
    try await db.write { tx in
      try tx.insert(posts)
      try tx.insert(Comment(postID: posts[0].id, author: "Jane", text: "First!"))
      try tx.insert(Comment(postID: posts[1].id, author: "Jane", text: "Not seen"))
    }
    let feed = feed(nil)
    var seen: [String] = []
    for (title, text) in try await db.fetch(feed) { seen.append("\(title): \(text)") }
    #expect(seen == ["Sports: First!"])
    #expect(try await db.fetch(self.feed("Second")).isEmpty)
  }
}
