import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained groups of equal texts and of expressions", .needs(.preUpdateHook))
struct MaintainedGroupKeyTests {
  /// Makes the tables with a few rows. Names and titles are compared without letter case.
  private func database() async throws -> Database {
    let db = try Database.inMemory(configuration: .relaxed)
    try await db.execute(
      """
      CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT COLLATE NOCASE, parent INTEGER,
        title TEXT NOT NULL, stars INTEGER NOT NULL);
      CREATE TABLE JoinWriter (name TEXT PRIMARY KEY NOT NULL, team INTEGER, score ANY) STRICT;
      CREATE TABLE JoinTeam (id INTEGER PRIMARY KEY, title TEXT);
      CREATE INDEX authors ON JoinPost (author);
      CREATE INDEX teams ON JoinWriter (team);
      INSERT INTO JoinPost VALUES (1, 'ann', NULL, 't', 1), (2, 'Ann', NULL, 't', 2),
        (3, 'bob', NULL, 't', 3);
      INSERT INTO JoinTeam VALUES (1, 'a'), (2, 'b');
      INSERT INTO JoinWriter VALUES ('ann', 1, 1), ('Al', 1, 2), ('bob', 2, 3);
      """)
    return db
  }

  /// Begins to watch a query. After the first commit the result is fetched, since it may contain
  /// that commit.
  private func watch<Row>(
    _ query: some Fetchable<Row>, in db: Database
  ) async throws -> QueryWatch<Row> {
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    for change in ["UPDATE JoinPost SET stars = 4", "UPDATE JoinWriter SET score = 5"] {
      try await db.execute("\(unsafe: change) WHERE rowid = 3")
    }
    _ = try await watch.update()
    #expect(watch.isMaintained)
    return watch
  }

  @Test("a group of texts that its collation takes for equal shows the least of them")
  func spellings() async throws {
    let db = try await database()
    let query = JoinPost.group(by: \.$author).select { ($0.$author, $0.count(), $0.$stars.sum()) }
      .order(by: \.$author)
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET author = 'ANN' WHERE id = 3")
    var result = try #require(try await watch.update())
    #expect(result.map(\.0) == ["ANN"] && result[0].1 == 3 && result[0].2 == 7)
    try await db.execute("DELETE FROM JoinPost WHERE id = 3")
    result = try #require(try await watch.update())
    #expect(result.map(\.0) == ["Ann"] && result[0].1 == 2)
    try await db.execute("UPDATE JoinPost SET author = 'aNN' WHERE id = 1")
    #expect(try await watch.update() == nil, "the group is the same")
    #expect(watch.fetchCount == fetches)
  }

  @Test("groups of an expression over a join are evaluated again when a row of it was touched")
  func joined() async throws {
    let db = try await database()
    let query = Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
      From(team)
      LeftJoin(writer, on: writer.$team.equals(team.$id))
      GroupBy(team.$id, writer.$name.lower())
      Select(team.$id, writer.$name.lower(), writer.$name.count())
    }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinWriter SET team = 2 WHERE name = 'Al'")
    var result = try #require(try await watch.update())
    #expect(result.map(\.1) == ["ann", "al", "bob"] && result.map(\.0) == [1, 2, 2])
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'ann'")
    result = try #require(try await watch.update())
    #expect(result.map(\.1) == [nil, "al", "bob"] && result.map(\.2) == [0, 1, 1])
    #expect(watch.fetchCount == fetches)
  }

  @Test("a group whose rows have 1 and 1.0 is fetched, since it shows one of them")
  func equalNumbers() async throws {
    let db = try await database()
    let query = JoinWriter.group { $0.$score.abs() }.select {
      ($0.$score.abs().typeof(), $0.count())
    }
    let watch = try await watch(query, in: db)
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinWriter SET score = -2 WHERE name = 'ann'")
    #expect(try await watch.update()?.map(\.1) == [2, 1])
    #expect(watch.fetchCount == fetches)
    try await db.execute("INSERT INTO JoinWriter VALUES ('cy', 1, 2.0)")
    #expect(try await watch.update()?.map(\.1) == [3, 1])
    #expect(watch.fetchCount == fetches + 1)
  }

  @Test("a group of a column without a type shows the number that its last row has, 1 or 1.0")
  func equalNumbersOfColumn() async throws {
    let db = try await database()
    try await db.execute(
      """
      INSERT INTO JoinWriter VALUES ('cy', 1, 2.0);
      CREATE INDEX scores ON JoinWriter (score)
      """)
    let query = JoinWriter.group(by: \.$score).select { ($0.$score.typeof(), $0.count()) }
    let watch = try await watch(query, in: db)
    #expect(watch.rows?.map(\.1) == [1, 2, 1])
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'Al'")
    let types = try await watch.update()?.map(\.0)
    #expect(types == ["integer", "real", "integer"])
    try await db.execute("INSERT INTO JoinWriter VALUES ('dan', 1, 2)")
    _ = try await watch.update()
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'cy'")
    _ = try await watch.update()
    #expect(watch.rows?.map(\.0) == ["integer", "integer", "integer"])
    #expect(watch.rows?.map(\.1) == [1, 1, 1])
  }

  @Test("a row that an equal one replaces is no change, though SQLite may then read another first")
  func replacedByEqual() async throws {
    let db = try await database()
    let query = Query { (team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>) in
      From(team)
      LeftJoin(writer, on: writer.$team.equals(team.$id))
      GroupBy(writer.$score.ifNull(3).abs(), team.$id)
      Select(writer.$score.ifNull(3).abs().typeof(), team.$id, team.count())
    }
    let watch = try await watch(query, in: db)
    try await db.execute("UPDATE JoinWriter SET score = 1.0, team = 1 WHERE name = 'bob'")
    let counts = try await watch.update()?.map(\.2)
    #expect(counts == [2, 1, 1])
    let fetches = watch.fetchCount
    try await db.execute("INSERT OR REPLACE INTO JoinWriter VALUES ('ann', 1, 1)")
    #expect(try await watch.update() == nil)
    #expect(watch.fetchCount == fetches)
  }
}
