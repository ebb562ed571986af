import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Migrations that must end with a report")
struct MigrationEndTests {
  private enum First {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
    }
  }

  private enum Second {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var stars: Int?
    }
  }

  @Test("a step that requests a rollback ends the migration with an error")
  func rollback() throws {
    let db = try Specification.database(models: [First.Note.self])
    let step = MigrationStep("undecided") { try $0.requestRollback() }
    #expect(throws: (any Error).self) {
      _ = try Specification.reopen(
        db, models: [Second.Note.self], migration: MigrationOptions(steps: [step]))
    }
  }

  private enum Third {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var name: String?
    }
  }

  @Test("the greatest schema version of a file does not stop an older program")
  func greatestVersion() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.migrate([Second.Note.self], MigrationOptions(schemaVersion: .max))
    let options = MigrationOptions(schemaVersion: 1)
    let plan = try db.migrationPlan(for: [Third.Note.self], options)
    #expect(plan.steps.contains { "\($0)".contains("\(Int.max)") })
  }
}
