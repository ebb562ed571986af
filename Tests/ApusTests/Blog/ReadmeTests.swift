import Apus
import Foundation
import Observation
import TestRun
import Testing

/// Writes, reads, observation and raw SQL over the models of a blog, as the README writes them.
@Suite("A blog")
struct ReadmeTests {
  let db: Database
  let author: Author
  let posts: [Post]

  init() throws {
    db = try Database.temporary(models: [Author.self, Post.self])
    let author = Author(name: "Jane")
    self.author = author
    posts = (0..<5).map { index in
      Post(
        authorID: author.id, title: "Post \(index)", url: URL(string: "https://apus.dev/\(index)"),
        status: index < 3 ? .published : .draft, views: index * 100,
        createdAt: Date(timeIntervalSince1970: Double(index)))
    }
  }

  func store() async throws {
    let (author, posts) = (author, posts)
    try await db.write { tx in
      try tx.insert(author)
      try tx.insert(posts)
    }
  }

  @Test("writes store and update models")
  func write() async throws {
    try await store()
    #expect(try await db.count(Post.all) == 5)
    var post = try #require(try await db.find(Post.self, posts[2].id))
    #expect(post == posts[2])
    post.title = "Sports"
    try await db.update(post)
    #expect(try await db.find(Post.self, post.id)?.title == "Sports")
  }

  @Test("reads find, filter and select")
  func read() async throws {
    try await store()
    let id = posts[1].id
    let found = try await db.find(Post.self, id)
    #expect(found?.title == "Post 1")
    let hot = try await db.fetch(
      Post.where { $0.$status == .published && $0.$views > 100 }
        .order(by: \.$createdAt, .descending).limit(20))
    #expect(hot.map(\.title) == ["Post 2"])
    var pairs: [String] = []
    for (id, title) in try await db.fetch(
      Post.select(\.$id, \.$title).where { $0.$url != nil })
    {
      pairs.append("\(id) \(title)")
    }
    #expect(pairs.count == 5)
  }

  func feed(search: String?) -> Query<(String, String)> {
    Query { (post: Columns<Post>, author: Columns<Author>) in
      From(post)
      Join(author, on: post.$authorID == author.$id)
      Where {
        post.$status == .published
        if let search { post.$title.contains(search) }
      }
      OrderBy(post.$createdAt, .descending)
      Limit(20)
      Select(post.$title, author.$name)
    }
  }

  @Test("the result builder joins, filters and gives the documented SQL")
  func builder() async throws {
    try await store()
    let all = try await db.fetch(feed(search: nil))
    #expect(all.map(\.0) == ["Post 2", "Post 1", "Post 0"])
    #expect(all.allSatisfy { $0.1 == "Jane" })
    #expect(try await db.fetch(feed(search: "1")).map(\.0) == ["Post 1"])
    #expect(
      try feed(search: "1").sql.text == """
        SELECT "Post"."title", "Author"."name" FROM "Post" JOIN "Author" \
        ON "Post"."authorID" = "Author"."id" \
        WHERE "Post"."status" = ? AND instr("Post"."title", ?) > 0 \
        ORDER BY "Post"."createdAt" DESC LIMIT ?
        """)
  }

  @Test("updates and deletions run in the database, without loading rows")
  func change() async throws {
    try await store()
    let id = posts[1].id
    try await db.run(Post.update { $0.$views += 1 }.where { $0.$id == id })
    #expect(try await db.find(Post.self, id)?.views == 101)
    try await db.run(Post.delete().where { $0.$status == .draft })
    #expect(try await db.count(Post.all) == 3)
  }

  @Test("raw SQL updates and reads rows")
  func raw() async throws {
    try await store()
    let date = Date(timeIntervalSince1970: 2)
    try await db.execute(
      "UPDATE \(Post.self) SET status = \(Status.archived) WHERE createdAt < \(date)")
    #expect(try await db.count(Post.where { $0.$status == .archived }) == 2)
    let top = try await db.row("SELECT max(views) AS top FROM \(Post.self)")?["top", as: Int.self]
    #expect(top == 400)
  }

  @Test("an observed result is given first, and again after a change")
  func observe() async throws {
    try await store()
    let feed = feed(search: nil)
    let id = posts[1].id
    var seen: [[String]] = []
    for try await posts in db.observe(feed) {
      seen.append(posts.map(\.0))
      if seen.count == 2 { break }
      try await db.run(Post.update { $0.$status = .archived }.where { $0.$id == id })
    }
    #expect(seen == [["Post 2", "Post 1", "Post 0"], ["Post 2", "Post 0"]])
  }

  @Test("observed changes have keys, columns, old and new values", .needs(.preUpdateHook))
  func changes() async throws {
    try await store()
    let changes = db.changes(of: Post.self, columns: \.$title)
    try await db.run(Post.update { $0.$views += 1 })
    var post = posts[0]
    post.title = "Sports"
    try await db.save(post)
    for await change in changes {
      let row = try #require(change.updated.first)
      #expect(try row.key == post.id)
      #expect(row.changedColumns == ["title"])
      #expect(try row.old(\.$title) == "Post 0")
      #expect(try row.new(\.$title) == "Sports")
      break
    }
  }

  @MainActor
  @Test("a live query loads its rows for user interfaces")
  func liveQuery() async throws {
    try await store()
    let live = LiveQuery(feed(search: nil), in: db)
    let (loaded, load) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = live.rows
    } onChange: {
      load.yield()
    }
    for await _ in loaded { break }
    await Task.yield()
    #expect(live.isLoaded)
    #expect(live.rows.map(\.0) == ["Post 2", "Post 1", "Post 0"])
  }
}
