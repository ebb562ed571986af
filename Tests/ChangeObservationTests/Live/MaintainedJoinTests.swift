import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained joins", .needs(.preUpdateHook))
struct MaintainedJoinTests {
  private static let byTitle = Query {
    (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
    From(post)
    LeftJoin(writer, on: post.$author.equals(writer.$name))
    OrderBy(post.$title)
    Select(post.$title, writer.$score)
  }

  /// Makes the tables, with 100 posts by ten writers. In memory, no other connection can commit, so
  /// that only the first commit causes a fetch.
  private func database(inMemory: Bool = true) async throws -> Database {
    let db =
      inMemory
      ? try Database.inMemory(configuration: .relaxed)
      : try Database.temporary(configuration: .relaxed)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      WITH n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO JoinPost SELECT i, 'w' || (i % 10), NULL, printf('t%03d', i), 0 FROM n;
      INSERT INTO JoinWriter SELECT DISTINCT author, 1, 0 FROM JoinPost;
      """)
    return db
  }

  @Test("a commit is applied to the rows that it concerns, and nothing is fetched")
  func cost() async throws {
    let db = try await database()
    let watch = QueryWatch(LiveSource(Self.byTitle), in: db)
    #expect(try await watch.next()?.count == 100)
    // After the first commit the result is fetched, since it may contain that commit.
    try await db.execute("UPDATE JoinWriter SET score = 2")
    _ = try await watch.update()
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET title = 't0005' WHERE id = 5")
    let moved = try #require(try await watch.update()).difference.moved
    #expect(moved == [ResultsDifference.Move(origin: 5, destination: 1)])
    try await db.execute("UPDATE JoinWriter SET score = 77 WHERE name = 'w3'")
    let updated = try #require(try await watch.update())
    #expect(updated.difference.updated.count == 10)
    #expect(updated.filter { $0.1 == 77 }.count == 10)
    #expect(watch.fetchCount == fetches)
  }

  @Test("a row whose joined row becomes another one, or none, is updated and not replaced")
  func exchanged() async throws {
    let db = try await database()
    let watch = QueryWatch(LiveSource(Self.byTitle), in: db)
    _ = try await watch.next()
    try await db.execute("UPDATE JoinWriter SET score = unicode(substr(name, 2))")
    _ = try await watch.update()
    for change: SQL in [
      "UPDATE JoinPost SET author = 'w1' WHERE id = 2",
      "DELETE FROM JoinWriter WHERE name = 'w1'",
      "INSERT INTO JoinWriter VALUES ('w1', 1, 5)",
    ] {
      try await db.execute(change)
      let result = try #require(try await watch.update())
      #expect(result.difference.inserted.isEmpty && result.difference.removed.isEmpty)
      #expect(result.difference.updated.contains(2))
    }
    try await db.execute("UPDATE JoinWriter SET team = 2")
    #expect(try await watch.update() == nil, "the query does not read the column")
  }

  @Test("a row of another connection that no held row precedes comes when those before it go")
  func beyondTheHeldRows() async throws {
    var configuration = Configuration.relaxed
    configuration.liveReserve = 1
    let db = try Database.temporary(configuration: configuration)
    try await db.execute("\(unsafe: JoinTables.creation)")
    try await db.execute("INSERT INTO JoinTeam (id, title) VALUES (1, 'a')")
    let teams = Query { (team: Columns<JoinTeam>) in
      From(team)
      Select(team.$id, team.$title)
    }.limit(1)
    let watch = QueryWatch(LiveSource(teams), in: db)
    _ = try await watch.next()
    // After the first commit the result is fetched.
    try await db.execute("UPDATE JoinTeam SET title = 'c'")
    _ = try await watch.update()
    // All rows of the query are held: the first, and then the one in reserve.
    try await db.execute("INSERT INTO JoinTeam (id, title) VALUES (2, 'b')")
    let reserved = try await watch.update()
    #expect(reserved == nil)
    // With the next commit the result is fetched again, and has the same rows.
    let other = try Connection(path: try #require(db.path))
    try other.execute("INSERT INTO JoinTeam (id, title) VALUES (3, 'c')")
    try await db.execute("INSERT INTO JoinTeam (id, title) VALUES (4, 'd')")
    let fetched = try await watch.update()
    #expect(fetched == nil)
    try await db.execute("DELETE FROM JoinTeam WHERE id < 3")
    let rows = try #require(try await watch.update())
    #expect(rows.map(\.0) == [3])
  }

  @Test("rows that a condition left out come back when a left join finds nothing for them")
  func hidden() async throws {
    let db = try await database()
    try await db.execute("UPDATE JoinWriter SET score = 2")
    let unscored = Self.byTitle.where { (writer: OptionalColumns<JoinWriter>) in
      writer.$score == nil
    }
    let watch = QueryWatch(LiveSource(unscored), in: db)
    #expect(try await watch.next()?.count == 0)
    try await db.execute("UPDATE JoinWriter SET score = 3")
    #expect(try await watch.update() == nil)
    // No held row contains the writer, and no row of the new result does.
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'w1'")
    #expect(try await watch.update()?.count == 10)
    try await db.execute("INSERT INTO JoinWriter VALUES ('w1', 1, 5)")
    #expect(try await watch.update()?.count == 0)
  }

  @Test("a limited join takes rows from its reserve, and is fetched when that is used up")
  func limited() async throws {
    let db = try await database()
    let watch = QueryWatch(LiveSource(Self.byTitle.limit(3)), in: db)
    _ = try await watch.next()
    try await db.execute("DELETE FROM JoinPost WHERE id = 1")
    #expect(try await watch.update()?.map(\.0) == ["t000", "t002", "t003"])
    try await db.execute("DELETE FROM JoinPost WHERE id BETWEEN 2 AND 60")
    #expect(try await watch.update()?.map(\.0) == ["t000", "t061", "t062"])
  }

  @Test("a limited join shows a row that comes to its front because the joined row is gone")
  func limitedByJoined() async throws {
    var configuration = Configuration.relaxed
    configuration.liveReserve = 1
    let db = try Database.inMemory(configuration: configuration)
    try await db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      WITH n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
        INSERT INTO JoinPost SELECT i, 'w' || i, NULL, printf('t%02d', i), 0 FROM n;
      INSERT INTO JoinWriter SELECT author, 1, id FROM JoinPost;
      """)
    let byScore = Query { (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
      From(post)
      LeftJoin(writer, on: post.$author.equals(writer.$name))
      OrderBy(writer.$score)
      Select(post.$title, writer.$score)
    }.limit(3)
    let watch = QueryWatch(LiveSource(byScore), in: db)
    #expect(try await watch.next()?.map(\.0) == ["t00", "t01", "t02"])
    #expect(watch.isMaintained)
    // The post of this writer is behind all held rows, and NULL is before them.
    try await db.execute("DELETE FROM JoinWriter WHERE name = 'w40'")
    #expect(try await watch.update()?.map(\.0) == ["t40", "t00", "t01"])
    try await db.execute("UPDATE JoinWriter SET name = 'other' WHERE name = 'w30'")
    #expect(try await watch.update()?.map(\.0) == ["t30", "t40", "t00"])
  }

  @Test("a COLLATE inside a function of ORDER BY decides the order, as in SQLite")
  func collated() async throws {
    let db = try await database()
    try await db.execute(
      """
      DELETE FROM JoinPost;
      INSERT INTO JoinPost VALUES (1, 'w1', NULL, ' b', 0), (2, 'w1', NULL, 'A ', 0),
        (3, 'w1', NULL, 'C', 0)
      """)
    let query = JoinPost.order { $0.$title.collated(.noCase).trim() }
    let watch = QueryWatch(LiveSource(query), in: db)
    #expect(try await watch.next()?.map(\.id) == [2, 1, 3])
    #expect(watch.isMaintained)
    try await db.execute("INSERT INTO JoinPost VALUES (0, 'w1', NULL, 'z', 0)")
    _ = try await watch.update()
    let fetches = watch.fetchCount
    try await db.execute("UPDATE JoinPost SET title = 'a ' WHERE id = 3")
    #expect(try await watch.update()?.map(\.id) == [2, 3, 1, 0])
    try await db.execute("UPDATE JoinPost SET title = 'Bb' WHERE id = 2")
    #expect(try await watch.update()?.map(\.id) == [3, 1, 2, 0])
    #expect(watch.fetchCount == fetches)
  }

  @Test("after a commit of another process a join is fetched once, and then maintained again")
  func afterOtherProcess() async throws {
    let db = try await database(inMemory: false)
    let path = try #require(db.realPath)
    let watch = QueryWatch(LiveSource(Self.byTitle), in: db)
    _ = try await watch.next()
    try await db.execute("UPDATE JoinWriter SET score = -1 WHERE name = 'w1'")
    _ = try await watch.update()
    for score in 1...5 {
      let fetches = watch.fetchCount
      let process = try OtherProcess.run(
        ["step", path, "1", "UPDATE JoinWriter SET score = \(score) WHERE name = 'w2'"])
      process.waitUntilExit()
      try await db.execute("UPDATE JoinWriter SET score = \(score) WHERE name = 'w1'")
      let result = try #require(try await watch.update())
      #expect(result.count { $0.1 == Double(score) } == 20)
      #expect(watch.fetchCount == fetches + 1)
      for own in 1...20 {
        try await db.execute("UPDATE JoinWriter SET score = \(100 + own) WHERE name = 'w1'")
        #expect(try await watch.update()?.difference.updated.count == 10)
      }
      #expect(watch.fetchCount == fetches + 1, "the commits of this process are applied")
    }
  }

  @Test("commits of another connection are never mixed with those of this one")
  func foreign() async throws {
    let db = try await database(inMemory: false)
    let path = try #require(db.realPath)
    let watch = QueryWatch(LiveSource(Self.byTitle), in: db)
    _ = try await watch.next()
    try await db.execute("UPDATE JoinWriter SET score = -1 WHERE name = 'w1'")
    _ = try await watch.update()
    let fetches = watch.fetchCount
    // The other connection commits after the own commit, and before it is applied.
    try await db.execute("UPDATE JoinWriter SET score = -2 WHERE name = 'w1'")
    let other = try Connection(path: path)
    try other.execute("UPDATE JoinWriter SET score = score - 100")
    let result = try #require(try await watch.update())
    #expect(result.allSatisfy { $0.1.map { $0 < -80 } ?? false }, "\(Array(result))")
    #expect(watch.fetchCount == fetches + 1)
  }

  @Test("each result is one committed state while a writer commits all the time")
  func consistent() async throws {
    let db = try await database(inMemory: false)
    let count = TestSize.count(small: 300, full: 3_000)
    let writing = Task.detached {
      for number in 1...count {
        // After each commit all writers have the same score.
        try await db.write { connection in
          try connection.execute("UPDATE JoinWriter SET score = \(number)")
          try connection.execute("UPDATE JoinPost SET stars = \(number) WHERE id = \(number % 7)")
        }
      }
    }
    var last = 0.0
    for try await result in db.observe(Self.byTitle) {
      let scores = Set(result.map { $0.1 ?? -1 })
      try #require(scores.count == 1, "\(scores)")
      let score = try #require(scores.first)
      try #require(score >= last)
      last = score
      if score == Double(count) { break }
    }
    try await writing.value
  }
}
