import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Full-text indexes in migrations")
struct SearchMigrationTests {
  private typealias Plain = Versions.Plain
  private typealias First = Versions.First
  private typealias Second = Versions.Second

  private func keys(_ db: Database, _ pattern: String) throws -> [Int] {
    try Library.keys(db, pattern, in: "Note_search")
  }

  private func objects(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self,
      "SELECT name FROM sqlite_schema WHERE name LIKE '%search%' AND name NOT LIKE 'sqlite%' ORDER BY 1"
    )
  }

  @Test("an index of an existing table is filled from its rows")
  func fills() throws {
    let db = try Specification.database(models: [Plain.Note.self])
    try db.insert(Plain.Note(id: 7, title: "swift", body: "old"))
    let plan = try db.migrate([First.Note.self])
    #expect(Library.actions(plan) == [.createSearchIndex("Note_search")])
    #expect(try keys(db, "swift") == [7])
    #expect(try db.checkSearchIndex(of: First.Note.self))
    #expect(try db.migrationPlan(for: [First.Note.self]).steps.isEmpty)
  }

  @Test("an index with another declaration is dropped first and created last, in one transaction")
  func changed() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "searching", body: "swift"))
    let plan = try db.migrate([Second.Note.self])
    #expect(
      Library.actions(plan) == [.dropSearchIndex("Note_search"), .createSearchIndex("Note_search")])
    #expect(try keys(db, "search AND swift") == [1])
    #expect(try db.checkSearchIndex(of: Second.Note.self))
    #expect(try db.migrationPlan(for: [Second.Note.self]).steps.isEmpty)

    struct Failure: Error {}
    let options = MigrationOptions(steps: [MigrationStep("fails", .last) { _ in throw Failure() }])
    #expect(throws: Failure.self) {
      try db.migrate([First.Note.self], options)
    }
    #expect(try db.migrationPlan(for: [Second.Note.self]).steps.isEmpty)
    #expect(try keys(db, "search") == [1])
  }

  @Test("other weights are another declaration")
  func weights() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Note> { FullText { $0.$title.weighted(2) } }
    }
    let db = try Specification.database(models: [First.Note.self])
    #expect(try db.migrate([Note.self]).steps.count == 2)
    #expect(
      try db.fetch(String.self, "SELECT v FROM Note_search_config WHERE k = 'rank'")
        == ["bm25(2.0)"])
  }

  @Test("an index that is no longer declared is kept, unless the program is known to be newer")
  func removed() throws {
    let db = try Specification.database(models: [First.Note.self])
    let plan = try db.migrate([Plain.Note.self])
    #expect(Library.actions(plan) == [.keepDeclaration("the full-text index Note_search")])
    #expect(plan.steps.first?.line == #"Dropped(fullText: "Note_search")"#)
    try db.insert(Plain.Note(id: 1, title: "swift", body: ""))
    #expect(try keys(db, "swift") == [1])
    let done = try db.migrate([Plain.Note.self], MigrationOptions(schemaVersion: 2))
    #expect(Library.actions(done) == [.dropSearchIndex("Note_search")])
    #expect(try objects(db).isEmpty)
    try db.insert(Plain.Note(id: 2, title: "swift", body: ""))
  }

  @Test("an index that the schema drops is dropped with its triggers, and the line may stay")
  func dropped() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Note> { Dropped(fullText: "Note_search") }
    }
    let db = try Specification.database(models: [First.Note.self])
    #expect(Library.actions(try db.migrate([Note.self])) == [.dropSearchIndex("Note_search")])
    #expect(try objects(db).isEmpty)
    #expect(try db.migrationPlan(for: [Note.self]).steps.isEmpty)
  }

  @Test("an index is dropped with its table")
  func droppedTable() throws {
    struct Other: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Other> { Dropped(table: "Note") }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.migrate([Other.self])
    #expect(try objects(db).isEmpty)
  }

  @Test("a renamed column or table gets its index again under the new name")
  func renamed() throws {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var headline: String
      @Column var body: String
      static var schema: Schema<Note> {
        Renamed(\.$headline, from: "title")
        FullText(\.$headline)
      }
    }
    struct Memo: Model {
      var id: Int { number }
      @PrimaryKey var number: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Memo> {
        RenamedTable(from: "Note")
        Renamed(\.$number, from: "id")
        FullText(\.$title)
      }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "swift", body: ""))
    try db.migrate([Note.self])
    #expect(try keys(db, "headline : swift") == [1])
    #expect(try db.checkSearchIndex(of: Note.self))
    #expect(try db.migrationPlan(for: [Note.self]).steps.isEmpty)

    let other = try Specification.database(models: [First.Note.self])
    try other.insert(First.Note(id: 1, title: "swift", body: ""))
    try other.migrate([Memo.self])
    #expect(try Library.keys(other, "swift", in: "Memo_search") == [1])
    #expect(try other.checkSearchIndex(of: Memo.self))
    #expect(try !objects(other).contains { $0.hasPrefix("Note") })
    #expect(try other.migrationPlan(for: [Memo.self]).steps.isEmpty)
  }

  @Test("an undeclared index whose table is renamed is dropped, because it could not follow")
  func undeclaredRenamed() throws {
    struct Memo: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Memo> { RenamedTable(from: "Note") }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "swift", body: ""))
    try db.migrate([Memo.self])
    #expect(try objects(db).isEmpty)
    try db.insert(Memo(id: 2, title: "swift", body: ""))
  }

  @Test("a rebuilt table keeps its index, and an index is filled again if its values are converted")
  func rebuilt() throws {
    struct Strict: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Strict> {
        FullText(\.$title, name: "Note_search")
        Check { $0.$id > 0 }
      }
    }
    struct Converted: Model {
      static let tableName = "Note"
      @PrimaryKey var id: Int
      @Column var title: String?
      @Column var body: String
      static var schema: Schema<Converted> {
        FullText(\.$title, name: "Note_search")
        Check { $0.$id > 0 }
        QueryDSL.Converted(\.$title, from: String.self) { $0 == "swift" ? "rust" : $0 }
      }
    }
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "swift", body: ""))
    let rebuild = try db.migrate([Strict.self])
    #expect(Library.actions(rebuild) == [.rebuildTable], "\(rebuild)")
    try db.insert(First.Note(id: 2, title: "swift", body: ""))
    #expect(try keys(db, "swift") == [1, 2])
    #expect(try db.checkSearchIndex(of: Strict.self))
    let plan = try db.migrate([Converted.self])
    #expect(Library.actions(plan) == [.rebuildTable, .fillSearchIndex("Note_search")])
    #expect(try keys(db, "rust") == [1, 2])
    #expect(try db.checkSearchIndex(of: Converted.self))
  }

  @Test("what was dropped by hand is created again")
  func repaired() throws {
    for damage in ["DROP TRIGGER Note_search_update", "DROP TABLE Note_search"] {
      let db = try Specification.database(models: [First.Note.self])
      try db.insert(First.Note(id: 1, title: "swift", body: ""))
      try db.execute(SQL(unsafe: damage))
      #expect(try !db.migrationPlan(for: [First.Note.self]).isEmpty)
      try db.migrate([First.Note.self])
      #expect(try db.checkSearchIndex(of: First.Note.self))
      #expect(try keys(db, "swift") == [1])
      #expect(try objects(db).count == 12)
      #expect(try db.migrationPlan(for: [First.Note.self]).steps.isEmpty)
    }
  }

  @Test("a name that belongs to another program is refused, with another name to paste")
  func takenName() throws {
    for (foreign, owner) in [
      ("CREATE VIRTUAL TABLE note_SEARCH USING fts5(a)", "the table note_SEARCH"),
      (
        "CREATE TRIGGER Note_search_insert AFTER DELETE ON Note BEGIN SELECT 1; END",
        "the trigger Note_search_insert"
      ),
    ] {
      let db = try Specification.database(models: [Plain.Note.self])
      try db.execute(SQL(unsafe: foreign))
      let error = #expect(throws: MigrationError.self) { try db.migrate([First.Note.self]) }
      let refusal = try #require(error?.plan.refusals.first)
      #expect(refusal.reason.contains("Apus did not create \(owner)"))
      #expect(refusal.line == #"FullText(…, name: "Note_search_2")"#)
    }
  }

  /// The triggers of earlier versions, which need that no other trigger fires before them.
  private static let formerTriggers = """
    DROP TABLE Note_search_pending;
    DROP TRIGGER Note_search_insert; DROP TRIGGER Note_search_update;
    DROP TRIGGER Note_search_delete; DROP TRIGGER Note_search_key;
    DROP TRIGGER Note_search_before_update; DROP TRIGGER Note_search_before_delete;
    CREATE TRIGGER "Note_search_insert" /* Apus */ AFTER INSERT ON "Note"
    BEGIN
      INSERT INTO "Note_search" (rowid, "title") VALUES (NEW."id", NEW."title");
    END;
    CREATE TRIGGER "Note_search_update" /* Apus */ AFTER UPDATE OF "id", rowid, "title" ON "Note"
    BEGIN
      INSERT INTO "Note_search" ("Note_search", rowid, "title") VALUES ('delete', OLD."id", OLD."title");
      INSERT INTO "Note_search" (rowid, "title") VALUES (NEW."id", NEW."title");
    END;
    CREATE TRIGGER "Note_search_delete" /* Apus */ AFTER DELETE ON "Note"
    BEGIN
      INSERT INTO "Note_search" ("Note_search", rowid, "title") VALUES ('delete', OLD."id", OLD."title");
    END
    """

  @Test(
    "the triggers of an earlier version are replaced, and the index is filled only if it may be wrong"
  )
  func formerVersion() throws {
    for foreign in [nil, "CREATE TRIGGER raw AFTER DELETE ON Note BEGIN SELECT 1; END"] {
      let db = try Specification.database(models: [First.Note.self])
      try db.execute(SQL(unsafe: Self.formerTriggers))
      if let foreign { try db.execute(SQL(unsafe: foreign)) }
      try db.insert(First.Note(id: 1, title: "swift", body: ""))
      #expect(try keys(db, "swift") == [1])
      let plan = try db.migrate([First.Note.self])
      #expect(
        Library.actions(plan).filter { $0 != .keepDeclaration("the trigger raw") }
          == (foreign == nil ? [] : [.dropSearchIndex("Note_search")])
            + [.createSearchIndex("Note_search")],
        "\(plan)")
      #expect("\(plan)".contains("CREATE VIRTUAL TABLE") == (foreign != nil))
      #expect(try objects(db).count == 12)
      #expect(try db.migrationPlan(for: [First.Note.self]).isEmpty)
      try db.execute("UPDATE Note SET title = 'rust'")
      #expect(try keys(db, "swift OR rust") == [1])
      #expect(try db.checkSearchIndex(of: First.Note.self))
    }
  }

  @Test("a table of another program that has the name of the notes is in the way")
  func takenNotes() throws {
    let db = try Specification.database(models: [Plain.Note.self])
    try db.execute("CREATE TABLE Note_search_pending (a)")
    let error = #expect(throws: MigrationError.self) { try db.migrate([First.Note.self]) }
    let reason = try #require(error?.plan.refusals.first?.reason)
    #expect(reason.contains("Apus did not create the table Note_search_pending"))
  }

  @Test("a trigger that a last step creates, or raw SQL later, does not spoil the index")
  func laterTriggers() throws {
    let db = try Specification.database(models: [Plain.Note.self])
    let step = MigrationStep("trigger", .last) { connection in
      try connection.execute(
        """
        CREATE TRIGGER raw AFTER INSERT ON Note BEGIN
          UPDATE Note SET title = 'late ' || title WHERE id = NEW.id;
        END
        """)
    }
    try db.migrate([First.Note.self], MigrationOptions(steps: [step]))
    try db.insert(First.Note(id: 1, title: "swift", body: ""))
    #expect(try keys(db, "late AND swift") == [1])
    try db.writeWithoutTransaction { connection in
      try connection.execute(
        """
        CREATE TEMP TRIGGER other AFTER UPDATE OF body ON main.Note BEGIN
          UPDATE Note SET title = NEW.body WHERE id = NEW.id;
        END
        """)
    }
    try db.execute("UPDATE Note SET title = 'lost', body = 'rust'")
    #expect(try keys(db, "swift OR late OR lost") == [])
    #expect(try keys(db, "rust") == [1])
    #expect(try db.checkSearchIndex(of: First.Note.self))
    // OR IGNORE leaves the row as it was, and the note of its text as well.
    try db.execute("INSERT INTO Note VALUES (2, 'two', '')")
    try db.execute("UPDATE OR IGNORE Note SET id = 2, title = 'never' WHERE id = 1")
    try db.execute("UPDATE Note SET title = 'go' WHERE id = 1")
    #expect(try keys(db, "rust OR never") == [])
    #expect(try keys(db, "go") == [1])
    #expect(try db.checkSearchIndex(of: First.Note.self))
  }

  @Test("an older program leaves the index of a newer one as it is")
  func older() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.migrate([Second.Note.self])
    let plan = try db.migrate([First.Note.self])
    #expect(Library.actions(plan) == [.keepNewer], "\(plan)")
    try db.insert(First.Note(id: 1, title: "a", body: "searching"))
    #expect(try keys(db, "search") == [1])
    let back = try db.migrate([First.Note.self], MigrationOptions(newerSchema: .replaced))
    #expect(back.steps.count == 2)
    #expect(try db.checkSearchIndex(of: First.Note.self))
  }

  @Test("the user's own steps run with the index, and what they write is found")
  func steps() throws {
    let db = try Specification.database(models: [First.Note.self])
    try db.insert(First.Note(id: 1, title: "swift", body: ""))
    let step = MigrationStep("replace", .after) { connection in
      try connection.execute("INSERT OR REPLACE INTO Note VALUES (1, 'rust', 'x')")
    }
    try db.migrate([Second.Note.self], MigrationOptions(steps: [step]))
    #expect(try keys(db, "rust") == [1])
    #expect(try keys(db, "swift") == [])
    #expect(try db.checkSearchIndex(of: Second.Note.self))
  }
}
