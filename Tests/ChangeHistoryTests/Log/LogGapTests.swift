import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("A conversion of a logged table beside a step of the user's own")
struct LogGapWithStepTests {
  private enum First {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Note> { Logged() }
    }
  }

  private enum Second {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Note> {
        Logged()
        Converted(\.$title, from: String.self) { "new " + $0 }
      }
    }
  }

  /// Passes for `.before` and without a step; fails for `.after`, the default moment.
  @Test("the log says that values were changed without triggers", arguments: [nil, "step"])
  func gap(step: String?) throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "a"))
    let steps = step.map { [MigrationStep($0) { _ in }] } ?? []
    try db.migrate([Second.Note.self], MigrationOptions(steps: steps))
    let found = try db.row("SELECT title FROM Note")?[0]
    #expect(found == "new a")
    let found2 = try db.log.entries().map(\.gap)
    #expect(found2 == [nil, "Note"])
  }
}
