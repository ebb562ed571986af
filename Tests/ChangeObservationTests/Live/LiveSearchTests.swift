import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@Suite("Live full-text searches", .blocking)
struct LiveSearchTests {
  private struct Article: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var stars = 0

    static var schema: Schema<Article> { FullText(\.$title) }
  }

  let db: Database

  init() throws {
    db = try Database.temporary(models: [Article.self])
    try db.insert([
      Article(id: 1, title: "swift"), Article(id: 2, title: "a bird"),
      Article(id: 3, title: "one swift, and many other words"),
    ])
  }

  @Test("a search follows models, raw SQL, REPLACE and deletions, in the order of rank")
  func search() async throws {
    let query = Article.search("swift").order(by: .rank).limit(10).select(\.$id)
    var results = db.observe(query).makeAsyncIterator()
    #expect(try await results.next() == [1, 3])
    try await db.insert(Article(id: 4, title: "swift swift swift"))
    #expect(try await results.next() == [4, 1, 3])
    try await db.execute("UPDATE Article SET title = 'no bird' WHERE id = 1")
    #expect(try await results.next() == [4, 3])
    try await db.execute("INSERT OR REPLACE INTO Article VALUES (4, 'gone', 0)")
    #expect(try await results.next() == [3])
    try await db.run(Article.delete().where { $0.matches("swift") })
    #expect(try await results.next() == [])
    try await db.update(Article(id: 2, title: "another swift"))
    #expect(try await results.next() == [2])
  }

  @Test("a search that is a condition is followed, with snippets beside it")
  func condition() async throws {
    var pinned = db.observe(
      Article.where { $0.matches("swift") || $0.$stars > 5 }.order(by: \.$id).select(\.$id)
    ).makeAsyncIterator()
    var snippets = db.observe(
      Article.search("bird").order(by: \.$id).selectHit { article, hit in
        (article.$id, hit.snippet(of: \.$title))
      }
    ).makeAsyncIterator()
    #expect(try await pinned.next() == [1, 3])
    #expect(try await snippets.next()?.map { "\($0.1)" } == ["a [bird]"])
    try await db.execute("UPDATE Article SET stars = 9, title = 'two birds, one bird' WHERE id = 2")
    #expect(try await pinned.next() == [1, 2, 3])
    #expect(try await snippets.next()?.map { "\($0.1)" } == ["two [birds], one [bird]"])
    try await db.delete(Article.self, 3)
    #expect(try await pinned.next() == [1, 2])
  }

  @Test("a search that rolls back is not reported")
  func rollback() async throws {
    struct Undone: Error {}
    var results = db.observe(Article.search("swift").order(by: \.$id).select(\.$id))
      .makeAsyncIterator()
    #expect(try await results.next() == [1, 3])
    await #expect(throws: Undone.self) {
      try await db.write { tx in
        try tx.insert(Article(id: 5, title: "swift"))
        throw Undone()
      }
    }
    try await db.insert(Article(id: 6, title: "swift"))
    #expect(try await results.next() == [1, 3, 6])
  }
}
