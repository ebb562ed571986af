import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Explanations of live queries")
struct ExplanationTests {
  private func database(indexed: Bool = true) async throws -> Database {
    let db = try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      """)
    if indexed { try await db.execute("CREATE INDEX authors ON JoinPost (author)") }
    return db
  }

  private static let join = Query {
    (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
    From(post)
    LeftJoin(writer, on: post.$author.equals(writer.$name))
    Select(post.$title, writer.$score)
  }

  private static let ranked = JoinPost.all.select {
    $0.$stars.sum().over(.order(by: $0.$id))
  }

  @MainActor
  @Test(
    "an explanation says in one sentence whether and why a query is maintained",
    .needs(.preUpdateHook))
  func sentences() async throws {
    let db = try await database()
    let posts = try await db.observe(JoinPost.all).explanation
    #expect(posts.isMaintained)
    #expect(
      posts.description
        == "Maintained: a commit costs as much as the rows of JoinPost that it touched.")
    let join = try await db.observe(Self.join).explanation
    #expect(join.isMaintained)
    #expect(
      join.description
        == "Maintained: a commit that touches JoinPost or JoinWriter evaluates it again only for the "
        + "rows of JoinPost that this concerns.")
    let live = LiveQuery(Self.ranked, in: db)
    let ranked = try await live.explanation
    #expect(!ranked.isMaintained)
    #expect(
      ranked.description
        == "Runs again after each commit that touches what it reads, because it has a window "
        + "function.")
  }

  @Test("the reasons name what the query has")
  func reasons() async throws {
    let db = try await database()
    func expect(_ words: String, _ query: some Fetchable) async throws {
      let explanation = try await db.observe(query).explanation
      #expect(!explanation.isMaintained)
      #expect(explanation.description.contains(words), "\(explanation)")
    }
    try await expect(
      "it groups by an expression",
      JoinPost.group { $0.$title.length() }.select { $0.count() }.limit(2))
    try await expect(
      "it shows title of an arbitrary row", JoinPost.group(by: \.$stars).select(\.$title))
    try await expect(
      "avg over all rows", JoinWriter.all.select { $0.$score.avg() })
    // A sum of REAL depends on the order of its rows.
    try await expect(
      "sum over all rows cannot be calculated", JoinWriter.all.select { $0.$score.sum() })
    try await expect(
      "sum over all rows cannot be calculated",
      JoinPost.all.select { $0.$stars.sum(distinct: true) })
    try await expect(
      #"Missing: CREATE INDEX "JoinPost_on_title" ON "JoinPost" ("title")"#,
      Query { (post: Columns<JoinPost>, mark: Columns<JoinMark>) in
        From(post)
        Join(mark, on: mark.$post == post.$id)
        Select(post.$title.count(distinct: true))
      })
    try await expect(
      "aggregates over all rows have HAVING, a limit or a subquery beside them",
      Query { (post: Columns<JoinPost>, mark: Columns<JoinMark>) in
        From(post)
        Join(mark, on: mark.$post == post.$id)
        Having(mark.count() > 1)
        Select(post.$stars.sum())
      })
    let included = JoinPost.where { post in
      JoinMark.where { $0.$post == post.$id }.exists()
    }.including(JoinMark.all, by: \.$post)
    #expect(
      try await db.observe(included).explanation.description.contains("because it has a subquery"))
    try await expect(
      "no column of JoinTeam says to which rows of JoinPost its rows belong",
      JoinPost.where { _ in JoinTeam.where { $0.$id == 1 }.exists() })
    try await expect(
      "a subquery has WITH, a window, a compound, or a query in FROM",
      JoinPost.where {
        $0.$id.isIn(JoinMark.select(\.$post).union(JoinTeam.select(\.$id)))
      })
    try await expect(
      "no column of JoinMark says to which rows of JoinPost its rows belong",
      JoinPost.where { $0.$id.isIn(JoinMark.select(\.$post).limit(3)) })
    let raw = try await db.observe(sql: "SELECT 1 FROM JoinPost").explanation
    #expect(raw.description.hasSuffix("because it is raw SQL."))
  }

  @Test(
    "a join without an index runs again, and its explanation names the index",
    .needs(.preUpdateHook))
  func missingIndex() async throws {
    let db = try await database(indexed: false)
    let explanation = try await db.observe(Self.join).explanation
    #expect(!explanation.isMaintained)
    #expect(
      explanation.description
        == "Runs again after each commit that touches what it reads, because after a change of "
        + "JoinWriter, SQLite would scan JoinPost to find what to evaluate. Missing: "
        + #"CREATE INDEX "JoinPost_on_author" ON "JoinPost" ("author")"#)
    for index in explanation.missingIndexes { try await db.execute(SQL(unsafe: index.sql)) }
    #expect(try await db.observe(Self.join).explanation.isMaintained)
  }

  @Test("a join of optional columns, which compares by IS, uses the index", .needs(.preUpdateHook))
  func optionalColumns() async throws {
    let db = try await database()
    let siblings = Query { (post: Columns<JoinPost>, other: Columns<JoinPost>) in
      From(post)
      Join(other, on: post.$author == other.$author)
      Select(post.$id, other.$id)
    }
    #expect(try siblings.sql.text.contains(" IS "))
    #expect(try await db.observe(siblings).explanation.isMaintained)
    try await db.execute("DROP INDEX authors")
    let explanation = try await db.observe(siblings).explanation
    #expect(
      explanation.missingIndexes.map(\.sql)
        == [#"CREATE INDEX "JoinPost_on_author" ON "JoinPost" ("author")"#])
  }

  @Test("all indexes that a join lacks are named at once", .needs(.preUpdateHook))
  func severalIndexes() async throws {
    let db = try await database(indexed: false)
    let teams = Query {
      (post: Columns<JoinPost>, writer: Columns<JoinWriter>, other: Columns<JoinWriter>) in
      From(post)
      Join(writer, on: post.$author.equals(writer.$name))
      Join(other, on: other.$team.equals(writer.$team))
      Select(post.$id, other.$name)
    }
    let explanation = try await db.observe(teams).explanation
    #expect(
      Set(explanation.missingIndexes.map(\.sql)) == [
        #"CREATE INDEX "JoinPost_on_author" ON "JoinPost" ("author")"#,
        #"CREATE INDEX "JoinWriter_on_team_name" ON "JoinWriter" ("team", "name")"#,
      ])
    for index in explanation.missingIndexes { try await db.execute(SQL(unsafe: index.sql)) }
    #expect(try await db.observe(teams).explanation.isMaintained)
  }

  @Test("an observation that runs again and takes too long is reported, if that was asked for")
  func report() async throws {
    let db = try await database()
    let reports = Lock<[ObservationRerun]>([])
    db.onObservationRerun(longerThan: .zero) { report in reports.withLock { $0.append(report) } }
    let watch = QueryWatch(LiveSource(Self.ranked), in: db)
    _ = try await watch.next()
    #expect(reports.withLock { $0.isEmpty }, "the first fetch is not reported")
    try await db.execute("INSERT INTO JoinPost VALUES (1, 'a', NULL, 't', 5)")
    _ = try await watch.update()
    let report = try #require(reports.withLock { $0.first })
    #expect(report.sql.contains(" OVER "))
    #expect(report.reason.hasSuffix("because it has a window function."))
    #expect(report.duration > .zero)
    db.onObservationRerun(longerThan: .zero, nil)
    try await db.execute("INSERT INTO JoinPost VALUES (2, 'a', NULL, 't', 6)")
    _ = try await watch.update()
    #expect(reports.withLock { $0.count } == 1)
  }
}
