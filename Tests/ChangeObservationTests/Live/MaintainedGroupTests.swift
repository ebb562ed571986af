import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained groups and aggregates", .needs(.preUpdateHook))
struct MaintainedGroupTests {
  /// Makes the tables, with 1,000 posts by ten writers in two teams. In memory, no other connection
  /// can commit, so that only the first commit causes a fetch.
  private func database(indexed: Bool = true) async throws -> Database {
    let db = try Database.inMemory(configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      WITH n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO JoinPost SELECT i, 'w' || (i % 10), NULL, printf('t%03d', i), i % 5 FROM n;
      INSERT INTO JoinTeam VALUES (0, 'a'), (1, 'b');
      INSERT INTO JoinWriter SELECT DISTINCT author, substr(author, 2) % 2, 0 FROM JoinPost;
      """)
    if indexed { try await db.execute("CREATE INDEX teams ON JoinWriter (team)") }
    return db
  }

  /// Begins to watch a query, and makes a commit that it does not notice: after the first commit the
  /// result is fetched, since it may contain that commit.
  private func watch<Row>(
    _ query: some Fetchable<Row>, in db: Database
  ) async throws -> QueryWatch<Row> {
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    try await db.execute("INSERT INTO JoinPost VALUES (-1, 'w0', NULL, 't', 0)")
    try await db.execute("INSERT INTO JoinWriter VALUES ('-', NULL, 0)")
    _ = try await watch.update()
    try await db.execute("DELETE FROM JoinPost WHERE id = -1")
    try await db.execute("DELETE FROM JoinWriter WHERE name = '-'")
    _ = try await watch.update()
    return watch
  }

  private static let byAuthor = JoinPost.group(by: \.$author)
    .select { ($0.$author, $0.count(), $0.$stars.sum()) }.order(by: \.$author)

  @Test("the counts and sums of groups change by the touched rows, and nothing is fetched")
  func counts() async throws {
    let db = try await database()
    let watch = try await watch(Self.byAuthor, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET author = 'w1', stars = 100 WHERE id = 0")
    let result = try #require(try await watch.update())
    #expect(result.difference.updated == [0, 1])
    #expect(result.map(\.1)[..<2] == [99, 101])
    #expect(result.map(\.2)[..<2] == [0, 200])
    #expect(result.difference.inserted.isEmpty && result.difference.removed.isEmpty)
    try await db.execute("UPDATE JoinPost SET author = NULL WHERE id = 0")
    #expect(try await watch.update()?.difference.inserted == [0], "NULL is a group, the first one")
    try await db.execute("DELETE FROM JoinPost WHERE author = 'w3'")
    #expect(try await watch.update()?.difference.removed == [4])
    try await db.execute("UPDATE JoinPost SET title = 'other'")
    #expect(try await watch.update() == nil, "the query does not read the column")
    #expect(watch.fetchCount == fetches)
  }

  @Test("the counts, sums and means of all rows that hold a predicate change by the touched rows")
  func whole() async throws {
    let db = try await database(indexed: false)
    let query = JoinPost.where { $0.$stars > 2 }
      .select { ($0.count(), $0.$stars.sum(), $0.$stars.avg(), $0.$title.max()) }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET stars = 0 WHERE id = 3")
    var row = try #require(try await watch.update()?.first)
    #expect(row.0 == 399 && row.1 == 1_397 && row.2 == 1_397.0 / 399 && row.3 == "t999")
    try await db.execute("INSERT INTO JoinPost VALUES (1000, 'w', NULL, 'u', 7)")
    row = try #require(try await watch.update()?.first)
    #expect(row.0 == 400 && row.1 == 1_404 && row.3 == "u")
    #expect(watch.fetchCount == fetches)
    try await db.execute("DELETE FROM JoinPost WHERE id = 1000")
    #expect(try await watch.update()?.first?.3 == "t999")
    #expect(watch.fetchCount == fetches + 1, "the greatest title left")
    try await db.execute("DELETE FROM JoinPost")
    row = try #require(try await watch.update()?.first)
    #expect(row.0 == 0 && row.1 == nil && row.2 == nil && row.3 == nil)
  }

  @Test("the different values of all rows are counted again only if one appears or has left")
  func differentValues() async throws {
    let db = try await database(indexed: false)
    let query = JoinPost.where { $0.$stars < 5 }.select {
      ($0.$author.count(distinct: true), $0.count(), $0.$parent.count(distinct: true))
    }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    let steps: [(sql: SQL, counts: [Int]?)] = [
      ("UPDATE JoinPost SET author = 'w1' WHERE id = 0", nil),
      ("UPDATE JoinPost SET author = 'x', parent = 1 WHERE id < 2", [11, 1_000, 1]),
      ("UPDATE JoinPost SET author = 'y' WHERE id = 0", [12, 1_000, 1]),
      ("UPDATE JoinPost SET stars = 5 WHERE id = 0", [11, 999, 1]),
      ("UPDATE JoinPost SET author = NULL, parent = NULL WHERE id = 1", [10, 999, 0]),
      ("DELETE FROM JoinPost WHERE author = 'w3'", [9, 899, 0]),
    ]
    for step in steps {
      try await db.execute(step.sql)
      let counts = try await watch.update()?.first.map { [$0.0, $0.1, $0.2] }
      #expect(counts == step.counts, "\(step.sql.text)")
    }
    #expect(watch.fetchCount == fetches)
  }

  @Test("groups of an expression change by the touched rows, also beside a column")
  func expressions() async throws {
    let db = try await database(indexed: false)
    let query = Query { (post: Columns<JoinPost>) in
      From(post)
      GroupBy(post.$stars / 4, post.$parent)
      OrderBy((post.$stars / 4) * 2, .descending)
      Select((post.$stars / 4) * 10, post.$parent, post.count(), post.$stars.sum())
    }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET stars = 8 WHERE id = 3")
    var result = try #require(try await watch.update())
    #expect(result.map(\.0) == [20, 10, 0] && result[0].2 == 1 && result[0].3 == 8)
    #expect(result.difference.inserted == [0])
    try await db.execute("UPDATE JoinPost SET stars = 9, parent = 5 WHERE id = 3")
    result = try #require(try await watch.update())
    #expect(result[0].1 == 5 && result[0].3 == 9)
    try await db.execute("UPDATE JoinPost SET stars = 0, parent = NULL WHERE id = 3")
    result = try #require(try await watch.update())
    #expect(result.map(\.0) == [10, 0] && result.difference.removed == [0])
    #expect(watch.fetchCount == fetches)
  }

  @Test("whether any row holds a predicate is kept by its count")
  func exists() async throws {
    let db = try await database()
    let query = JoinPost.where { $0.$stars > 10 }.select { $0.count() > 0 }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET stars = 20 WHERE id < 2")
    #expect(try await watch.update()?.first == true)
    try await db.execute("UPDATE JoinPost SET stars = 0 WHERE id = 0")
    #expect(try await watch.update() == nil)
    try await db.execute("DELETE FROM JoinPost WHERE id = 1")
    #expect(try await watch.update()?.first == false)
    #expect(watch.fetchCount == fetches)
  }

  @Test("sums of reals, and groups that HAVING left out, are asked again, each group by itself")
  func asked() async throws {
    let db = try await database()
    let query = JoinWriter.group(by: \.$team).select { ($0.$team, $0.$score.sum(), $0.count()) }
      .having { $0.$score.sum() > 1 }.order(by: \.$team)
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinWriter SET score = 1.5 WHERE name = 'w1'")
    let row = try #require(try await watch.update()?.first)
    #expect(row.0 == 1 && row.1 == 1.5 && row.2 == 5)
    try await db.execute("UPDATE JoinWriter SET score = 0 WHERE name = 'w1'")
    #expect(try await watch.update()?.count == 0)
    #expect(watch.fetchCount == fetches)
  }

  @Test("the groups of a join are evaluated again when a row of any of its tables was touched")
  func joined() async throws {
    let db = try await database()
    let query = Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
      From(team)
      LeftJoin(writer, on: writer.$team.equals(team.$id))
      GroupBy(team.$id)
      Select(team.$id, writer.$name.count(), writer.$score.sum())
    }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinWriter SET team = 1, score = 3 WHERE name = 'w0'")
    let result = try #require(try await watch.update())
    #expect(result.map(\.1) == [4, 6] && result.map(\.2) == [0, 3])
    try await db.execute("INSERT INTO JoinTeam VALUES (2, 'c')")
    #expect(try await watch.update()?.map(\.1) == [4, 6, 0])
    try await db.execute("DELETE FROM JoinTeam WHERE id = 1")
    #expect(try await watch.update()?.difference.removed == [1])
    #expect(watch.fetchCount == fetches)
  }

  @Test("an explanation says how groups are maintained, and which index they need")
  func explanations() async throws {
    let db = try await database(indexed: false)
    func explain(_ query: some Fetchable) async throws -> String {
      try await db.observe(query).explanation.description
    }
    #expect(
      try await explain(Self.byAuthor)
        == "Maintained: a commit changes the values of the groups by the rows of JoinPost that it "
        + "touched.")
    #expect(
      try await explain(JoinPost.select { $0.count() })
        == "Maintained: a commit changes the values by the rows of JoinPost that it touched.")
    #expect(
      try await explain(JoinPost.select { $0.$author.count(distinct: true) }).hasPrefix(
        "Maintained: a commit changes the values of the groups by the rows of JoinPost that it "
          + "touched, where the rows with each counted value are a group, while no more than "))
    let scores = JoinWriter.group(by: \.$team).select { $0.$score.avg() }
    #expect(
      try await explain(scores)
        == "Runs again after each commit that touches what it reads, because after a change of "
        + "JoinWriter, SQLite would scan JoinWriter to find what to evaluate. Missing: "
        + #"CREATE INDEX "JoinWriter_on_team" ON "JoinWriter" ("team")"#)
    try await db.execute("CREATE INDEX teams ON JoinWriter (team)")
    #expect(
      try await explain(scores)
        == "Maintained: a commit changes the values of the groups by the rows of JoinWriter that it "
        + "touched, and calculates avg again for each touched group.")
    let unsaid = Query { (writer: Columns<JoinWriter>, post: Columns<JoinPost>) in
      From(writer)
      Join(post, on: post.$author.equals(writer.$name))
      GroupBy(writer.$team)
      Select(writer.$team, post.count())
    }
    #expect(
      try await explain(unsaid)
        == "Maintained: a commit that touches JoinWriter or JoinPost evaluates it again only for the "
        + "groups that this concerns.")
    let pairs = Query { (writer: Columns<JoinWriter>, team: Columns<JoinTeam>) in
      From(writer)
      CrossJoin(team)
      GroupBy(writer.$team)
      Select(writer.$team, team.count())
    }
    #expect(
      try await explain(pairs)
        == "Runs again after each commit that touches what it reads, because no column of JoinTeam "
        + "says to which group its rows belong.")
  }
}
