import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures

/// The number of values that were read, over all threads.
private let countedValues = Atomic(0)

/// A number that counts each time one is read.
private struct CountedValue: ColumnValue, Equatable {
  let number: Int64

  static var storageClass: StorageClass { .integer }
  init(number: Int64) { self.number = number }

  init(_ cell: borrowing Cell) throws {
    number = try cell.integer()
    countedValues.wrappingAdd(1, ordering: .relaxed)
  }

  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(number) }
}

private struct Counted: Model {
  @PrimaryKey var id: Int
  @Column var value: CountedValue
}

@Suite("How far a stream reads ahead", .serialized)
struct RowStreamBackPressureTests {
  @Test("a stream holds at most three batches of rows")
  func backPressure() async throws {
    let db = try Specification.database(models: [Counted.self])
    try await db.insert(
      (1...20_000).map { Counted(id: $0, value: CountedValue(number: Int64($0))) })
    countedValues.store(0, ordering: .relaxed)
    var given = 0
    var mostAhead = 0
    for try await _ in db.stream(Counted.all) {
      given += 1
      // This gives the reading ahead every chance to run.
      await Task.yield()
      mostAhead = max(mostAhead, countedValues.load(ordering: .relaxed) - given)
    }
    #expect(given == 20_000)
    // One batch is iterated over, and two are waiting.
    #expect(mostAhead <= 3 * 1_024)
  }

  @Test("large rows end a batch before it has many rows", arguments: [1 << 20, 3 << 20])
  func largeRows(byteCount: Int) async throws {
    let db = try Specification.database(models: [Counted.self])
    countedValues.store(0, ordering: .relaxed)
    // The byte limit of a batch also counts the bytes of the second column.
    var given = 0
    for try await (_, bytes) in db.stream(
      (CountedValue, Data).self,
      """
      WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 64)
      SELECT value, zeroblob(\(byteCount)) FROM n
      """)
    {
      given += 1
      #expect(bytes.count == byteCount)
      await Task.yield()
      #expect(countedValues.load(ordering: .relaxed) - given <= 8)
    }
    #expect(given == 64)
  }
}
