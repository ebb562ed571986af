import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained joins compared with fresh fetches")
struct JoinModelTests {
  @Test("after each transaction a join equals a fresh fetch, and the difference leads to it")
  func exact() async throws {
    let rounds = TestSize.count(small: 8, full: 40, long: 1_800)
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    var counts = (maintained: 0, checks: 0, fetches: 0)
    for round in 0..<rounds {
      var writes = JoinWrites(seed: random.next())
      let db = try Database.temporary(configuration: .relaxed)
      let schema = writes.schema()
      try await db.execute(SQL(unsafe: schema))
      for _ in 0..<20 { try? await db.execute(SQL(unsafe: writes.statement())) }
      var draws = JoinDraws(seed: random.next())
      var comparisons: [Comparison] = []
      for _ in 0..<10 { comparisons.append(try await draws.comparison(in: db)) }
      for comparison in comparisons { try await comparison.check("seed \(seed), round \(round)") }
      for unit in 0..<40 {
        let statements = writes.transaction()
        try await db.writeWithoutTransaction { connection in
          try connection.execute("BEGIN")
          for statement in statements { try? connection.execute(SQL(unsafe: statement)) }
          do { try connection.execute("COMMIT") } catch { try connection.execute("ROLLBACK") }
        }
        // Sometimes several commits lie between two checks.
        if writes.chance(30) { continue }
        for comparison in comparisons {
          try await comparison.check(
            "seed \(seed), round \(round), unit \(unit) of \(schema): \(statements)")
        }
        counts.checks += comparisons.count(where: { $0.isMaintained() })
      }
      counts.maintained += comparisons.count(where: { $0.isMaintained() })
      for comparison in comparisons where comparison.isMaintained() {
        counts.fetches += comparison.fetchCount()
      }
    }
    // Most of the queries must be those that this test is about, and must not be fetched instead.
    #expect(counts.maintained > 3 * rounds)
    #expect(counts.fetches < counts.checks / 3, "\(counts)")
  }
}

struct JoinPost: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var author: String?
  @Column var parent: Int64?
  @Column var title: String
  @Column var stars: Int
}

struct JoinWriter: Model, Equatable {
  @PrimaryKey var name: String
  @Column var team: Int64?
  @Column var score: Double?
  var id: String { name }
}

struct JoinTeam: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var title: String?
}

struct JoinMark: Model, Equatable {
  struct ID: Hashable, Sendable {
    var post: Int64
    var tag: String
  }
  @PrimaryKey var post: Int64
  @PrimaryKey var tag: String
  @Column var weight: Int
  var id: ID { ID(post: post, tag: tag) }
}

/// Random joins of the tables of `JoinWrites`.
private struct JoinDraws {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The parts of a query that are drawn.
  struct Draw {
    let filter: Int
    let order: Int
    let direction: SortDirection
    let nulls: NullOrder?
    let limit: Int?
    let offset: Int?
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func draw() -> Draw {
    let limit = number(0...2) == 0 ? number(0...12) : nil
    return Draw(
      filter: number(0...5), order: number(0...4),
      direction: number(0...1) == 0 ? .ascending : .descending,
      nulls: [nil, nil, .first, .last][number(0...3)], limit: limit,
      offset: number(0...3) == 0 ? number(0...4) : nil)
  }

  mutating func comparison(in db: Database) async throws -> Comparison {
    let draw = draw()
    switch number(0...8) {
    case 0: return try await compare("writer", draw, in: db, Self.writer)
    case 1: return try await compare("left writer", draw, in: db, Self.leftWriter)
    case 2: return try await compare("left team", draw, in: db, Self.leftTeam)
    case 3: return try await compare("writer, left team", draw, in: db, Self.mixed)
    case 4: return try await compare("posts of teams", draw, in: db, Self.teams)
    case 5: return try await compare("marks", draw, in: db, Self.marks)
    case 6: return try await compare("posts of marks", draw, in: db, Self.marked)
    case 7: return try await compare("parents", draw, in: db, Self.parents)
    default: return try await compare("all pairs", draw, in: db, Self.pairs)
    }
  }

  /// Only a maintained result has a certain order among rows that the query's order does not
  /// distinguish.
  private func compare<Row: Sendable>(
    _ name: String, _ draw: Draw, in db: Database,
    _ query: (Draw, _ sorted: Bool) -> Query<Row>
  ) async throws -> Comparison {
    let (own, sorted) = (query(draw, false), query(draw, true))
    let isMaintained = try await db.observe(own).explanation.isMaintained
    return Comparison(
      "\(name) \(draw)", isMaintained ? own : sorted, sorted: sorted, in: db)
  }

  /// Gives the query its limit.
  private static func limited<Row>(_ query: Query<Row>, _ draw: Draw) -> Query<Row> {
    query.limit(draw.limit).offset(draw.offset)
  }

  private static func writer(_ draw: Draw, sorted: Bool) -> Query<(Int64, String, Double?)> {
    limited(
      Query { (post: Columns<JoinPost>, writer: Columns<JoinWriter>) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        if draw.filter == 3 { Where { writer.$score == nil || post.$title == "b" } }
        if draw.filter == 4 { Where { writer.$team == 2 } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if draw.order == 3 { OrderBy(post.$stars * 2 + 1, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(post.$id, writer.$name, writer.$score)
      }, draw)
  }

  private static func leftWriter(
    _ draw: Draw, sorted: Bool
  ) -> Query<(Int64, String, Double?)> {
    limited(
      Query { (post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 1 } }
        if draw.filter == 2 { Where { writer.$score > 0 } }
        if draw.filter == 3 { Where { writer.$score == nil } }
        if draw.filter == 4 { Where { writer.$name == "a" || writer.$team == 1 } }
        if draw.filter == 5 { Where { post.$parent == nil } }
        if draw.order == 1 { OrderBy(writer.$name, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction) }
        if draw.order == 3 { OrderBy(post.$title.collated(.noCase), draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(post.$id, post.$title, writer.$score)
      }, draw)
  }

  private static func leftTeam(
    _ draw: Draw, sorted: Bool
  ) -> Query<(String, Double?, String?)> {
    limited(
      Query {
        (
          post: Columns<JoinPost>, writer: OptionalColumns<JoinWriter>,
          team: OptionalColumns<JoinTeam>
        ) in
        From(post)
        LeftJoin(writer, on: post.$author.equals(writer.$name))
        if draw.filter < 4 {
          LeftJoin(team, on: team.$id.equals(writer.$team))
        } else {
          // Teams also match posts without a writer.
          LeftJoin(team, on: team.$id.equals(post.$parent) && writer.$team == nil)
        }
        if draw.filter == 1 { Where { post.$stars < 3 } }
        if draw.filter == 2 { Where { team.$title == "a" } }
        if draw.filter == 3 { Where { team.$title == nil } }
        if draw.filter == 5 { Where { team.$title == "b" } }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(post.$title, writer.$score, team.$title)
      }, draw)
  }

  private static func mixed(_ draw: Draw, sorted: Bool) -> Query<(Int64, String?)> {
    limited(
      Query {
        (
          post: Columns<JoinPost>, writer: Columns<JoinWriter>,
          team: OptionalColumns<JoinTeam>
        ) in
        From(post)
        Join(writer, on: post.$author.equals(writer.$name) && post.$stars > 0)
        LeftJoin(team, on: team.$id.equals(writer.$team) && team.$title != "b")
        if draw.filter == 1 { Where { writer.$score < 2 } }
        if draw.filter == 2 { Where { team.$title.like("a%") } }
        if draw.filter == 3 { Where { post.$title.isIn(["a", "B"]) } }
        if draw.order == 1 { OrderBy(team.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(post.$stars, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(team.$id) }
        Select(post.$id, team.$title)
      }, draw)
  }

  private static func teams(_ draw: Draw, sorted: Bool) -> Query<(String?, String?, Int64?)> {
    limited(
      Query {
        (
          team: Columns<JoinTeam>, writer: OptionalColumns<JoinWriter>,
          post: OptionalColumns<JoinPost>
        ) in
        From(team)
        LeftJoin(writer, on: writer.$team.equals(team.$id))
        LeftJoin(post, on: post.$author.equals(writer.$name))
        if draw.filter == 1 { Where { post.$stars > 0 } }
        if draw.filter == 2 { Where { writer.$score > -1 } }
        if draw.filter == 3 { Where { team.$title != "b" } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(team.$title, draw.direction) }
        if sorted { OrderBy(team.$id) }
        if sorted { OrderBy(writer.$name) }
        if sorted { OrderBy(post.$id) }
        Select(team.$title, writer.$name, post.$id)
      }, draw)
  }

  private static func marks(_ draw: Draw, sorted: Bool) -> Query<(Int64, Int?)> {
    limited(
      Query { (post: Columns<JoinPost>, mark: OptionalColumns<JoinMark>) in
        From(post)
        LeftJoin(mark, on: mark.$post.equals(post.$id))
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.filter == 3 { Where { mark.$tag == nil } }
        if draw.order == 1 { OrderBy(mark.$weight, draw.direction, nulls: draw.nulls) }
        if draw.order == 2 { OrderBy(mark.$tag, draw.direction) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        Select(post.$id, mark.$weight)
      }, draw)
  }

  private static func marked(
    _ draw: Draw, sorted: Bool
  ) -> Query<(String, String, Double?)> {
    limited(
      Query {
        (
          mark: Columns<JoinMark>, post: Columns<JoinPost>,
          writer: OptionalColumns<JoinWriter>
        ) in
        From(mark)
        Join(post, on: post.$id == mark.$post)
        LeftJoin(writer, on: writer.$name.equals(post.$author))
        if draw.filter == 1 { Where { mark.$weight > 0 } }
        if draw.filter == 2 { Where { post.$stars > 1 } }
        if draw.filter == 3 { Where { writer.$score != nil } }
        if draw.order == 1 { OrderBy(post.$title, draw.direction) }
        if draw.order == 2 { OrderBy(writer.$score, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(mark.$post) }
        if sorted { OrderBy(mark.$tag) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(mark.$tag, post.$title, writer.$score)
      }, draw)
  }

  private static func parents(_ draw: Draw, sorted: Bool) -> Query<(Int64, Int64?)> {
    limited(
      Query { (post: Columns<JoinPost>, parent: OptionalColumns<JoinPost>) in
        From(post)
        LeftJoin(parent, on: parent.$id.equals(post.$parent))
        if draw.filter == 1 { Where { parent.$stars > 0 } }
        if draw.filter == 2 { Where { post.$stars > 0 } }
        if draw.order == 1 { OrderBy(parent.$title, draw.direction, nulls: draw.nulls) }
        if sorted { OrderBy(post.$id) }
        if sorted { OrderBy(parent.$id) }
        Select(post.$id, parent.$id)
      }, draw)
  }

  private static func pairs(_ draw: Draw, sorted: Bool) -> Query<(Int64, String)> {
    limited(
      Query { (team: Columns<JoinTeam>, writer: Columns<JoinWriter>) in
        From(team)
        CrossJoin(writer)
        if draw.filter == 1 { Where { writer.$team.equals(team.$id) } }
        if sorted { OrderBy(team.$id) }
        if sorted { OrderBy(writer.$name) }
        Select(team.$id, writer.$name)
      }, draw)
  }
}
