import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// The rows that wake a query: counted, not measured.
@Suite("Queries that are woken by values", .needs(.preUpdateHook))
struct RouteTests {
  let db: Database

  init() throws {
    db = try Database.inMemory(configuration: .relaxed)
    try db.execute(
      """
      \(unsafe: JoinTables.creation)
      CREATE INDEX authors ON JoinPost (author);
      INSERT INTO JoinWriter VALUES ('a', 1, 0), ('b', 2, 1);
      INSERT INTO JoinPost VALUES (1, 'a', NULL, 't', 0), (2, 'b', 1, 't', 1);
      INSERT INTO JoinMark VALUES (1, 'x', 1), (2, 'y', 1);
      """)
  }

  /// Commits something: after the first commit, every live query looks for commits of others.
  private func passFirstCheck() async throws {
    try await db.execute(
      "INSERT INTO JoinTeam VALUES (99, 'x'); DELETE FROM JoinTeam WHERE id = 99")
  }

  /// Returns which of the statements wake the query: 1 for each that does, 0 for the others.
  private func wakes<Q: Fetchable>(_ query: Q, _ statements: SQL...) async throws -> [Int] {
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.update()
    try await passFirstCheck()
    _ = try await watch.update()
    var wakes: [Int] = []
    for statement in statements {
      try await db.execute(statement)
      if case .none = watch.watch.takeTouch() { wakes.append(0) } else { wakes.append(1) }
    }
    return wakes
  }

  @Test(
    "only a row that has the value before or after wakes it, and only by a column that it reads")
  func equal() async throws {
    let query = JoinPost.where { $0.$parent == 1 }.select { ($0.$title, $0.$stars) }
    #expect(
      try await wakes(
        query, "UPDATE JoinPost SET stars = 5 WHERE id = 1",
        "UPDATE JoinPost SET stars = 5 WHERE id = 2",
        "UPDATE JoinPost SET author = 'c' WHERE id = 2",
        "UPDATE JoinPost SET parent = 2 WHERE id = 2",
        "UPDATE JoinPost SET stars = 6 WHERE id = 2",
        "UPDATE JoinPost SET parent = 1 WHERE id = 1",
        "DELETE FROM JoinPost WHERE id = 2", "DELETE FROM JoinPost WHERE id = 1",
        "INSERT INTO JoinPost VALUES (3, 'a', NULL, 't', 0)",
        "INSERT INTO JoinPost VALUES (4, 'a', 1, 't', 0)") == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
  }

  @Test("a key that is a number for SQLite, but a text for the model, wakes it")
  func convertedKey() async throws {
    struct Item: Model {
      @PrimaryKey var code: String
      @Column var name: String
      var id: String { code }
    }
    try await db.execute(
      "CREATE TABLE Item (code INTEGER PRIMARY KEY, name TEXT); INSERT INTO Item VALUES (5, 'a')")
    let query = Item.where { $0.$code == "5" }.select(\.$name)
    let found = try await wakes(query, "UPDATE Item SET name = 'b'")
    #expect(found == [1])
  }

  @Test("each of several values, and of several conditions, wakes it")
  func several() async throws {
    #expect(
      try await wakes(
        JoinPost.where { ($0.$stars.isIn([1, 2]) || $0.$parent == 9) && $0.$title == "t" }
          .select(\.$id),
        "UPDATE JoinPost SET title = 'u' WHERE id = 1",
        "UPDATE JoinPost SET stars = 7 WHERE id = 2", "UPDATE JoinPost SET parent = 9 WHERE id = 2",
        "UPDATE JoinPost SET title = 'v' WHERE id = 2",
        "UPDATE JoinPost SET title = 'w' WHERE id = 2") == [0, 1, 1, 1, 0])
  }

  @Test("a condition in a subquery, or of a left join, says which rows of its table matter")
  func subqueries() async throws {
    let statements: [SQL] = [
      "INSERT INTO JoinMark VALUES (1, 'z', 1)", "INSERT INTO JoinMark VALUES (1, 'y', 1)",
      "UPDATE JoinMark SET tag = 'z' WHERE post = 2", "DELETE FROM JoinMark WHERE tag = 'z'",
    ]
    func wakes<Q: Fetchable>(_ query: Q) async throws -> [Int] {
      try await db.execute(
        "DELETE FROM JoinMark; INSERT INTO JoinMark VALUES (1, 'x', 1), (2, 'y', 1)")
      return try await self.wakes(
        query, statements[0], statements[1], statements[2], statements[3])
    }
    let existing = JoinPost.where { post in
      !JoinMark.where { $0.$post == post.$id && $0.$tag == "y" }.exists()
    }.select { $0.count() }
    #expect(try await wakes(existing) == [0, 1, 1, 0])
    let listed = JoinPost.where {
      !$0.$id.isIn(JoinMark.where { $0.$tag == "y" }.select(\.$post))
    }.select { $0.count() }
    #expect(try await wakes(listed) == [0, 1, 1, 0])
    let joined = Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
      From(post)
      LeftJoin(mark, on: mark.$post == post.$id && mark.$tag == "y")
      GroupBy(post.$stars)
      Select(post.$stars, mark.$post.count())
    }
    #expect(try await wakes(joined) == [0, 1, 1, 0])
    let counted = JoinPost.select { post in
      JoinMark.where { $0.$post == post.$id && $0.$tag == "y" }.select { $0.count() }.subquery()
    }
    #expect(try await wakes(counted) == [0, 1, 1, 0])
  }

  @Test("values of other types and letter cases that SQLite takes for equal wake it")
  func equalValues() async throws {
    try await db.execute(
      """
      DROP TABLE JoinWriter;
      CREATE TABLE JoinWriter (name TEXT COLLATE NOCASE PRIMARY KEY, team NUMERIC, score);
      INSERT INTO JoinWriter VALUES ('a', 1, 1);
      """)
    #expect(
      try await wakes(
        JoinWriter.where { $0.$name == "B" }.select { $0.count() },
        "INSERT INTO JoinWriter VALUES ('b', 1, 1)", "INSERT INTO JoinWriter VALUES ('c', 1, 1)",
        "UPDATE JoinWriter SET name = 'd' WHERE name = 'c'",
        "UPDATE JoinWriter SET name = 'B' WHERE name = 'b'") == [1, 0, 0, 1])
    #expect(
      try await wakes(
        JoinWriter.where { $0.$team == 2 }.select { $0.count() },
        "INSERT INTO JoinWriter VALUES ('e', '2.0', 1)", "DELETE FROM JoinWriter WHERE team = 1",
        "UPDATE JoinWriter SET team = NULL") == [1, 0, 1])
    #expect(
      try await wakes(
        JoinWriter.where { $0.$score == 2 }.select { $0.count() },
        "UPDATE JoinWriter SET score = 2", "UPDATE JoinWriter SET score = '2'",
        "UPDATE JoinWriter SET score = NULL") == [1, 1, 0])
  }

  @Test("raw SQL and conditions that are not understood are woken by every change")
  func unknown() async throws {
    let statement: SQL = "UPDATE JoinPost SET stars = stars + 1 WHERE id = 1"
    let raw = JoinPost.where { $0.$parent == 1 && SQLPredicate(sql: "stars > 0") }.select(\.$id)
    #expect(try await wakes(raw, statement) == [1])
    let not = JoinPost.where { !($0.$parent == 1) && $0.$stars > 0 }.select(\.$id)
    #expect(try await wakes(not, statement) == [1])
    let either = JoinPost.where { $0.$parent == 1 || $0.$stars > 0 }.select(\.$id)
    #expect(try await wakes(either, statement) == [1])
    let left = Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
      From(post)
      LeftJoin(mark, on: mark.$post == post.$id && post.$parent == 1)
      Select(post.$stars, mark.$tag)
    }
    #expect(try await wakes(left, statement) == [1])
  }

  /// The posts of the writers of a team.
  private static func posts(ofTeam team: Int64) -> some Fetchable<Int64> {
    Query { (writer: Columns<JoinWriter>, post: Columns<JoinPost>) in
      From(writer)
      Join(post, on: post.$author.equals(writer.$name))
      Where(writer.$team == team)
      Select(post.$id)
    }
  }

  /// Returns the numbers of the teams whose posts a statement wakes, of those of 20 teams.
  private func wokenTeams(
    _ watches: [QueryWatch<Int64>], by statements: SQL...
  ) async throws -> [Int] {
    try await db.write { tx in for statement in statements { try tx.execute(statement) } }
    var teams: [Int] = []
    for (team, watch) in watches.enumerated() {
      if case .none = watch.watch.takeTouch() { continue }
      teams.append(team)
    }
    return teams
  }

  private func watchTeams() async throws -> [QueryWatch<Int64>] {
    var watches: [QueryWatch<Int64>] = []
    for team in 0..<20 {
      watches.append(QueryWatch(LiveSource(Self.posts(ofTeam: Int64(team))), in: db))
      _ = try await watches[team].update()
    }
    try await passFirstCheck()
    for watch in watches { _ = try await watch.update() }
    return watches
  }

  @Test("a row wakes the queries whose range has its value, or had it, and no others")
  func ranges() async throws {
    let query = JoinPost.where { $0.$stars >= 3 && $0.$stars < 6 }.select(\.$id)
    #expect(
      try await wakes(
        query, "UPDATE JoinPost SET stars = 2 WHERE id = 1",
        "UPDATE JoinPost SET stars = 6 WHERE id = 1", "UPDATE JoinPost SET stars = 3 WHERE id = 1",
        "UPDATE JoinPost SET stars = 5 WHERE id = 1", "UPDATE JoinPost SET stars = 7 WHERE id = 1",
        "INSERT INTO JoinPost VALUES (3, 'a', NULL, 't', 7)",
        "INSERT INTO JoinPost VALUES (4, 'a', NULL, 't', 4)") == [0, 0, 1, 1, 1, 0, 1])
    let open = JoinPost.where { $0.$stars > 7 }.select(\.$id)
    #expect(
      try await wakes(
        open, "UPDATE JoinPost SET stars = 6 WHERE id = 1",
        "UPDATE JoinPost SET stars = 8 WHERE id = 1", "UPDATE JoinPost SET stars = 1 WHERE id = 1")
        == [0, 1, 1])
    let both = JoinPost.where { $0.$parent == 1 && $0.$stars.between(3, and: 6) }.select(\.$id)
    #expect(
      try await wakes(
        both, "INSERT INTO JoinPost VALUES (5, 'a', 1, 't', 7)",
        "UPDATE JoinPost SET stars = 6 WHERE id = 5", "UPDATE JoinPost SET stars = 6 WHERE id = 1",
        "UPDATE JoinPost SET parent = 2 WHERE id = 5") == [0, 1, 0, 1])
  }

  @Test("ranges that overlap, begin together or have no end are found like a list of them")
  func manyRanges() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    for bounds in [(true, true), (true, false), (false, true)] {
      let column = RowRoute.PatternContent.Column(name: "size", collation: .binary)
      let form = RowRoute.RangePattern(
        column: column, lower: bounds.0 ? .included : .none, upper: bounds.1 ? .excluded : .none)
      var index = RangeIndex()
      var list: [(id: UInt64, range: RangeIndex.Range)] = []
      for step in 0..<600 {
        if list.count > 40, Bool.random(using: &random) {
          let removed = list.remove(at: Int.random(in: 0..<list.count, using: &random))
          index.remove(removed.id, removed.range)
        } else {
          let start = Int64.random(in: 0...30, using: &random)
          let end = start + Int64.random(in: -1...9, using: &random)
          let range = RangeIndex.Range(
            lower: bounds.0 ? .integer(start) : Optional.none,
            upper: bounds.1 ? .integer(end) : Optional.none)
          let id = UInt64.random(in: 0...50, using: &random)
          index.insert(id, range)
          list.append((id, range))
        }
        let value = Int64.random(in: -1...40, using: &random)
        var found: [UInt64] = []
        index.find(.integer(value), form) { found.append($0) }
        let expected = list.filter { _, range in
          (range.lower.map { $0.compare(.integer(value)) <= 0 } ?? true)
            && (range.upper.map { $0.compare(.integer(value)) > 0 } ?? true)
        }
        #expect(found.sorted() == expected.map(\.id).sorted(), "seed \(seed), step \(step)")
      }
    }
  }

  @Test("a value that stands in a joined row is found from there, before and after")
  func joined() async throws {
    let watches = try await watchTeams()
    #expect(watches[1].cost.tablesOfAllRows == [] && watches[1].cost.missingIndexes == [])
    #expect(
      try await wokenTeams(watches, by: "INSERT INTO JoinPost VALUES (3, 'a', NULL, 't', 0)") == [1]
    )
    #expect(
      try await wokenTeams(watches, by: "UPDATE JoinPost SET author = 'b' WHERE id = 3") == [1, 2])
    #expect(try await wokenTeams(watches, by: "UPDATE JoinPost SET stars = 9") == [])
    #expect(
      try await wokenTeams(watches, by: "UPDATE JoinWriter SET team = 5 WHERE name = 'b'") == [
        2, 5,
      ])
    #expect(try await wokenTeams(watches, by: "DELETE FROM JoinPost WHERE id = 3") == [5])
    #expect(
      try await wokenTeams(watches, by: "INSERT INTO JoinPost VALUES (4, NULL, NULL, 't', 0)") == []
    )
    // Both rows change in one transaction.
    #expect(
      try await wokenTeams(
        watches,
        by: "INSERT INTO JoinPost VALUES (5, 'b', NULL, 't', 0)",
        "UPDATE JoinWriter SET team = 6 WHERE name = 'b'") == [5, 6])
  }

  @Test("without an index on the way all are woken, and the status has the index")
  func unindexed() async throws {
    try await db.execute(
      """
      DROP TABLE JoinWriter; CREATE TABLE JoinWriter (name TEXT, team INTEGER, score REAL);
      INSERT INTO JoinWriter VALUES ('a', 1, 0)
      """)
    let watches = try await watchTeams()
    #expect(watches[1].cost.tablesOfAllRows == ["joinpost"])
    #expect(watches[1].cost.missingIndexes.map(\.table) == ["JoinWriter"])
    #expect(
      try await wokenTeams(watches, by: "INSERT INTO JoinPost VALUES (3, 'a', NULL, 't', 0)")
        == Array(0..<20))
  }

  @Test("the cost of finding the queries that a commit concerns does not depend on their number")
  func lookups() async throws {
    func lookups(_ count: Int) async throws -> Int {
      var watches: [QueryWatch<Int64>] = []
      for number in 0..<count {
        let query = JoinPost.where { $0.$parent == Int64(number + 100) }.select(\.$id)
        watches.append(QueryWatch(LiveSource(query), in: db))
        _ = try await watches[number].update()
      }
      let tracker = try #require(ChangeTracker.of(db))
      let before = tracker.lookupCount
      try await db.execute("UPDATE JoinPost SET stars = stars + 1, parent = \(count) WHERE id = 1")
      return withExtendedLifetime(watches) { tracker.lookupCount - before }
    }
    let (few, many) = try await (lookups(10), lookups(300))
    #expect(few == many)
    #expect(ChangeTracker.of(db)?.isWatching == false)
  }
}
