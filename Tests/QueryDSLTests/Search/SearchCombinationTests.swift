import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// Searches together with the other parts of a query.
@Suite("Full-text search in every kind of query")
struct SearchCombinationTests {
  private typealias Post = Library.Post
  private typealias Author = Library.Author

  private func database() throws -> Database {
    let db = try Library.database()
    try db.insert([
      Author(id: 1, name: "Jane"), Author(id: 2, name: "Ole"), Author(id: 3, name: "Swift"),
    ])
    try db.insert([
      Post(id: 1, title: "Swift concurrency", body: "Actors and tasks", authorID: 1),
      Post(id: 2, title: "Birds", body: "A swift is a bird. The swift flies.", authorID: 2),
      Post(id: 3, title: "Rust", body: "Ownership, as in Swift", status: .draft, authorID: 1),
      Post(id: 4, title: "Gardening", body: nil, authorID: 2),
      Post(id: 5, title: "Swift", body: "", authorID: nil),
    ])
    return db
  }

  @Test("a search is read in pages by columns")
  func pages() throws {
    let db = try database()
    let order = PageOrder<Post>.descending(\.$title)
    let first = try db.fetch(Post.search("swift").page(by: order).limit(2))
    #expect(first.map(\.title) == ["Swift concurrency", "Swift"])
    let cursor = try order.cursor(after: #require(first.last))
    let second = try db.fetch(Post.search("swift").page(after: cursor, by: order).limit(2))
    #expect(second.map(\.title) == ["Rust", "Birds"])
  }

  @Test("a query has weights of its own, and the words of an array are near each other")
  func weights() throws {
    let db = try database()
    let byTitle = Post.search("swift").orderByRank { $0.$title.weighted(100) }.order(by: \.$id)
    #expect(
      try byTitle.sql.text.hasSuffix(
        #"ORDER BY bm25("Post_search"."Post_search", ?, ?, ?), "Post"."id""#))
    #expect(try byTitle.sql.values.suffix(3) == [.real(100), .real(1), .real(0)])
    #expect(try db.fetch(byTitle).prefix(2).map(\.id).sorted() == [1, 5])
    let byBody = Post.search("swift").orderByRank {
      $0.$title.weighted(0)
      $0.$body.weighted(5)
    }
    #expect(try db.first(byBody)?.id == 2)
    let ranks = try db.fetch(
      Post.search("swift").order(by: \.$id).selectHit { post, hit in
        (
          post.$id, hit.rank { $0.$title.weighted(0) }, hit.rank { $0.$title.weighted(10) },
          hit.$rank
        )
      })
    #expect(ranks.map(\.2) == ranks.map(\.3))
    #expect(ranks.first { $0.0 == 5 }?.1 == 0)
    let error = #expect(throws: QueryError.self) {
      try Post.search("a").orderByRank { $0.$slug.weighted(1) }.sql
    }
    #expect(error?.message.contains("does not have a column") == true)
    #expect(throws: QueryError.self) {
      try Post.search("a").orderByRank { $0.$title.weighted(-1) }.sql
    }
    let words = ["actors", "tasks"]
    #expect(try db.fetch(Post.search(.near(words))).map(\.id) == [1])
    #expect(try db.fetch(Post.search(.near(words, within: 0))).isEmpty)
    #expect(try db.fetch(Post.search(.near([]))).isEmpty)
  }

  @Test("a search has children, and is the children of other rows")
  func including() throws {
    let db = try database()
    let authors = try db.fetch(
      Author.order(by: \.$id).including(
        Post.search("swift").order(by: .rank), by: \.$authorID))
    #expect(authors.map { $0.0.name } == ["Jane", "Ole", "Swift"])
    #expect(authors.map { $0.1.map(\.id) } == [[1, 3], [2], []])
    let limited = try db.fetch(
      Author.order(by: \.$id).including(
        Post.search("swift").order(by: \.$id, .descending).limit(1), by: \.$authorID))
    #expect(limited.map { $0.1.map(\.id) } == [[3], [2], []])
  }

  @Test("hits are numbered by windows, and counted in groups")
  func windows() throws {
    let db = try database()
    let numbered = Post.search("swift").selectHit { post, hit in
      (
        post.$id, post.rowNumber().over(.order(by: hit.$rank).order(by: post.$id)),
        post.rowNumber().over(.partition(by: post.$status).order(by: hit.$rank))
      )
    }
    let rows = try db.fetch(numbered).sorted { $0.1 < $1.1 }
    #expect(rows.map(\.1) == [1, 2, 3, 4])
    let ranked = try db.fetch(Post.search("swift").order(by: .rank).order(by: \.$id))
    #expect(rows.map(\.0) == ranked.map(\.id))
    #expect(rows.first { $0.0 == 3 }?.2 == 1)
    let best = Post.search("swift").group(by: \.$status).having { $0.count() > 1 }
      .selectHit { post, hit in (post.$status, post.count(), hit.$rank.min()) }
    let groups = try db.fetch(best)
    #expect(groups.map(\.0) == [.published] && groups.map(\.1) == [3])
    #expect((groups.first?.2 ?? 0) < 0)
  }

  @Test("a search joins other tables, and stands in unions, subqueries and common tables")
  func joins() throws {
    struct Found: ResultRow {
      @Column var id: Int
      @Column var rank: Double
    }
    let db = try database()
    let found = CommonTable(
      "found",
      Query { (post: Columns<Post>, hit: Columns<SearchHit<Post>>) in
        From(post)
        Join(post.search("swift").as(hit))
        Select(post.$id, hit.$rank.as("rank"), into: Found.self)
      })
    let joined = Query { (found_: Columns<Found>, post: Columns<Post>, author: Columns<Author>) in
      With(found)
      From(found.as(found_))
      Join(post, on: post.$id == found_.$id)
      Join(author, on: post.$authorID.equals(author.$id))
      OrderBy(found_.$rank)
      Select(author.$name)
    }
    #expect(try db.fetch(joined).sorted() == ["Jane", "Jane", "Ole"])
    let united = Post.search("concurrency").select(\.$id).union(
      Post.search("gardening").select(\.$id))
    #expect(try db.fetch(united).sorted() == [1, 4])
    let authors = Author.where { author in
      author.$id.optional.isIn(Post.search("swift bird").select(\.$authorID))
    }
    #expect(try db.fetch(authors).map(\.name) == ["Ole"])
    let counted = Author.order(by: \.$id).select { author in
      (
        author.$name,
        Post.where { $0.$authorID == author.$id && $0.matches("swift") }.count()
      )
    }
    #expect(try db.fetch(counted).map(\.1) == [2, 1, 0])
  }

  @Test("two searches of one table, each with its own rank and snippet, stand in one query")
  func twoSearches() throws {
    let db = try database()
    let query = Query {
      (
        post: Columns<Post>, first: Columns<SearchHit<Post>>,
        second: OptionalColumns<SearchHit<Post>>
      ) in
      From(post)
      Join(post.search("swift").as(first))
      LeftJoin(post.search(.words("bird")).as(second))
      OrderBy(post.$id)
      Select(post.$id, first.snippet(of: \.$body, words: 4), second.$rank)
    }
    let rows = try db.fetch(query)
    #expect(rows.map(\.0) == [1, 2, 3, 5])
    #expect(rows.map { $0.2 == nil } == [true, false, true, true])
    #expect(rows[1].1.description == "A [swift] is a…")
  }

  @Test("a search is streamed, prepared with other parts of the query, and printed as a table")
  func reading() async throws {
    let db = try database()
    var streamed: [Int] = []
    for try await post in db.stream(Post.search("swift").order(by: \.$id)) {
      streamed.append(post.id)
    }
    #expect(streamed == [1, 2, 3, 5])
    let prepared = try await db.prepare { (status: SQLParameter<Library.Status>) in
      Post.search("swift").where { $0.$status == status }.order(by: \.$id).select(\.$id)
    }
    #expect(try await db.fetch(prepared(.draft)) == [3])
    #expect(try await db.fetch(prepared(.published)) == [1, 2, 5])
    let table = try await db.table(
      Post.search("bird").selectHit { post, hit in
        (post.$title, hit.snippet(of: \.$body, words: 4).as("found"))
      })
    #expect(table.rows == [["Birds", "…a [bird]. The swift…"]])
  }
}

extension SearchCombinationTests {
  @Test("a condition with an index of its own does not make the search run for each of its rows")
  func plan() throws {
    struct Page: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      @Column var status: Int
      static var schema: Schema<Page> {
        Index(\.$status)
        FullText(\.$text)
      }
    }
    let db = try Specification.database(models: [Page.self])
    let query = Page.where { $0.$status == 1 }.matching("swift")
    for plan in [try db.explain(query), try db.explain(query.select(\.$id))] {
      let text = "\(plan)"
      let first = try #require(text.split(separator: "\n").first { $0.contains("Page") })
      #expect(first.contains("Page_search") && first.contains("VIRTUAL TABLE"), "\(text)")
    }
  }
}
