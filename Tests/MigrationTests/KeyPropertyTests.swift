import Foundation
import SQLCore
import TestRun
import Testing

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Random moves of a primary key")
struct KeyPropertyTests {
  static let moves = TestSize.count(small: 300, full: 1_000, long: 10_000)

  @Test("a table migrates and takes insertions with its new key, or the key is refused")
  func random() throws {
    let seed = TestSeed.draw()
    var refused = 0
    for number in 0..<Self.moves {
      var random = SeededGenerator(seed: seed &+ UInt64(number))
      let label = "seed \(seed) move \(number)"
      let old = table(using: &random)
      var new = table(using: &random)
      // Columns of the old key are dropped, undeclared or declared.
      for column in old.columns where !new.declares(column.name) && Bool.random(using: &random) {
        new.removals.insert(.column(column.name))
      }
      let db = try Database.inMemory()
      try db.migrate(Declarations(tables: [old], views: []), MigrationOptions())
      for row in 1...3 { try insert(row, into: old, db, using: &random) }
      let names = old.columns.map(\.name).filter { !new.removes(.column($0)) }
      let values: SQL = "SELECT \(unsafe: names.quotedList) FROM t ORDER BY a, b, c, d"
      let ordered = ["a", "b", "c", "d"].allSatisfy(names.contains)
      let before = ordered ? try db.rows(values).map(\.values) : []
      let declared = Declarations(tables: [new], views: [])
      do {
        try db.migrate(declared, MigrationOptions())
      } catch let error as MigrationError {
        try #require(!error.plan.refusals.isEmpty, "\(label) \(error)")
        refused += 1
        continue
      }
      if ordered { try #require(try db.rows(values).map(\.values) == before, "\(label)") }
      for row in 4...6 {
        do {
          try insert(row, into: new, db, using: &random)
        } catch {
          Issue.record("\(label)\n\(old)\n\(new)\n\(error)")
          return
        }
      }
      let again = try db.migrationPlan(for: declared, MigrationOptions())
      try #require(again.isEmpty, "\(label)\n\(again)")
    }
    // The test shows little unless many keys can move. About half of them can.
    #expect(refused < Self.moves * 3 / 4, "seed \(seed): \(refused)")
  }

  /// Makes four columns; some are dropped, and some are the key.
  private func table(using random: inout SeededGenerator) -> TableDefinition {
    let classes: [StorageClass] = [.integer, .text, .integer, .text]
    var columns: [TableDefinition.Column] = []
    for (name, storage) in zip(["a", "b", "c", "d"], classes) {
      columns.append(
        TableDefinition.Column(
          name, storage, isOptional: Int.random(in: 0..<3, using: &random) == 0))
    }
    let size = Int.random(in: 1...3, using: &random)
    let keys = columns.map(\.name).shuffled(using: &random).prefix(size)
    columns.removeAll { column in
      !keys.contains(column.name) && Int.random(in: 0..<3, using: &random) == 0
    }
    for index in columns.indices where keys.contains(columns[index].name) {
      let isCounted = keys.count == 1 && columns[index].storageClass == .integer
      columns[index].isOptional = isCounted && columns[index].isOptional
    }
    let isLean = Int.random(in: 0..<3, using: &random) == 0
    let isCounted = columns.contains { keys.contains($0.name) && $0.isOptional }
    return TableDefinition(
      "t", columns: columns, keyNames: Array(keys), isWithoutRowID: isCounted ? false : isLean)
  }

  /// Inserts a row as the library does: it sets the declared columns and leaves an assigned key to
  /// the database.
  private func insert(
    _ row: Int, into table: TableDefinition, _ db: Database, using random: inout SeededGenerator
  ) throws {
    var columns = table.columns
    if table.hasRowIDKey { columns.removeAll { table.isKey($0.name) && $0.isOptional } }
    let values = columns.map { $0.storageClass == .integer ? "\(row)" : "'\(row)'" }
    try db.execute(
      columns.isEmpty
        ? "INSERT INTO t DEFAULT VALUES"
        : "INSERT INTO t (\(unsafe: columns.map(\.name).quotedList)) VALUES (\(unsafe: values.joined(separator: ", ")))"
    )
  }
}
