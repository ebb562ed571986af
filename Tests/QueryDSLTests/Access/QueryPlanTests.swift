import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Query plans as a tree")
struct QueryPlanTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("a plan shows a search by an index, a scan and a sort")
  func simple() throws {
    #expect(
      try music.db.explain(Track.where { $0.$genre == "rock" }).description
        == "SEARCH Track USING INDEX Track_on_genre (genre=?)")
    #expect(
      try music.db.explain(Track.order(by: \.$title)).description
        == "SCAN Track\nUSE TEMP B-TREE FOR ORDER BY")
    #expect(
      try music.db.explain(Track.where { $0.$id == 1 }).nodes.map(\.detail)
        == ["SEARCH Track USING INTEGER PRIMARY KEY (rowid=?)"])
  }

  @Test("nested steps of a plan are indented")
  func tree() throws {
    let plan = try music.db.explain(
      Track.where { $0.$id == 1 }.select(\.$plays)
        .union(Track.where { $0.$plays == 2 }.select(\.$plays)))
    // Newer versions of SQLite merge two sorted selections.
    let merged = """
      MERGE (UNION)
      ├─ LEFT
      │  └─ SEARCH Track USING INTEGER PRIMARY KEY (rowid=?)
      └─ RIGHT
         └─ SEARCH Track USING COVERING INDEX Track_on_plays (plays=?)
      """
    #expect(
      plan.description == merged
        || plan.description == """
          COMPOUND QUERY
          ├─ LEFT-MOST SUBQUERY
          │  └─ SEARCH Track USING INTEGER PRIMARY KEY (rowid=?)
          └─ UNION USING TEMP B-TREE
             └─ SEARCH Track USING COVERING INDEX Track_on_plays (plays=?)
          """
    )
    #expect(plan.nodes.count == 1 && plan.nodes[0].children.count == 2)
    #expect(plan.details.count == 5)
  }

  @Test("explain shows the plan of an update or a deletion without running it")
  func commands() throws {
    let update = Track.update { $0.$plays += 1 }.where { $0.$genre == "rock" }
    #expect(try music.db.explain(update).description.contains("USING INDEX Track_on_genre"))
    #expect(
      try music.db.explain(Track.delete().where { $0.$title == "x" }).details == ["SCAN Track"])
    // SQLite reports no steps for a DELETE without a condition.
    #expect(try music.db.explain(Track.delete()).nodes.isEmpty)
    #expect(try music.db.fetch(Track.all.order(by: \.$id)) == Music.tracks)
  }

  @Test("the plan follows a change of the schema")
  func schemaChange() throws {
    let query = Track.where { $0.$title == "Alpha" }
    #expect(try music.db.explain(query).description == "SCAN Track")
    try music.db.execute("CREATE INDEX Track_title ON Track (title)")
    #expect(
      try music.db.explain(query).description == "SEARCH Track USING INDEX Track_title (title=?)")
  }

  @Test("explain throws for a query that cannot become SQL, and works from asynchronous code")
  func errors() async throws {
    #expect(throws: QueryError.self) { try music.db.explain(Track.limit(-1)) }
    let plan = try await music.db.explain(Track.all)
    #expect(plan.description == "SCAN Track")
  }
}
