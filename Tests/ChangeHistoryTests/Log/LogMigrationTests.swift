import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The change log in migrations")
struct LogMigrationTests {
  private enum Plain {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
    }
  }

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
      @Column var rank: Int?
      @Column var author: String?
      static var schema: Schema<Note> { Logged() }
    }
  }

  private func actions(_ plan: MigrationPlan) -> [MigrationPlan.Step.Action] {
    plan.steps.map(\.action)
  }

  private func triggers(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self,
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%log%' ORDER BY 1")
  }

  private static let names = ["delete", "insert", "key", "update"].map { "Note_log_\($0)" }

  @Test("a table that has rows is logged from now on, and an entry says that its past is missing")
  func begins() throws {
    let db = try Specification.database(models: [Plain.Note.self])
    try db.insert(Plain.Note(id: 7, title: "old"))
    let plan = try db.migrate([First.Note.self])
    #expect(actions(plan) == [.startLog])
    #expect("\(plan)".contains("+ log the changes"))
    #expect(try triggers(db) == Self.names)
    #expect(try db.migrationPlan(for: [First.Note.self]).steps.isEmpty)
    try db.insert(First.Note(id: 8, title: "new"))
    let entries = try db.log.entries()
    #expect(entries.map(\.gap) == ["Note", nil])
    #expect(entries[0].changes.isEmpty)
    // A new table has no past.
    #expect(try Specification.database(models: [First.Note.self]).log.entries().isEmpty)
  }

  @Test("added columns are logged, and the changes before them keep their columns")
  func adds() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "a"))
    let plan = try db.migrate([Second.Note.self])
    #expect(
      actions(plan) == [.stopLog, .addColumn("rank"), .addColumn("author"), .startLog], "\(plan)")
    try db.insert(Second.Note(id: 2, title: "b", rank: 3, author: "c"))
    let changes = try db.log.entries().flatMap { $0.changes(of: Second.Note.self) }
    #expect(
      changes.map(\.changedColumns) == [["id", "title"], ["id", "title", "rank", "author"]])
    #expect(try changes[1].new(\.$author) == "c")
    #expect(try changes[0].new(\.$author) == nil)
    #expect(try db.log.entries().allSatisfy { $0.gap == nil })
    #expect(try db.migrationPlan(for: [Second.Note.self]).steps.isEmpty)
  }

  @Test("a renamed table or column is logged under its new name")
  func renames() throws {
    struct Memo: Model {
      @PrimaryKey var id: Int
      @Column var headline: String
      static var schema: Schema<Memo> {
        Logged()
        RenamedTable(from: "Note")
        Renamed(\.$headline, from: "title")
      }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "a"))
    try db.migrate([Memo.self])
    #expect(try triggers(db).allSatisfy { $0.hasPrefix("Memo_log") })
    try db.execute("UPDATE Memo SET headline = 'b'")
    let entries = try db.log.entries()
    #expect(entries.map(Archive.summary) == [["inserted Note 1"], ["updated Memo 1 headline"]])
    #expect(try db.migrationPlan(for: [Memo.self]).steps.isEmpty)
  }

  @Test("a dropped column is no longer logged")
  func drops() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Note> {
        Logged()
        Dropped("rank")
        Dropped("author")
      }
    }
    let db = try Specification.database(models: [Second.Note.self])
    try db.insert(Second.Note(id: 1, title: "a", rank: 1))
    try db.migrate([Note.self])
    try db.execute("DELETE FROM Note")
    let changes = try db.log.entries().flatMap(\.changes)
    #expect(changes.map(\.changedColumns.count) == [4, 2])
    #expect(try db.migrationPlan(for: [Note.self]).steps.isEmpty)
  }

  @Test("a rebuilt table stays logged; if its values are converted, an entry says so")
  func rebuilds() throws {
    struct Checked: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Checked> {
        Logged()
        Check { $0.$id > 0 }
      }
    }
    struct Counted: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: Int
      static var schema: Schema<Counted> {
        Logged()
        Check { $0.$id > 0 }
        Converted(\.$title, from: String.self) { $0.count }
      }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "abc"))
    #expect(actions(try db.migrate([Checked.self])) == [.rebuildTable])
    try db.insert(First.Note(id: 2, title: "b"))
    #expect(try db.log.entries().count == 2)
    let plan = try db.migrate([Counted.self])
    #expect(actions(plan) == [.stopLog, .rebuildTable, .startLog], "\(plan)")
    try db.insert(Counted(id: 3, title: 9))
    let entries = try db.log.entries()
    #expect(entries.map(\.gap) == [nil, nil, "Note", nil])
    #expect(entries.map(\.changes.count) == [1, 1, 0, 1])
  }

  @Test("a log that is no longer declared is kept until a schema ends it")
  func ends() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Note> { NotLogged() }
    }
    let db = try Specification.database(models: [First.Note.self])
    for options in [MigrationOptions(), MigrationOptions(newerSchema: .replaced, schemaVersion: 2)]
    {
      let plan = try db.migrate([Plain.Note.self], options)
      #expect(actions(plan) == [.keepDeclaration("the change log")])
      #expect(plan.steps.first?.line == "NotLogged()")
      #expect(try triggers(db).count == 4)
    }
    #expect(actions(try db.migrate([Note.self])) == [.stopLog])
    #expect(try triggers(db).isEmpty)
    #expect(try db.migrationPlan(for: [Note.self]).steps.isEmpty)
    try db.insert(Note(id: 1, title: "a"))
    // Switched on again, the log says that something is missing.
    try db.migrate([First.Note.self], MigrationOptions(newerSchema: .replaced))
    #expect(try db.log.entries().map(\.gap) == ["Note"])
  }

  @Test("migrations of programs that do not use the log lose none of its entries")
  func strangers() throws {
    enum Changed {
      struct Memo: Model {
        @PrimaryKey var id: Int
        @Column var headline: String
        @Column var rank: Int?
        static var schema: Schema<Memo> {
          RenamedTable(from: "Note")
          Renamed(\.$headline, from: "title")
          Check { $0.$id > 0 }
        }
      }
      struct Logging: Model {
        static let tableName = "Memo"
        @PrimaryKey var id: Int
        @Column var headline: String
        @Column var rank: Int?
        static var schema: Schema<Logging> { Logged() }
      }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "a"))
    try db.migrate([Changed.Memo.self], MigrationOptions(schemaVersion: 3))
    try db.execute("UPDATE Memo SET headline = 'b'")
    try db.execute("INSERT INTO Memo VALUES (2, 'c', NULL)")
    // The triggers are the former ones: they know the former names, and not the added column.
    #expect(
      try db.log.entries().map(Archive.summary)
        == [["inserted Note 1"], ["updated Note 1 title"], ["inserted Note 2"]])
    // An entry says so when the log is declared again.
    try db.migrate([Changed.Logging.self])
    try db.insert(Changed.Logging(id: 3, headline: "d", rank: 1))
    let entries = try db.log.entries()
    #expect(entries.map(\.gap) == [nil, nil, nil, "Memo", nil])
    #expect(entries.map(\.schemaVersion) == [nil, 3, 3, 3, 3])
    #expect(entries.last?.changes.first?.changedColumns == ["id", "headline", "rank"])
  }

  @Test("a column of a log that no model declares is not dropped until a schema ends the log")
  func keepsColumns() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var author: String?
      static var schema: Schema<Note> { Dropped("rank") }
    }
    enum Ending {
      struct Note: Model {
        @PrimaryKey var id: Int
        @Column var title: String
        @Column var author: String?
        static var schema: Schema<Note> {
          Dropped("rank")
          NotLogged()
        }
      }
    }
    let db = try Specification.database(models: [Second.Note.self])
    let error = #expect(throws: MigrationError.self) { try db.migrate([Note.self]) }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(
      refusal.reason == "the column rank cannot be dropped while the change log refers to it")
    #expect(refusal.line == "NotLogged()")
    try db.insert(Second.Note(id: 1, title: "a", rank: 1))
    #expect(actions(try db.migrate([Ending.Note.self])) == [.stopLog, .dropColumn("rank")])
    #expect(try db.log.entries().count == 1)
  }

  @Test("a trigger that was dropped by hand is created again, with an entry that says so")
  func repairs() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.execute("DROP TRIGGER Note_log_update")
    try db.insert(First.Note(id: 1, title: "a"))
    try db.migrate([First.Note.self])
    #expect(try triggers(db) == Self.names)
    #expect(try db.log.entries().map(\.gap) == [nil, "Note"])
  }

  @Test("a trigger of another program that has the name is in the way")
  func taken() throws {
    let db = try Specification.database(models: [Plain.Note.self])
    try db.execute("CREATE TRIGGER note_LOG_insert AFTER DELETE ON Note BEGIN SELECT 1; END")
    let error = #expect(throws: MigrationError.self) { try db.migrate([First.Note.self]) }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(refusal.line == #"Dropped(trigger: "note_LOG_insert")"#)
    #expect(refusal.reason.contains("cannot be logged"))
  }

  @Test("an older program leaves the log of a newer one as it is")
  func older() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.migrate([Second.Note.self])
    let plan = try db.migrate([First.Note.self])
    #expect(actions(plan) == [.keepColumn("rank"), .keepColumn("author")], "\(plan)")
    #expect(try db.log.entries().isEmpty)
    try db.insert(First.Note(id: 1, title: "a"))
    let change = try #require(try db.log.entries().first?.changes.first)
    #expect(change.changedColumns == ["id", "title", "rank", "author"])
  }

  @Test("a column that another program added is logged from the next migration on, after a gap")
  func undeclared() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.execute("ALTER TABLE Note ADD COLUMN extra ANY")
    try db.execute("INSERT INTO Note VALUES (1, 'a', 1)")
    let plan = try db.migrate([First.Note.self])
    #expect(actions(plan) == [.stopLog, .keepColumn("extra"), .startLog], "\(plan)")
    #expect(try db.migrate([First.Note.self]).isEmpty)
    // The column stores every value as it is: 1 and 1.0 are equal, and not the same.
    for value in ["1.0", "'1.0'", "x'312E30'", "NULL"] {
      try db.execute("UPDATE Note SET extra = \(unsafe: value)")
    }
    try db.execute("DELETE FROM Note")
    let entries = try db.log.entries()
    #expect(entries.map(\.gap) == [nil, "Note"] + [String?](repeating: nil, count: 5))
    let changes = entries.flatMap(\.changes).filter { $0.kind == .updated }
    #expect(changes.map { $0.old("extra") } == [1, 1.0, "1.0", .blob(Data("1.0".utf8))])
    #expect(changes.last?.new("extra") == .some(.null))
    #expect(entries.last?.changes.first?.changedColumns == ["id", "title", "extra"])
  }

  @Test("two models of one table have one log, with the columns of both")
  func facets() throws {
    struct Rank: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var rank: Int?
    }
    let db = try Specification.database(models: [First.Note.self, Rank.self])
    try db.execute("INSERT INTO Note (id, title, rank) VALUES (1, 'a', 2)")
    let change = try #require(try db.log.entries().first?.changes(of: Rank.self).first)
    #expect(try change.new(\.$rank) == 2)
  }

  @Test("a model without a key, or a view, cannot be logged")
  func refused() throws {
    struct Line: TableModel {
      @Column var text: String
      static var schema: Schema<Line> { Logged() }
    }
    let error = #expect(throws: ModelError.self) { try Specification.database(models: [Line.self]) }
    #expect(error?.message.contains("key") == true)
    struct View: TableModel, SQLView {
      @Column var title: String
      static var definition: some Fetchable { Plain.Note.select(\.$title) }
      static var schema: Schema<View> { Logged() }
    }
    let problem = #expect(throws: ModelError.self) {
      try Specification.database(models: [Plain.Note.self, View.self])
    }
    #expect(problem?.message.contains("view") == true)
  }
}
