import Apus
import Foundation
import TestRun
import Testing

/// The SQL and the output that the README shows further down.
@Suite("A tour of a blog")
struct TourTests {
  let db: Database
  let author = Author(name: "Jane")

  init() throws {
    db = try Database.temporary(models: [Author.self, Post.self])
    try db.insert(author)
    try db.insert([
      Post(
        authorID: author.id, title: "Sports", url: URL(string: "https://example.org"),
        status: .published, views: 7),
      Post(authorID: author.id, title: "News"),
    ])
  }

  @Test("the tour's queries have the SQL that is shown")
  func queries() throws {
    let nested = Post.where { post in
      post.$status.isIn([.draft, .published])
      AnyOf {
        post.$title.contains("Swift")
        post.$url == nil
      }
    }
    .order(by: \.$views, .descending)
    #expect(
      try nested.sql.text.hasSuffix(
        """
         FROM "Post" WHERE "status" IN (SELECT value FROM apus_array(?)) \
        AND (instr("title", ?) > 0 OR "url" IS NULL) ORDER BY "views" DESC
        """))
    #expect(try db.fetch(nested).map(\.title) == ["News"])

    let grouped = Post.select { ($0.$status, $0.count().as("posts"), $0.$views.sum().as("views")) }
      .group(by: \.$status)
    #expect(
      try grouped.sql.text == """
        SELECT "status", count(*) AS "posts", sum("views") AS "views" FROM "Post" GROUP BY "status"
        """)
    #expect(try db.table(grouped).rows == [["draft", "1", "0"], ["published", "1", "7"]])
  }

  @Test("a result prints as the table that is shown")
  func table() throws {
    #expect(
      try db.table(Post.select(\.$title, \.$status, \.$url)).description == """
        ┏━━━┳━━━━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┓
        ┃   ┃ title    ┃ status    ┃ url                 ┃
        ┃   ┃ <String> ┃ <Status>  ┃ <URL>               ┃
        ┡━━━╇━━━━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━┩
        │ 0 │ Sports   │ published │ https://example.org │
        │ 1 │ News     │ draft     │ nil                 │
        └───┴──────────┴───────────┴─────────────────────┘
        2 rows, 3 columns
        """)
  }

  @Test("changes of a column have its old and new values", .needs(.preUpdateHook))
  func changes() async throws {
    let changes = db.changes(of: Post.self, columns: \.$status)
    try await db.run(Post.update { $0.$status = .archived }.where { $0.$views > 0 })
    for await change in changes {
      let row = try #require(change.updated.first)
      #expect(try row.old(\.$status) == .published)
      #expect(try row.new(\.$status) == .archived)
      break
    }
  }

  private enum Later {
    struct Post: Model {
      @PrimaryKey var id = Unique64()
      @Column var authorID: Author.ID
      @Column var title: String
      @Column var url: URL?
      @Column var status: Status = .draft
      @Column var views = 0
      @Column var tags: JSON<[String]> = []
      @Column var createdAt = Date()
      @Column var rating = 0

      static var schema: Schema<Post> {
        ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
        Index(\.$status, \.$createdAt)
        Unique(\.$url)
        Default(\.$rating, 0)
      }
    }
  }

  @Test("a migration's plan prints as it is shown")
  func plan() throws {
    #expect(
      try db.migrationPlan(for: [Author.self, Later.Post.self]).description == """
        Post
          + add the column rating: existing rows get 0 (2 rows)
              ALTER TABLE "Post" ADD COLUMN "rating" INTEGER NOT NULL DEFAULT 0
        """)
  }

  @Test("raw SQL is read as tuples and models")
  func raw() throws {
    let pairs = try db.fetch((String, Int).self, "SELECT title, views FROM Post ORDER BY views")
    #expect(pairs.map(\.0) == ["News", "Sports"])
    let posts = try db.fetch(Post.self, "SELECT * FROM Post WHERE views > \(5)")
    #expect(posts.map(\.title) == ["Sports"])
  }

  /// Compiled and never run: spellings where the tests, which check more, differ.
  @MainActor
  private func spellings(_ loaded: Post) async throws {
    let db = try Database(path: "blog.sqlite", models: [Author.self, Post.self])
    let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
      From(post)
      Join(author, on: post.$authorID == author.$id)
      Select(post.$title, author.$name)
    }
    let live = LiveQuery(feed, in: db)
    try await db.run(Post.delete().where { $0.$status == .archived })

    func blocking() throws {
      var post = loaded
      post.views += 1
      try db.update(post)
      print(try db.table(Post.select(\.$title, \.$status, \.$url)))
      print(try db.migrationPlan(for: [Author.self, Post.self]))
      let pairs = try db.fetch((String, Int).self, "SELECT title, views FROM Post")
      let posts = try db.fetch(Post.self, "SELECT * FROM Post WHERE views > \(100)")
      print(live.rows, pairs, posts)
    }
    try blocking()

    for await change in db.changes(of: Post.self, columns: \.$status) {
      for row in change.updated {
        if let old = try row.old(\.$status), let new = try row.new(\.$status) {
          print(try row.key, old, "→", new)
        }
      }
    }
  }
}
