import QueryDSL
import SQLCore
import Testing

@Suite("G12 explain: EXPLAIN QUERY PLAN as a tree")
struct QueryPlanTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("a search by an index, a scan, a sort")
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

  @Test("steps inside steps are indented")
  func tree() throws {
    let plan = try music.db.explain(
      Track.where { $0.$id == 1 }.select(\.$plays)
        .union(Track.where { $0.$plays == 2 }.select(\.$plays)))
    #expect(
      plan.description == """
        COMPOUND QUERY
        ├─ LEFT-MOST SUBQUERY
        │  └─ SEARCH Track USING INTEGER PRIMARY KEY (rowid=?)
        └─ UNION USING TEMP B-TREE
           └─ SEARCH Track USING COVERING INDEX Track_on_plays (plays=?)
        """)
    #expect(plan.nodes.count == 1 && plan.nodes[0].children.count == 2)
    #expect(plan.details.count == 5)
  }

  @Test("an update and a deletion are explained and do not run")
  func commands() throws {
    let update = Track.update { $0.$plays += 1 }.where { $0.$genre == "rock" }
    #expect(try music.db.explain(update).description.contains("USING INDEX Track_on_genre"))
    #expect(
      try music.db.explain(Track.delete().where { $0.$title == "x" }).details == ["SCAN Track"])
    // Emptying a table is one step, of which SQLite has nothing to say.
    #expect(try music.db.explain(Track.delete()).nodes.isEmpty)
    #expect(try music.db.fetch(Track.all.order(by: \.$id)) == Music.tracks)
  }

  @Test("the plan is that of the schema as it is now")
  func schemaChange() throws {
    let query = Track.where { $0.$title == "Alpha" }
    #expect(try music.db.explain(query).description == "SCAN Track")
    try music.db.execute("CREATE INDEX Track_title ON Track (title)")
    #expect(
      try music.db.explain(query).description == "SEARCH Track USING INDEX Track_title (title=?)")
  }

  @Test("a query that cannot be SQL throws; from async code the same")
  func errors() async throws {
    #expect(throws: QueryError.self) { try music.db.explain(Track.limit(1).limit(1)) }
    let plan = try await music.db.explain(Track.all)
    #expect(plan.description == "SCAN Track")
  }
}
