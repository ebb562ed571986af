import Foundation
import QueryDSL
import SQLCore
import Testing

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
          $0.set(\.$text, to: "added")
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
          $0.set(\.$body, to: "")
          $0.set(\.$changes, to: 0)
          $0.set(\.$isLocked, to: false)
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

  init() throws { db = try Database.temporary(models: Notebook.models) }

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
    #expect(try db.run(Notebook.Note.update { $0.set(\.$isLocked, to: true) }) == 1)
    #expect(
      try db.fetch(Notebook.Note.all)
        == [Notebook.Note(id: 1, title: "c", body: "b", changes: 1, isLocked: true)])
    let error = #expect(throws: DatabaseError.self) { try db.run(Notebook.Note.delete()) }
    #expect(error?.message.contains("the note is locked; it's kept") == true)
    #expect(try events == ["added", "a' before"])
    try db.run(Notebook.Note.update { $0.set(\.$isLocked, to: false) })
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

  // MARK: Statements

  @Test("a trigger takes every kind of command, queries, and lines of `if` and `for`")
  func statements() throws {
    struct Reading: Model {
      @PrimaryKey var id: Int
      @Column var value: Int
      static let limits = [10, 20]
      static var schema: Schema<Reading> {
        Trigger("Reading_all", after: .insert) { new in
          Sum.insert(\.$id, \.$sum, from: Reading.select { ($0.$id.count() * 0 + 1, $0.$value) })
            .onConflictUpdate(\.$id) { $0.$sum += $1.$sum }
          Sum.insert([Sum(id: 2, sum: 7), Sum(id: 3, sum: 8)]).onConflictDoNothing()
          Sum.update(from: Reading.self) { sum, reading in
            sum.$sum = reading.$value
          } where: { sum, reading in
            sum.$id == 2 && reading.$id == new.$id
          }
          Sum.delete().order(by: \.$sum, .descending).limit(1)
          for limit in limits {
            Sum.insert {
              $0.set(\.$id, to: limit)
              $0.$sum = new.$value
            }.onConflictDoNothing(\.$id)
          }
          if limits.isEmpty {
            Raise(.ignore)
          }
          Reading.where { $0.$value == new.$value && $0.$id != new.$id }
            .select { _ in Raise(.rollback, "twice") }
        }
      }
    }
    struct Sum: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var sum: Int
    }
    let db = try Database.temporary(models: [Reading.self, Sum.self])
    let text = try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'"
    ).first
    #expect(
      text == """
        CREATE TRIGGER "Reading_all" /* Apus */ AFTER INSERT ON "Reading"
        BEGIN
          INSERT INTO "Sum" ("id", "sum") SELECT count("Reading"."id") * 0 + 1, \
        "Reading"."value" FROM "Reading" WHERE 1 ON CONFLICT ("id") DO UPDATE SET \
        "sum" = "Sum"."sum" + excluded."sum";
          INSERT INTO "Sum" ("id", "sum") VALUES (2, 7) ON CONFLICT DO NOTHING;
          INSERT INTO "Sum" ("id", "sum") VALUES (3, 8) ON CONFLICT DO NOTHING;
          UPDATE "Sum" SET "sum" = "Reading"."value" FROM "Reading" WHERE "Sum"."id" = 2 AND \
        "Reading"."id" = NEW."id";
          DELETE FROM "Sum" WHERE "Sum"."id" IN (SELECT "Sum"."id" FROM "Sum" ORDER BY \
        "Sum"."sum" DESC LIMIT 1);
          INSERT INTO "Sum" ("id", "sum") VALUES (10, NEW."value") ON CONFLICT ("id") DO NOTHING;
          INSERT INTO "Sum" ("id", "sum") VALUES (20, NEW."value") ON CONFLICT ("id") DO NOTHING;
          SELECT RAISE(ROLLBACK, 'twice') FROM "Reading" WHERE "Reading"."value" = NEW."value" \
        AND "Reading"."id" <> NEW."id";
        END
        """)
    try db.insert(Reading(id: 5, value: 3))
    #expect(
      try db.fetch(Sum.all.order(by: \.$id))
        == [
          Sum(id: 1, sum: 3), Sum(id: 2, sum: 3), Sum(id: 10, sum: 3), Sum(id: 20, sum: 3),
        ])
    #expect(throws: DatabaseError.self) { try db.insert(Reading(id: 6, value: 3)) }
    #expect(try db.count(Reading.all) == 1)
  }

  // MARK: Values

  struct Sample: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var data: Data
    @Column var real: Double
    @Column var number: Int64
    @Column var date: Date
    @Column var julian: Date
    @Column var price: Decimal
    @Column var code: UUID
    @Column var missing: String?
    static var schema: Schema<Sample> {
      Stored(\.$date, as: .iso8601)
      Stored(\.$julian, as: .julianDay)
      Stored(\.$code, as: .bytes)
    }

    static func random(_ id: Int) -> Sample {
      let texts = [
        "", "'", "''\"", "-- /* */", "END;", "\n\r\t\\", "é🦜\u{301}", "?1 :a $b @c", "\u{FEFF}",
        "'; DROP TABLE Sample; --",
      ]
      let reals: [Double] = [
        .infinity, -.infinity, 0.1, 0.1 + 0.2, 1 / 3, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, -.leastNormalMagnitude, 8_248_922.393817876, -2.26066311484813e-299,
        6_290_787_420.370049, 1e22, 1e23, 123_456_789_012_345_680, .pi * -1e150,
        Double(bitPattern: .random(in: 1..<0x7FF0_0000_0000_0000)),
      ]
      return Sample(
        id: id, text: texts[id % texts.count],
        data: Data((0..<id % 7).map { UInt8(truncatingIfNeeded: $0 * 37 + id) }),
        real: reals[id % reals.count],
        number: [.min, .max, -1, 0][id % 4],
        date: Date(timeIntervalSince1970: Double(id) * 86_400.125),
        julian: Date(timeIntervalSince1970: Double(id) * 1_000_000),
        price: Decimal(string: ["1.10", "-0.001", "12345678901234567890.5"][id % 3]) ?? 0,
        code: UUID(), missing: id % 2 == 0 ? nil : "x")
    }
  }

  static let samples = (1...160).map(Sample.random)

  struct Signal: Model {
    @PrimaryKey var id: Int
    static var schema: Schema<Signal> {
      Trigger("Signal_sample", after: .insert) { _ in
        for sample in samples { Sample.insert(sample) }
      }
    }
  }

  @Test("each value that a trigger writes is the value of the literal, to the last bit")
  func values() throws {
    let db = try Database.temporary(models: [Sample.self, Signal.self])
    try db.insert(Signal(id: 1))
    let stored = try db.fetch(Sample.all.order(by: \.$id))
    try db.run(Sample.delete())
    let expected = try db.insert(Self.samples)
    #expect(stored == expected)
    #expect(stored.map(\.real.bitPattern) == expected.map(\.real.bitPattern))
    let types = try db.rows(
      "SELECT DISTINCT typeof(real), typeof(number), typeof(data) FROM Sample"
    ).map(\.values)
    #expect(types == [["real", "integer", "blob"]])
    #expect(try db.migrationPlan(for: [Sample.self, Signal.self]).steps.isEmpty)
  }

  @Test("a condition compares dates, decimals and lists in their stored forms")
  func conditions() throws {
    struct Price: Model {
      @PrimaryKey var id: Int
      @Column var amount: Decimal
      @Column var day: Date
      @Column var kind: String
      @Column var note: String?
      static var schema: Schema<Price> {
        Stored(\.$day, as: .iso8601Seconds)
        Trigger("Price_note", after: .insert) { new in
          Price.update { $0.set(\.$note, to: "cheap") }.where { $0.$id == new.$id }
        } when: { new in
          new.$amount < 10
          new.$day >= Date(timeIntervalSince1970: 86_400)
          new.$kind.isIn(["a", "it's"])
          new.$note == nil
        }
      }
    }
    let db = try Database.temporary(models: [Price.self])
    let text = try db.fetch(String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    #expect(
      text[0].contains(
        """
        WHEN NEW."amount" COLLATE "decimal" < '10' AND NEW."day" >= '1970-01-02T00:00:00Z' AND \
        NEW."kind" IN ('a', 'it''s') AND NEW."note" IS NULL
        """), "\(text[0])")
    func price(_ id: Int, _ amount: Decimal, _ day: Double, _ kind: String) -> Price {
      Price(
        id: id, amount: amount, day: Date(timeIntervalSince1970: day * 86_400), kind: kind)
    }
    try db.insert([
      price(1, 9, 1, "it's"), price(2, 9, 1, "b"), price(3, 9, 0, "a"), price(4, 10.5, 1, "a"),
    ])
    #expect(try db.fetch(Price.where { $0.$note == "cheap" }.select(\.$id)) == [1])
  }

  @Test("a smallest integer after a minus sign stays an integer")
  func signs() throws {
    struct Counter: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var value: Int64
      static var schema: Schema<Counter> {
        Trigger("Counter_reset", after: .update) { old, new in
          Counter.update { $0.set(\.$value, to: old.$value - Int64.min) }
            .where { $0.$id == new.$id && new.$value == -5 }
        }
      }
    }
    let db = try Database.temporary(models: [Counter.self])
    try db.insert(Counter(id: 1, value: -1))
    try db.run(Counter.update { $0.set(\.$value, to: -5) })
    #expect(try db.fetch(Counter.all) == [Counter(id: 1, value: .max)])
  }
}
