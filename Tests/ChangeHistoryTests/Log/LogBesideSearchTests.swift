import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The change log beside a full-text index and other triggers")
struct LogBesideSearchTests {
  private enum Searched {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var edits = 0
      static var schema: Schema<Note> {
        FullText(\.$title)
        Trigger("count", after: .update(of: \.$title)) { _, new in
          Note.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        }
      }
    }
  }

  private enum Both {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var edits = 0
      static var schema: Schema<Note> {
        FullText(\.$title)
        Logged()
        Trigger("count", after: .update(of: \.$title)) { _, new in
          Note.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        }
      }
    }
  }

  @Test("both follow every write, whether they were declared together or one after the other")
  func together() throws {
    let together = try Specification.database(models: [Both.Note.self])
    let later = try Specification.database(models: [Searched.Note.self])
    try later.migrate([Both.Note.self])
    for db in [together, later] {
      #expect(try db.migrationPlan(for: [Both.Note.self]).steps.isEmpty)
      try db.insert(Both.Note(id: 1, title: "swift birds"))
      try db.execute("UPDATE Note SET title = 'common swift' WHERE id = 1")
      try db.execute("REPLACE INTO Note (id, title, edits) VALUES (1, 'swallow', 0)")
      #expect(try db.count(Both.Note.search("swallow")) == 1)
      #expect(try db.count(Both.Note.search("swift")) == 0)
      #expect(try db.checkSearchIndex(of: Both.Note.self))
      let entries = try db.log.entries().filter { $0.gap == nil }
      #expect(entries.map { $0.changes.count } == [1, 1, 1])
      let update = entries[1].changes(of: Both.Note.self).first
      #expect(update?.changedColumns.sorted() == ["edits", "title"])
    }
  }
}
