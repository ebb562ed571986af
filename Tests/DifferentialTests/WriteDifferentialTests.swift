import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Random inserts, upserts, updates and deletions, run by SQLite through the DSL and applied in
/// plain Swift to an array. The tables are compared after each.
@Suite("Random writes compared with a reference")
struct WriteDifferentialTests {
  @Test(
    "random writes leave the table as the reference has it",
    arguments: 0..<TestSize.count(small: 1, full: 4))
  func random(part: Int) throws {
    let seed = TestSeed.draw()
    let count = TestSize.count(small: 300, full: 1_200)
    var values = SampleValues(random: SeededGenerator(seed: seed &+ UInt64(part)))
    let db = try Database.inMemory(models: [Gamma.self])
    let database = try SampleDatabase(models: [], isFile: false)
    var table = WriteTable()
    var successes: [Bool: Int] = [:]
    for round in 0..<count {
      var writes = RandomWrites(table: table, database: database, values: values)
      let write = writes.next()
      values = writes.values
      let place = "seed \(seed), write \(round): \(write.text), before: \(table.rows)"
      let found = Result { try write.run(db) }
      switch (found, write.expected) {
      case (.failure(let error as DatabaseError), nil) where error.constraint?.kind != nil: break
      case (.failure(let error as DatabaseError), _) where error.constraint != nil && write.mayFail:
        break
      case (.failure(let error), _):
        Issue.record("\(place): throws \(error)")
        return
      case (.success(let found), nil):
        Issue.record("\(place): \(found) instead of a violated constraint")
        return
      case (.success(let found), let expected?):
        guard Self.agree(found, expected.written, expected.outcomes) else {
          Issue.record("\(place): \(found) instead of \(expected.written), \(expected.outcomes)")
          return
        }
        table = expected.table
      }
      successes[(try? found.get()) != nil, default: 0] += 1
      let rows = try db.fetch(Gamma.order(by: \.$id)).map(\.values)
      let expected = Self.sorted(table.rows)
      guard rows == expected else {
        Issue.record("\(place): the table has \(rows) instead of \(expected)")
        return
      }
    }
    // The test shows little unless writes often succeed and often fail. A small run is too short
    // for that.
    guard TestSize.current != .small else { return }
    #expect(successes[true] ?? 0 > count / 5 && successes[false] ?? 0 > count / 20, "seed \(seed)")
  }

  private static func agree(
    _ found: RandomWrite.Found, _ written: [WriteTable.Row], _ outcomes: [UpsertOutcome]
  ) -> Bool {
    switch found {
    case .count(let count): count == written.count
    case .outcomes(let found): found == outcomes
    case .rows(let rows): sorted(rows) == sorted(written)
    }
  }

  private static func sorted(_ rows: [WriteTable.Row]) -> [WriteTable.Row] {
    rows.sorted { RandomQuery.order($0, $1) < 0 }
  }
}
