import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// The parts of a query that are drawn.
struct QueryDraw {
  let filter: Int
  let order: Int
  let direction: SortDirection
  let nulls: NullOrder?
  let limit: Int?
  let offset: Int?

  /// Gives the query its limit.
  func limited<Row>(_ query: Query<Row>) -> Query<Row> {
    query.limit(limit).offset(offset)
  }
}

/// Random queries over the tables of `JoinWrites`.
protocol QueryDraws {
  init(seed: UInt64)
  var random: SeededGenerator { get set }
  mutating func comparison(in db: Database) async throws -> Comparison
}

extension QueryDraws {
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  mutating func draw() -> QueryDraw {
    let limit = number(0...2) == 0 ? number(0...12) : nil
    return QueryDraw(
      filter: number(0...5), order: number(0...4),
      direction: number(0...1) == 0 ? .ascending : .descending,
      nulls: [nil, nil, .first, .last][number(0...3)], limit: limit,
      offset: number(0...3) == 0 ? number(0...4) : nil)
  }

  /// Only a maintained result has a certain order among rows that the query's order does not
  /// distinguish.
  func compare<Row: Sendable>(
    _ name: String, _ draw: QueryDraw, in db: Database,
    _ query: (QueryDraw, _ sorted: Bool) -> Query<Row>
  ) async throws -> Comparison {
    let (own, sorted) = (query(draw, false), query(draw, true))
    let isMaintained = try await db.observe(own).explanation.isMaintained
    return Comparison(
      "\(name) \(draw)", isMaintained ? own : sorted, sorted: sorted, in: db)
  }

  /// Compares random queries with fresh fetches after random transactions: of this database by raw
  /// SQL and by models, and of another connection.
  ///
  /// Returns how many of the queries were maintained, how often these were compared, and how often
  /// they were fetched.
  static func check(
    rounds: Int
  ) async throws -> (maintained: Int, checks: Int, fetches: Int) {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    var counts = (maintained: 0, checks: 0, fetches: 0)
    for round in 0..<rounds {
      var writes = JoinWrites(seed: random.next())
      var configuration = Configuration.relaxed
      // Then even small tables have rows that are not held.
      configuration.liveReserve = writes.chance(50) ? 1 : 32
      // An automatic index has a Bloom filter, which SQLite 3.40 computes from the length of a text.
      // With RTRIM, a fresh fetch would then lack rows whose texts are equal but not equally long.
      configuration.prepareConnection = { try $0.execute("PRAGMA automatic_index = OFF") }
      let db = try Database.temporary(configuration: configuration)
      let schema = writes.schema()
      try await db.execute(SQL(unsafe: schema))
      for _ in 0..<20 { try? await db.execute(SQL(unsafe: writes.statement())) }
      var draws = Self(seed: random.next())
      var comparisons: [Comparison] = []
      for _ in 0..<10 { comparisons.append(try await draws.comparison(in: db)) }
      for comparison in comparisons { try await comparison.check("seed \(seed), round \(round)") }
      for unit in 0..<40 {
        let place = "seed \(seed), round \(round), unit \(unit) of \(schema)"
        let statements = writes.transaction()
        if writes.chance(5) { try writes.changeElsewhere(db) }
        try await db.writeWithoutTransaction { connection in
          try connection.execute("BEGIN")
          for statement in statements { try? connection.execute(SQL(unsafe: statement)) }
          do { try connection.execute("COMMIT") } catch { try connection.execute("ROLLBACK") }
        }
        if writes.chance(20) { try await writes.writeModels(in: db) }
        // Sometimes several commits lie between two checks.
        if writes.chance(30) { continue }
        for comparison in comparisons { try await comparison.check("\(place): \(statements)") }
        counts.checks += comparisons.count(where: { $0.isMaintained() })
      }
      counts.maintained += comparisons.count(where: { $0.isMaintained() })
      for comparison in comparisons where comparison.isMaintained() {
        counts.fetches += comparison.fetchCount()
      }
    }
    return counts
  }
}
