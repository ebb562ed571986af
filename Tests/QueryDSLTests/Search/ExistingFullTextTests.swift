import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Models of FTS5 tables that exist already")
struct ExistingFullTextTests {
  private struct Page: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var title: String
    @Column var text: String?
    @Column var tag: Int?

    static var schema: Schema<Page> {
      ExistingFullText()
      Named(\.$id, "rowid")
    }
  }

  private static let table = """
    CREATE VIRTUAL TABLE Page USING fts5(title, 'text', "tag" UNINDEXED, prefix = '2',
      tokenize = 'porter unicode61');
    INSERT INTO Page (rowid, title, text, tag) VALUES (1, 'Swift', 'is a language', 7),
      (2, 'Birds', 'The swift is a bird. It flies.', NULL), (3, 'Rust', NULL, 9);
    INSERT INTO Page (Page, rank) VALUES ('rank', 'bm25(10.0, 1.0)');
    """

  private func database() throws -> Database {
    let db = try Specification.database()
    try db.execute(SQL(unsafe: Self.table))
    try db.migrate([Page.self])
    return db
  }

  @Test("a migration leaves the table alone, and the rows are read as models")
  func migration() throws {
    let db = try Specification.database()
    try db.execute(SQL(unsafe: Self.table))
    let before = try db.fetch(String?.self, "SELECT sql FROM sqlite_schema")
    #expect(try db.migrationPlan(for: [Page.self, Library.Author.self]).steps.count == 1)
    try db.migrate([Page.self, Library.Author.self])
    #expect(try db.fetch(String?.self, "SELECT sql FROM sqlite_schema").starts(with: before))
    #expect(try db.migrationPlan(for: [Page.self, Library.Author.self]).isEmpty)
    #expect(
      try db.fetch(Page.order(by: \.$id)).map(\.tag) == [7, nil, 9])
    #expect(try db.find(Page.self, 3)?.text == nil)
  }

  @Test("search, rank, highlights, snippets and columns work on it")
  func search() throws {
    let db = try database()
    let query = Page.search("swift").order(by: .rank)
    #expect(
      try query.query.sql.text == #"""
        SELECT "Page"."rowid", "Page"."title", "Page"."text", "Page"."tag" FROM "Page" JOIN "Page"(?) AS "Page_2" ON "Page"."rowid" = (+"Page_2"."rowid") ORDER BY "Page_2"."rank"
        """#)
    #expect(try db.fetch(query).map(\.id) == [1, 2])
    let hits = try db.fetch(
      query.selectHit { page, hit in
        (page.$id, hit.highlight(of: \.$title), hit.snippet(of: \.$text, words: 3), hit.$rank)
      })
    #expect(hits.map { "\($0.1)" } == ["[Swift]", "Birds"])
    #expect(hits.map { "\($0.2)" } == ["is a language", "The [swift] is…"])
    #expect(hits[0].3 < hits[1].3)
    #expect(try db.fetch(Page.search(.words("languages"))).map(\.id) == [1])
    #expect(try db.fetch(Page.search(.words("swift").in(\.$title))).map(\.id) == [1])
    #expect(try db.count(Page.where { !$0.matches("swift") }) == 1)
  }

  @Test("rows are written, and the index is maintained")
  func writing() throws {
    let db = try database()
    try db.insert(Page(title: "Trees", text: "grow", tag: 1))
    var page = try #require(try db.first(Page.search("trees")))
    page.text = "fall"
    try db.update(page)
    #expect(try db.fetch(Page.search("fall")).map(\.tag) == [1])
    #expect(try db.count(Page.search("grow")) == 0)
    try db.run(Page.delete().where { $0.matches("swift") })
    #expect(try db.fetch(Page.order(by: \.$id).select(\.$title)) == ["Rust", "Trees"])
    #expect(try db.checkSearchIndex(of: Page.self))
    try db.optimizeSearchIndex(of: Page.self)
    try db.rebuildSearchIndex(of: Page.self)
    #expect(try db.count(Page.search("rust")) == 1)
  }

  @Test("a table that is missing, of another kind or with other columns is refused with the reason")
  func refusals() throws {
    func reason(_ sql: String) throws -> String? {
      let db = try Specification.database()
      try db.execute(SQL(unsafe: sql))
      let error = #expect(throws: MigrationError.self) { try db.migrate([Page.self]) }
      return error?.plan.refusals.first?.reason
    }
    #expect(
      try reason("CREATE TABLE other (a)")?.contains("no table Page; create it first") == true)
    #expect(try reason("CREATE TABLE Page (title)")?.contains("is no FTS5 table") == true)
    #expect(
      try reason("CREATE VIRTUAL TABLE Page USING fts5(text, title, tag, detail=none)")?
        .contains("in their order: text, title, tag") == true)
    struct Wrong: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Wrong> { ExistingFullText() }
    }
    let error = #expect(throws: ModelError.self) {
      try Specification.database(models: [Wrong.self])
    }
    #expect(error?.message.contains(#"Named(\.$id, "rowid")"#) == true)
  }
}
