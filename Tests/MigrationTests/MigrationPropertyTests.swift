import Foundation
import SQLCore
import TestRun
import Testing

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Random pairs of schemas with random data")
struct MigrationPropertyTests {
  static let pairs = TestSize.count(small: 240, full: 2_400, long: 20_000)

  @Test("a migration keeps every value of a column that stays, and gives the declared schema")
  func random() throws {
    let seed = TestSeed.draw()
    var outcome = Outcome()
    for number in 0..<Self.pairs {
      var random = SeededGenerator(seed: seed &+ UInt64(number))
      try check(using: &random, &outcome, "seed \(seed) pair \(number)")
    }
    // The test shows little unless most pairs can be migrated and many need a rebuild. A small run
    // is too short for that.
    guard TestSize.current != .small else { return }
    #expect(outcome.refused < Self.pairs / 3, "seed \(seed): \(outcome)")
    #expect(outcome.rebuilt > Self.pairs / 4, "seed \(seed): \(outcome)")
    #expect(outcome.values > Self.pairs * 5, "seed \(seed): \(outcome)")
  }

  struct Outcome {
    var refused = 0
    var rebuilt = 0
    var values = 0
  }

  private func check(
    using random: inout SeededGenerator, _ outcome: inout Outcome, _ label: String
  ) throws {
    let old = RandomSchema(using: &random)
    let new = old.changed(using: &random)
    let db = try Database.inMemory()
    try db.migrate(Declarations(old), MigrationOptions())
    try fill(db, old, using: &random)
    try db.execute("CREATE VIEW others AS SELECT 1; CREATE TABLE alone (x)")
    try db.execute("INSERT INTO alone VALUES (1)")
    let before = try contents(of: db, old)
    let schemaBefore = try signature(of: db)
    let plan: MigrationPlan
    // Three migrations in four ask for zeros in new columns without a default.
    let asksForZeros = Int.random(in: 0..<4, using: &random) > 0
    let options = MigrationOptions(
      missingDefaults: asksForZeros ? .zeroOrEmpty : .refused, newerSchema: .replaced)
    do {
      plan = try db.migrate(Declarations(new), options)
    } catch let error as MigrationError where !error.plan.refusals.isEmpty {
      outcome.refused += 1
      try #require(error.plan.refusals.allSatisfy { $0.line != nil }, "\(label)\n\(error)")
      try #require(try signature(of: db) == schemaBefore, "\(label)\n\(error)")
      try #require(try contents(of: db, old) == before, "\(label)\n\(error)")
      return
    } catch {
      let plan = try? db.migrationPlan(for: Declarations(new), options)
      throw Failed(label: label, plan: plan, error: error)
    }
    if plan.steps.contains(where: { $0.action == .rebuildTable }) { outcome.rebuilt += 1 }
    try compare(
      try contents(of: db, new), before, old, new, &outcome, "\(label)\n\(plan)")

    let fresh = try Database.inMemory()
    try fresh.migrate(Declarations(new.withoutPast), MigrationOptions())
    try fresh.execute("CREATE VIEW others AS SELECT 1; CREATE TABLE alone (x)")
    try #require(
      try signature(of: db, new) == (try signature(of: fresh, new)), "\(label)\n\(plan)")
    let again = try db.migrationPlan(for: Declarations(new), options)
    try #require(again.steps.isEmpty, "\(label)\n\(plan)\nagain:\n\(again)")
    try #require(try db.rows("PRAGMA foreign_key_check").isEmpty, "\(label)\n\(plan)")
    // SQLite 3.40 looks for NULL in the wrong column of a WITHOUT ROWID table whose key is not its
    // first column. The values were compared above.
    let faults = try db.rows("PRAGMA integrity_check").map { try $0.get(String.self, at: 0) }
      .filter { $0 != "ok" && !$0.hasPrefix("NULL value in ") }
    try #require(faults.isEmpty, "\(faults)\n\(label)\n\(plan)")
    try #require(try db.row("SELECT count(*) FROM alone")?[0] == .integer(1), "\(label)")
  }

  struct Failed: Error, CustomStringConvertible {
    let label: String
    let plan: MigrationPlan?
    let error: any Error
    var description: String { "\(label)\n\(plan.map(\.description) ?? "")\n\(error)" }
  }

  // MARK: Data

  private func fill(
    _ db: Database, _ schema: RandomSchema, using random: inout SeededGenerator
  ) throws {
    var random2 = random
    try db.write { connection in
      try connection.execute("PRAGMA defer_foreign_keys = ON")
      for table in schema.tables {
        for tag in 1...Int.random(in: 1...12, using: &random2) {
          let names = table.columns.map { Identifier($0.name).quoted }.joined(separator: ", ")
          var sql: SQL = "INSERT INTO \(identifier: table.name) (\(unsafe: names)) VALUES ("
          for (index, column) in table.columns.enumerated() {
            let value =
              column.name == "tag"
              ? .integer(Int64(tag)) : value(of: column, in: table, using: &random2)
            sql.append(index == 0 ? "\(value)" : ", \(value)")
          }
          try connection.execute(sql + ")")
        }
      }
    }
    random = random2
  }

  private func value(
    of column: TableDefinition.Column, in table: TableDefinition,
    using random: inout SeededGenerator
  ) -> DatabaseValue {
    if column.isOptional, Int.random(in: 0..<6, using: &random) == 0 { return .null }
    if table.foreignKeys.contains(where: { $0.columns == [column.name] }) { return .integer(1) }
    let number = Int.random(in: 0...9, using: &random)
    let isPlain = Int.random(in: 0..<20, using: &random) > 0
    switch column.storageClass {
    case .integer: return .integer(isPlain ? Int64(number) : .max)
    case .real: return .real(isPlain ? Double(number) : 0.1)
    case .text: return .text(isPlain ? "\(number)" : "a\u{0}é")
    case .blob, .null: return .blob(isPlain ? Data("\(number)".utf8) : Data([0xFF, 0]))
    }
  }

  /// Returns the rows of each table by their tag, each as its values by column name.
  private func contents(
    of db: Database, _ schema: RandomSchema
  ) throws -> [String: [DatabaseValue: [String: DatabaseValue]]] {
    var contents: [String: [DatabaseValue: [String: DatabaseValue]]] = [:]
    for table in schema.tables {
      for row in try db.rows("SELECT * FROM \(identifier: table.name)") {
        let pairs = zip(row.columnNames, row.values)
        contents[table.name, default: [:]][row["tag"] ?? .null] =
          Dictionary(pairs) { first, _ in first }
      }
    }
    return contents
  }

  private func compare(
    _ after: [String: [DatabaseValue: [String: DatabaseValue]]],
    _ before: [String: [DatabaseValue: [String: DatabaseValue]]], _ old: RandomSchema,
    _ new: RandomSchema, _ outcome: inout Outcome, _ label: String
  ) throws {
    for table in new.tables {
      let formerName = table.formerNames.first ?? table.name
      guard let former = old.tables.first(where: { $0.name == formerName }) else { continue }
      let rows = try #require(after[table.name], "\(label)")
      let oldRows = try #require(before[formerName], "\(label)")
      try #require(rows.count == oldRows.count, "\(label)")
      for column in table.columns {
        let renaming = table.renamedColumns.first { $0.name == column.name }
        let formerColumn = renaming?.from ?? column.name
        guard former.column(formerColumn) != nil else { continue }
        for (tag, row) in rows {
          let oldValue = try #require(oldRows[tag]?[formerColumn], "\(label)")
          let value = try #require(row[column.name], "\(label)")
          try #require(
            value == converted(oldValue, to: column.storageClass),
            "\(table.name).\(column.name) was \(oldValue)\n\(label)")
          outcome.values += 1
        }
      }
    }
  }

  /// Converts a value to another storage class in Swift.
  private func converted(_ value: DatabaseValue, to storage: StorageClass) -> DatabaseValue {
    switch (value, storage) {
    case (.integer(let number), .real): .real(Double(number))
    case (.integer(let number), .text): .text(String(number))
    case (.real(let number), .integer): Int64(exactly: number).map { .integer($0) } ?? .null
    case (.real(let number), .text): .text(String(number))
    case (.text(let text), .integer): Int64(text).map { .integer($0) } ?? .null
    case (.text(let text), .real): Double(text).map { .real($0) } ?? .null
    case (.text(let text), .blob): .blob(Data(text.utf8))
    case (.blob(let data), .text): .text(String(decoding: data, as: UTF8.self))
    default: value
    }
  }

  // MARK: Schemas

  /// Describes a schema without the order of columns. A zero that ALTER TABLE had to give a new
  /// column as its default does not count, unless models declare or drop it.
  private func signature(of db: Database, _ declared: RandomSchema? = nil) throws -> [String] {
    try db.read { connection in
      let schema = try ExistingSchema(of: connection)
      var lines: [String] = []
      for entry in schema.entries where entry.kind == .index && entry.sql != nil {
        lines.append("index \(entry.name) \(entry.sql?.normalSQL ?? [])")
      }
      for entry in schema.entries where entry.kind == .table && entry.name != "apus_schema" {
        guard let table = try schema.table(entry.name) else { continue }
        for column in table.columns {
          let line = declared?.tables.first { $0.name == entry.name }
          let isZero =
            ["0", "0.0", "''", "x''"].contains(column.defaultText) && column.isNotNull
            && line?.column(column.name)?.defaultSQL == nil
            && line?.removes(.attribute(column: column.name, .default)) == false
          lines.append(
            "\(entry.name).\(column.name) \(column.type) \(column.isNotNull) "
              + "\(isZero ? "" : column.defaultText ?? "") \(column.collation ?? "")")
        }
        for constraint in table.constraints {
          // The reference of an added column is a column constraint with the same meaning.
          lines.append("\(entry.name) \(constraint.text.normalSQL)")
        }
        lines.append(
          "\(entry.name) \(table.key.columns) \(table.isStrict) \(table.isWithoutRowID)")
      }
      return lines.sorted()
    }
  }
}

extension Declarations {
  fileprivate init(_ schema: RandomSchema) {
    self.init(tables: schema.tables, views: [])
  }
}

extension RandomSchema {
  /// The same tables without renamings and removals.
  fileprivate var withoutPast: RandomSchema {
    var schema = self
    for index in tables.indices {
      schema.tables[index].removals = []
      schema.tables[index].renamedColumns = []
      schema.tables[index].formerNames = []
    }
    return schema
  }
}
