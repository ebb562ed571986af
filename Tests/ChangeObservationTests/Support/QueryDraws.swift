import Foundation
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

  init(using random: inout some RandomNumberGenerator) {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    // Small limits leave most rows beyond them.
    limit = number(0...1) == 0 ? number(0...(number(0...1) == 0 ? 4 : 12)) : nil
    filter = number(0...5)
    order = number(0...4)
    direction = number(0...1) == 0 ? .ascending : .descending
    nulls = [nil, nil, .first, .last][number(0...3)]
    offset = number(0...3) == 0 ? number(0...4) : nil
  }

  /// Gives the query its limit.
  func limited<Row>(_ query: Query<Row>) -> Query<Row> {
    query.limit(limit).offset(offset)
  }

  /// Gives the query its limit.
  func limited<M, Row>(_ query: TableQuery<M, Row>) -> TableQuery<M, Row> {
    query.limit(limit).offset(offset)
  }
}

/// A query over the tables of `JoinWrites` with some parts that are drawn.
///
/// Only a maintained result has a certain order among rows that the query's order does not
/// distinguish. Others, and fresh fetches, are ordered by the keys as well: `sorted`.
struct DrawnQuery: Sendable {
  let compare: @Sendable (QueryDraw, Database) async throws -> Comparison

  init<Row: Sendable>(
    _ name: String, _ query: @escaping @Sendable (QueryDraw, _ sorted: Bool) -> Query<Row>
  ) {
    compare = { draw, db in
      let (own, sorted) = (query(draw, false), query(draw, true))
      let isMaintained = try await db.observe(own).explanation.isMaintained
      return Comparison(
        "\(name) \(draw)", isMaintained ? own : sorted, sorted: sorted, in: db)
    }
  }

  init<M, each Part>(
    _ name: String,
    _ query: @escaping @Sendable (QueryDraw, _ sorted: Bool) -> Including<M, repeat each Part>
  ) {
    compare = { draw, db in
      let (own, sorted) = (query(draw, false), query(draw, true))
      let isMaintained = try await db.observe(own).explanation.isMaintained
      return Comparison(
        "\(name) \(draw)", LiveSource((isMaintained ? own : sorted)._included), in: db
      ) { try $0.fetch(sorted) }
    }
  }
}

/// The number of results that were compared with fresh fetches.
struct ComparisonCounts {
  /// The number of queries that were maintained.
  var maintained = 0
  /// The number of times that one of these was compared.
  var checks = 0
  /// The number of times that one of these was fetched as a whole.
  var fetches = 0
}

/// Compares random queries with fresh fetches after random transactions: of this database by raw SQL
/// and by models, of another connection, and of another process.
func compareDrawn(_ queries: [DrawnQuery], rounds: Int) async throws {
  let seed = TestSeed.draw()
  var random = SeededGenerator(seed: seed)
  var counts = ComparisonCounts()
  // `APUS_FIRST_ROUND` begins at the round in which a seed found a fault.
  let first = ProcessInfo.processInfo.environment["APUS_FIRST_ROUND"].flatMap(Int.init) ?? 0
  for round in 0..<rounds {
    guard round >= first else {
      _ = random.next()
      for _ in 0..<10 { _ = (queries.randomElement(using: &random), QueryDraw(using: &random)) }
      continue
    }
    try await compareDrawn(queries, &random, &counts, "seed \(seed), round \(round)")
  }
  // Without the hook, all queries run again.
  guard SQLiteLibrary.Feature.preUpdateHook.isAvailable else { return }
  // Most of the queries must be those that the test is about, and must not be fetched instead.
  #expect(counts.maintained > 3 * (rounds - first), "\(counts)")
  #expect(counts.fetches < counts.checks / 3, "\(counts)")
}

private func compareDrawn(
  _ queries: [DrawnQuery], _ random: inout SeededGenerator, _ counts: inout ComparisonCounts,
  _ place: String
) async throws {
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
  var comparisons: [Comparison] = []
  for _ in 0..<10 {
    let query = try #require(queries.randomElement(using: &random))
    comparisons.append(try await query.compare(QueryDraw(using: &random), db))
  }
  for comparison in comparisons { try await comparison.check(place) }
  for unit in 0..<40 {
    let place = "\(place), unit \(unit) of \(schema)"
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
