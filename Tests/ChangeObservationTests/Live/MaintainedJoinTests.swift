import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained joins")
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
      CREATE TABLE JoinWriter (name TEXT PRIMARY KEY NOT NULL, team INTEGER, score REAL);
      CREATE TABLE JoinPost (id INTEGER PRIMARY KEY, author TEXT, parent INTEGER,
        title TEXT NOT NULL, stars INTEGER NOT NULL);
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
