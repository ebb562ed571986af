import Apus
import ApusAnalytics
import Foundation
import Testing

/// The seed of `APUS_SEED`, or a new one, which is printed.
private func drawSeed() -> UInt64 {
  let seed =
    ProcessInfo.processInfo.environment["APUS_SEED"].flatMap(UInt64.init)
    ?? .random(in: .min ... .max)
  print("APUS_SEED=\(seed)")
  return seed
}

@Suite("Random typed queries, in SQLite and in DuckDB", .enabled(if: hasDuckDB))
struct DifferentialTests {
  @Test("the rows are the same")
  func random() throws {
    let seed = drawSeed()
    var values = RandomValues(random: SeededGenerator(seed: seed))
    let size = ProcessInfo.processInfo.environment["APUS_TEST_SIZE"]
    let goal = size == "long" ? 5_000 : 150
    let test = try TestDatabase()
    defer { test.remove() }
    var failures = 0
    for number in 0..<goal {
      if number.isMultiple(of: 50) {
        try refill(test, &values, isFirst: number == 0)
      }
      var queries = RandomQueries(values: values, source: test.db, copy: test.analytics.database)
      let query = queries.next()
      values = queries.values
      if case .failure = query.here { failures += 1 }
      guard let difference = query.difference else { continue }
      Issue.record("seed \(seed), query \(number): \(query.sql): \(difference)")
      return
    }
    print("compared \(goal) queries, seed \(seed); \(failures) fail in SQLite")
    #expect(failures * 20 < goal, "seed \(seed)")
  }

  /// Writes other rows, which the copy follows by the change log.
  private func refill(_ test: TestDatabase, _ values: inout RandomValues, isFirst: Bool) throws {
    let sales = (0..<values.below(30)).map { values.sale($0) }
    let stores = (0..<4).map { values.store($0) }
    try test.db.write { connection in
      try connection.run(Sale.delete())
      try connection.run(Store.delete())
      try connection.insert(sales)
      try connection.insert(stores)
    }
    if isFirst {
      try test.analytics.copy(Sale.self, Store.self, from: test.db)
    } else {
      try test.analytics.update(from: test.db)
    }
  }
}
