import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// The searches that a program can write, the SQL of each, and the rows that it finds.
@Suite("Full-text search as a program writes it")
struct SearchSpecification {
  private typealias Post = Library.Post
  private typealias Author = Library.Author

  private func database() throws -> Database {
    let db = try Library.database()
    try db.insert([Author(id: 1, name: "Jane"), Author(id: 2, name: "Ole")])
    try db.insert([
      Post(id: 1, title: "Swift concurrency", body: "Actors and tasks", authorID: 1),
      Post(id: 2, title: "Birds", body: "A swift is a bird. The swift flies.", authorID: 2),
      Post(id: 3, title: "Rust", body: "Ownership, as in Swift", status: .draft, authorID: 1),
      Post(id: 4, title: "Gardening", body: nil, authorID: 2),
    ])
    return db
  }

  @Test("a text of the user finds rows with all of its words, the last as a beginning")
  func search() throws {
    let db = try database()
    let query = Post.search("swift conc").order(by: .rank).limit(20)
    #expect(
      try query.query.sql.text == #"""
        SELECT "Post"."id", "Post"."title", "Post"."body", "Post"."status", "Post"."authorID", "Post"."slug" FROM "Post" JOIN "Post_search"(?) ON "Post"."id" = (+"Post_search"."rowid") ORDER BY "Post_search"."rank" LIMIT ?
        """#)
    #expect(try db.fetch(query).map(\.id) == [1])
    #expect(try db.fetch(Post.search("swift conc ")).isEmpty)
    #expect(try db.fetch(Post.search("act sw")).map(\.id).isEmpty)
    #expect(try db.fetch(Post.search("SWIFT áct")).map(\.id) == [1])
  }

  @Test("the weights of the columns order the rows, the most relevant first")
  func rank() throws {
    let db = try database()
    #expect(try db.fetch(Post.search("swift").order(by: .rank)).map(\.id) == [1, 2, 3])
    let ranks = try db.fetch(
      Post.search("swift").order(by: .rank).selectHit { _, hit in hit.$rank })
    #expect(ranks == ranks.sorted() && ranks.allSatisfy { $0 < 0 })
  }

  @Test("a column whose words are not indexed cannot be highlighted, and the error says so")
  func unindexedHighlight() throws {
    let db = try database()
    let error = #expect(throws: QueryError.self) {
      try db.fetch(Post.search("swift").selectHit { _, hit in hit.highlight(of: \.$status) })
    }
    #expect(error?.message.contains("select the column itself") == true)
  }

  @Test("conditions, orders, limits, counts, columns and pages work with a search")
  func combined() throws {
    let db = try database()
    let published = Post.where { $0.$status == .published }.matching("swift")
    #expect(try db.fetch(published.order(by: \.$title)).map(\.id) == [2, 1])
    // The table of the index has columns with the same names.
    let found = try db.fetch(Post.search("swift").order(byColumn: "title")).map(\.id)
    #expect(found == [2, 3, 1])
    #expect(
      try db.fetch(Post.search("swift").order(by: \.$id, .descending).limit(2)).map(\.id) == [3, 2])
    #expect(try db.count(Post.search("swift")) == 3)
    #expect(try db.count(published) == 2)
    #expect(try db.exists(Post.search("gardening")))
    #expect(
      try db.first(Post.search("swift").order(by: .rank).select(\.$title)) == "Swift concurrency")
    #expect(try db.fetch(Post.search("swift").matching("bird").order(by: .rank)).map(\.id) == [2])
    #expect(
      try db.fetch(
        Post.search("swift").group(by: \.$authorID).select { ($0.$authorID, $0.count()) }
      )
      .map(\.1) == [2, 1])
  }

  @Test("a search is a condition like any other, also in updates and deletions")
  func condition() throws {
    let db = try database()
    let query = Post.where { $0.matches("garden") || $0.$status == .draft }.select(\.$id)
    #expect(
      try query.query.sql.text == #"""
        SELECT "id" FROM "Post" WHERE "id" IN (SELECT "Post_search"."rowid" FROM "Post_search"(?)) OR "status" = ?
        """#)
    #expect(try db.fetch(query) == [3, 4])
    #expect(try db.fetch(Post.where { !$0.matches(.words("swift")) }.select(\.$id)) == [4])
    try db.run(Post.update { $0.$title = "Trees" }.where { $0.matches("gardening") })
    #expect(try db.fetch(Post.search("trees")).map(\.id) == [4])
    try db.run(Post.delete().where { $0.matches("swift") })
    #expect(try db.count(Post.all) == 1)
    #expect(try db.checkSearchIndex(of: Post.self))
  }

  @Test("a search joins like a table, and keeps rows that were not found if it is a left join")
  func joins() throws {
    let db = try database()
    let query = Query {
      (post: Columns<Post>, hit: Columns<SearchHit<Post>>, author: Columns<Author>) in
      From(post)
      Join(post.search("swift").as(hit))
      Join(author, on: post.$authorID.equals(author.$id))
      OrderBy(hit.$rank)
      Select(post.$id, author.$name)
    }
    #expect(
      try query.sql.text == #"""
        SELECT "Post"."id", "Author"."name" FROM "Post" JOIN "Post_search"(?) ON "Post"."id" = (+"Post_search"."rowid") JOIN "Author" ON "Post"."authorID" = "Author"."id" ORDER BY "Post_search"."rank"
        """#)
    #expect(try db.fetch(query).map(\.1) == ["Jane", "Ole", "Jane"])
    let all = Query { (post: Columns<Post>, hit: OptionalColumns<SearchHit<Post>>) in
      From(post)
      LeftJoin(post.search("swift").as(hit))
      OrderBy(post.$id)
      Select(post.$id, hit.$rank)
    }
    #expect(try db.fetch(all).map { $0.1 == nil } == [false, false, false, true])
    let authors = Author.where { author in
      Post.where { $0.$authorID == author.$id.optional && $0.matches("bird") }.exists()
    }
    #expect(try db.fetch(authors).map(\.name) == ["Ole"])
  }

  @Test("snippets and highlights are texts with the ranges of the words that were found")
  func highlights() throws {
    let db = try database()
    let hits = try db.fetch(
      Post.search("swift").order(by: .rank).selectHit { post, hit in
        (post, hit.highlight(of: \.$title), hit.snippet(of: \.$body, words: 4), hit.snippet())
      })
    #expect(hits.map(\.0.id) == [1, 2, 3])
    #expect(hits[0].1.text == "Swift concurrency")
    #expect(hits[0].1.ranges.map { String(hits[0].1.text[$0]) } == ["Swift"])
    #expect(hits[1].1.text == "Birds" && hits[1].1.ranges.isEmpty)
    #expect(hits[1].2.marked { "[\($0)]" } == "A [swift] is a…")
    #expect(hits[1].3.marked { "[\($0)]" } == "A [swift] is a bird. The [swift] flies.")
    let columns = try db.fetch(
      Post.search("swift").order(by: .rank).selectHit { _, hit in
        (hit.isFound(in: \.$title), hit.isFound(in: \.$body))
      })
    #expect(columns.map { $0.0 } == [true, false, false])
    #expect(columns.map { $0.1 } == [false, true, true])
  }

  @Test("snippets and highlights keep texts with U+0000 whole")
  func zeros() throws {
    // An engine calls FTS5's own functions.
    guard !Specification.usesEngine else { return }
    let db = try database()
    let text = "a\0b swift\0c d\0e f swift, \0g"
    try db.insert(Post(id: 5, title: text, body: "\0swift"))
    let hit = try #require(
      try db.first(
        Post.where { $0.$id == 5 }.matching(.words("swift").in(\.$title)).selectHit { _, hit in
          (
            hit.highlight(of: \.$title), hit.highlight(of: \.$body),
            hit.snippet(of: \.$title, words: 4), hit.snippet(), hit.isFound(in: \.$title)
          )
        }))
    #expect(hit.0.text == text)
    #expect(hit.0.description == "a\0b [swift]\0c d\0e f [swift], \0g")
    #expect(hit.1.text == "\0swift")
    #expect(hit.2.description == "a\0b [swift]\0c…")
    #expect(hit.3.text == text)
    #expect(hit.4 == true)
  }

  @Test("patterns look for words, any word, phrases, beginnings and words near each other")
  func patterns() throws {
    let db = try database()
    func ids(_ pattern: SearchPattern<Post>) throws -> [Int] {
      try db.fetch(Post.search(pattern).order(by: \.$id)).map(\.id)
    }
    #expect(try ids(.words("tasks swift")) == [1])
    #expect(try ids(.words("tas")) == [])
    #expect(try ids(.prefixes("sw bi")) == [2])
    #expect(try ids(.anyWord(of: "bird ownership")) == [2, 3])
    #expect(try ids(.phrase("swift is a")) == [2])
    #expect(try ids(.phrase("is swift a")) == [])
    #expect(try ids(.near("ownership", "swift", within: 2)) == [3])
    #expect(try ids(.near("ownership", "swift", within: 1)) == [])
    #expect(try ids(.words("swift").in(\.$title)) == [1])
    #expect(try ids(.words("swift").in(\.$title, \.$body)) == [1, 2, 3])
    #expect(try ids(.words("swift").excluding(.words("bird"))) == [1, 3])
    #expect(try ids(.words("bird").or(.words("rust")).or(.words("gardening"))) == [2, 3, 4])
    #expect(try ids(.words("swift").and(.anyWord(of: "bird rust"))) == [2, 3])
    #expect(try ids(.raw(#"^ "swift""#)) == [1])
    #expect(throws: DatabaseError.self) { try ids(.raw("swift AND")) }
  }

  @Test("mistakes throw errors that say what to write")
  func mistakes() throws {
    let db = try database()
    func message(_ query: some Fetchable) -> String? {
      #expect(throws: QueryError.self) { _ = try db.fetch(query) }?.message
    }
    #expect(message(Author.search("x"))?.contains("declare `FullText") == true)
    #expect(message(Post.all.order(by: .rank))?.contains("no search in the query") == true)
    #expect(message(Post.search(.words("x").in(\.$status)))?.contains("not indexed") == true)
    #expect(message(Post.search(.words("x").in(\.$slug)))?.contains("not indexed") == true)
    #expect(message(Post.search(.near("a", within: -1)))?.contains("negative") == true)
    #expect(
      message(Post.search("x").selectHit { _, hit in hit.snippet(words: 65) })?
        .contains("1 to 64 words") == true)
    var deep = SearchPattern<Post>.words("swift")
    for _ in 0..<30 { deep = deep.and(.words("a")).or(.words("b")) }
    #expect(message(Post.search(deep))?.contains("levels deep") == true)
    var long = SearchPattern<Post>.words("swift")
    for _ in 0..<2_000 { long = long.or(.words("bird")) }
    #expect(try db.count(Post.search(long)) == 3)
  }
}
