import Foundation
import SQLCore
import TestRun
import Testing

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Random schemas of other programs, and random models over them")
struct ForeignSchemaPropertyTests {
  static let schemas = TestSize.count(small: 250, full: 1_000, long: 10_000)

  @Test(
    "opening a database either migrates it, or refuses with a plan and leaves the file unchanged")
  func random() throws {
    let seed = TestSeed.draw()
    var migrated = 0
    for number in 0..<Self.schemas {
      var random = SeededGenerator(seed: seed &+ UInt64(number))
      let label = "seed \(seed) schema \(number)"
      let db = try Database.inMemory()
      let foreign = ForeignSchema(using: &random)
      try foreign.make(in: db)
      let tables = foreign.models(using: &random)
      let declared = Declarations(tables: Declarations.tables(of: tables), views: [])
      let before = try Self.contents(of: db)
      let faultsBefore = Self.faults(of: db)
      var options = MigrationOptions()
      if Int.random(in: 0..<4, using: &random) == 0 { options.checksValues = true }
      do {
        let plan = try db.migrate(declared, options)
        migrated += plan.isEmpty ? 0 : 1
        // Nothing remains to be done, and the views and triggers that worked before still work.
        let again = try db.migrationPlan(for: declared, MigrationOptions())
        try #require(again.isEmpty, "\(label)\n\(before)\n\(plan)\nagain:\n\(again)")
        let faults = Self.faults(of: db).subtracting(faultsBefore)
        try #require(faults.isEmpty, "\(label)\n\(before)\n\(plan)\n\(faults)")
      } catch let error as MigrationError {
        try #require(
          !error.plan.refusals.isEmpty || error.reason != nil, "\(label)\n\(before)\n\(error)")
        try #require(error.plan.refusals.allSatisfy { $0.line != nil }, "\(label)\n\(error)")
        try #require(try Self.contents(of: db) == before, "\(label)\n\(error)")
      } catch {
        let plan = try? db.migrationPlan(for: declared, options)
        Issue.record("\(label)\n\(before)\n\(plan?.description ?? "no plan")\n\(error)")
        return
      }
    }
    // The test shows little unless many schemas can be migrated.
    #expect(migrated > Self.schemas / 20, "seed \(seed): \(migrated)")
  }

  /// Returns the findings of SQLite's integrity check, which itself fails if a generated column
  /// refers to itself. CREATE TABLE accepts such a column.
  ///
  /// In a table WITHOUT ROWID whose key does not come first, SQLite 3.40 checks the type of a
  /// column with the value of another one, so that these findings say nothing.
  private static func faults(of db: Database) -> Set<String> {
    do {
      let misread = try db.rows("SELECT 1 FROM pragma_table_list WHERE wr")
      let lines = try db.rows("PRAGMA integrity_check").map { try $0.get(String.self, at: 0) }
      return Set(
        lines.filter { line in
          let isAboutValue = line.drop { $0 != " " }.hasPrefix(" value in ")
          return line != "ok" && (misread.isEmpty || !isAboutValue)
        })
    } catch let error as DatabaseError where error.message.hasPrefix("generated column loop on ") {
      // The check ends at the first such column. If that is dropped, it ends at the next.
      return ["a generated column loop"]
    } catch {
      return ["\(error)"]
    }
  }

  /// Returns the whole content of a file as text.
  private static func contents(of db: Database) throws -> String {
    try db.read { connection in
      var lines: [String] = []
      let entries = try connection.rows(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2")
      for entry in entries {
        lines.append("\(entry.values)")
        guard try entry.get(String.self, at: 0) == "table" else { continue }
        let name = try entry.get(String.self, at: 1)
        // A table whose generated columns refer to each other in a circle cannot be read.
        let rows = (try? connection.rows("SELECT * FROM \(identifier: name)")) ?? []
        for row in rows {
          lines.append("  \(row.values)")
        }
      }
      return lines.joined(separator: "\n")
    }
  }
}
