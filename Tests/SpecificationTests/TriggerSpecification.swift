import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// The models of the specification of triggers: notes, what happened to them, and a view of both.
enum Notebook {
  struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var body: String
    @Column var changes = 0
    @Column var isLocked = false

    static var schema: Schema<Note> {
      Trigger("Note_touch", after: .update(of: \.$title, \.$body)) { old, new in
        Note.update { $0.$changes += 1 }.where { $0.$id == new.$id }
        Event.insert {
          $0.$noteID = new.$id
          $0.$text = old.$title.concat("' before")
        }
      } when: { old, new in
        old.$title != new.$title || old.$body != new.$body
      }
      Trigger("Note_added", after: .insert) { new in
        Event.insert {
          $0.$noteID = new.$id
          $0.$text = "added"
        }
      }
      Trigger("Note_gone", before: .delete) { old in
        Raise(.abort, "the note is locked; it's kept").where { old.$isLocked == true }
        Event.delete().where { $0.$noteID == old.$id }
        #"INSERT INTO "Event" ("noteID", "text") VALUES (\#(old.$id), \#("gone")); -- last"#
      } when: { old in
        old.$id > 0
      }
    }
  }

  struct Event: Model, Equatable {
    @PrimaryKey var id: Int?
    @Column var noteID: Int
    @Column var text: String
  }

  struct Title: Model, SQLView, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var events: Int

    static var definition: some Fetchable {
      Query { (note: Columns<Note>) in
        From(note)
        Select(
          note.$id, note.$title,
          Event.where { $0.$noteID == note.$id }.select { $0.count() }.subquery().ifNull(0))
      }
    }

    static var schema: Schema<Title> {
      Trigger("Title_insert", insteadOf: .insert) { new in
        Note.insert {
          $0.$id = new.$id
          $0.$title = new.$title
          $0.$body = ""
          $0.$changes = 0
          $0.$isLocked = false
        }
      }
      Trigger("Title_update", insteadOf: .update(of: \.$title)) { old, new in
        Note.update { $0.$title = new.$title }.where { $0.$id == old.$id }
      }
      Trigger("Title_delete", insteadOf: .delete) { old in
        Note.delete().where { $0.$id == old.$id }
      }
    }
  }

  static let models: [any Model.Type] = [Title.self, Note.self, Event.self]
}

@Suite("Triggers")
struct TriggerSpecification {
  let db: Database

  init() throws { db = try Specification.database(models: Notebook.models) }

  private func sql(_ trigger: String) throws -> String? {
    try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = \(trigger)"
    ).first
  }

  private var events: [String] {
    get throws { try db.fetch(Notebook.Event.all.order(by: \.$id).select(\.$text)) }
  }

  @Test("a trigger qualifies each column, and its values are literals")
  func text() throws {
    #expect(
      try sql("Note_touch") == """
        CREATE TRIGGER "Note_touch" /* Apus */ AFTER UPDATE OF "title", "body" ON "Note"
        WHEN OLD."title" <> NEW."title" OR OLD."body" <> NEW."body"
        BEGIN
          UPDATE "Note" SET "changes" = "Note"."changes" + 1 WHERE "Note"."id" = NEW."id";
          INSERT INTO "Event" ("noteID", "text") VALUES (NEW."id", OLD."title" || ''' before');
        END
        """)
    #expect(
      try sql("Note_gone") == """
        CREATE TRIGGER "Note_gone" /* Apus */ BEFORE DELETE ON "Note"
        WHEN OLD."id" > 0
        BEGIN
          SELECT RAISE(ABORT, 'the note is locked; it''s kept') WHERE OLD."isLocked" = 1;
          DELETE FROM "Event" WHERE "Event"."noteID" = OLD."id";
          INSERT INTO "Event" ("noteID", "text") VALUES (OLD."id", 'gone');
        END
        """)
  }

  @Test("triggers run for each row that is inserted, updated or deleted, if their condition holds")
  func rows() throws {
    var note = try db.insert(Notebook.Note(id: 1, title: "a", body: "b"))
    #expect(try events == ["added"])
    note.title = "c"
    try db.update(note)
    #expect(try events == ["added", "a' before"])
    // The condition does not hold.
    #expect(try db.run(Notebook.Note.update { $0.$title = $0.$title }) == 1)
    // The trigger is for other columns.
    #expect(try db.run(Notebook.Note.update { $0.$isLocked = true }) == 1)
    #expect(
      try db.fetch(Notebook.Note.all)
        == [Notebook.Note(id: 1, title: "c", body: "b", changes: 1, isLocked: true)])
    let error = #expect(throws: DatabaseError.self) { try db.run(Notebook.Note.delete()) }
    #expect(error?.message.contains("the note is locked; it's kept") == true)
    #expect(try events == ["added", "a' before"])
    try db.run(Notebook.Note.update { $0.$isLocked = false })
    #expect(try db.run(Notebook.Note.delete()) == 1)
    #expect(try events == ["gone"])
  }

  @Test("INSTEAD OF triggers make a view that commands can write")
  func view() throws {
    #expect(
      try sql("Title_update") == """
        CREATE TRIGGER "Title_update" /* Apus */ INSTEAD OF UPDATE OF "title" ON "Title"
        BEGIN
          UPDATE "Note" SET "title" = NEW."title" WHERE "Note"."id" = OLD."id";
        END
        """)
    try db.run(
      Notebook.Title.insert([
        Notebook.Title(id: 1, title: "a", events: 0), Notebook.Title(id: 2, title: "b", events: 0),
      ]))
    try db.run(Notebook.Title.update { $0.$title = $0.$title.concat("!") }.where { $0.$id == 2 })
    #expect(
      try db.fetch(Notebook.Title.all.order(by: \.$id))
        == [
          Notebook.Title(id: 1, title: "a", events: 1),
          Notebook.Title(id: 2, title: "b!", events: 2),
        ])
    try db.run(Notebook.Title.delete().where { $0.$id == 1 })
    #expect(try db.fetch(Notebook.Note.select(\.$title)) == ["b!"])
    // SQLite does not count the rows of a view.
    #expect(try db.run(Notebook.Title.delete()) == 0)
    #expect(try db.count(Notebook.Note.all) == 0)
  }
}
