import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Team: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
}

private struct Match: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var teamID: Int?
  @Column var score: Int

  static var schema: Schema<Match> {
    ForeignKey(\.$teamID, references: \Team.$id)
  }
}

private struct Goal: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var matchID: Int

  static var schema: Schema<Goal> { ForeignKey(\.$matchID, references: \Match.$id) }
}

@Suite("Relations with a limit for each parent")
struct LimitedRelationTests {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [Team.self, Match.self, Goal.self])
    try db.insert((1...4).map { Team(id: $0, name: "team \($0)") })
    // Team 1 has ten matches, team 2 has two, team 3 has one and team 4 has none. One match has no
    // team.
    let teams = Array(repeating: 1, count: 10) + [2, 2, 3]
    try db.insert(
      teams.enumerated().map { Match(id: $0 + 1, teamID: $1, score: ($0 * 7) % 10) }
        + [Match(id: 99, score: 100)])
    try db.insert((1...20).map { Goal(id: $0, matchID: ($0 % 13) + 1) })
  }

  private let teams = Team.order(by: \.$id)

  @Test("a limit and an offset apply to each parent, in the order of the included query")
  func limit() throws {
    let best = try db.fetch(
      teams.including(Match.order(by: \.$score, .descending).limit(2)))
    #expect(best.map { $0.1.map(\.score) } == [[9, 8], [7, 0], [4], []])
    let next = try db.fetch(
      teams.including(Match.order(by: \.$score, .descending).limit(2).offset(1)))
    #expect(next.map { $0.1.map(\.score) } == [[8, 7], [0], [], []])
    let rest = try db.fetch(
      teams.including(Match.order(by: \.$score, .descending).offset(8)))
    #expect(rest.map { $0.1.map(\.score) } == [[1, 0], [], [], []])
    #expect(try db.fetch(teams.including(Match.limit(0))).allSatisfy { $0.1.isEmpty })
  }

  @Test("a limited relation is ordered by key by default, and may have a condition or be nested")
  func others() throws {
    let first = try db.fetch(teams.including(Match.limit(3)))
    #expect(first.map { $0.1.map(\.id) } == [[1, 2, 3], [11, 12], [13], []])
    let filtered = try db.fetch(teams.including(Match.where { $0.$score < 5 }.limit(2)))
    #expect(filtered.map { $0.1.map(\.id) } == [[1, 3], [11], [13], []])
    let nested = try db.fetch(
      teams.including(Match.limit(2).including(Goal.order(by: \.$id, .descending).limit(1))))
    #expect(nested.map { $0.1.map { $0.0.id } } == [[1, 2], [11, 12], [13], []])
    #expect(nested[0].1.map { $0.1.map(\.id) } == [[13], [14]])
  }

  @Test("a limited relation stays one statement, whose text does not depend on the limit")
  func statements() throws {
    try db.read { connection in
      _ = try connection.fetch(teams.including(Match.order(by: \.$score).limit(2)))
      let before = try connection.statementCacheStatistics
      _ = try connection.fetch(teams.including(Match.order(by: \.$score).limit(5)))
      let after = try connection.statementCacheStatistics
      #expect(after.misses == before.misses && after.hits == before.hits + 2)
    }
  }

  @Test("a limited relation may be ordered by the name of a column, but by no other name")
  func names() throws {
    let prepared = try db.prepare { (count: SQLParameter<Int>) in Match.all.limit(count) }
    #expect(try db.fetch(prepared(1)).count == 1)
    let worst = try db.fetch(teams.including(Match.all.order(byColumn: "score").limit(1)))
    #expect(worst.map { $0.1.map(\.score) } == [[0], [0], [4], []])
    #expect(throws: QueryError.self) {
      try db.fetch(teams.including(Match.all.order(byColumn: "points").limit(1)))
    }
  }
}
