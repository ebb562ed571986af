import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Declarations of triggers: mistakes and names")
struct TriggerDeclarationTests: TriggerSuite {
  // MARK: Mistakes

  @Test("two triggers with one name are refused, also in two models and if the case differs")
  func duplicates() throws {
    struct Twice: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Twice> {
        Trigger("post_log", before: .delete) { _ in Raise(.ignore) }
      }
    }
    let error = #expect(throws: ModelError.self) {
      try Specification.database(models: [First.Post.self, Log.self, Twice.self])
    }
    #expect(
      error?.message == "Post and Twice declare different triggers with the name post_log, which "
        + "must be unique in a database; rename one of them")
  }

  @Test("a trigger without statements, with a bad name or on the wrong kind of table is refused")
  func invalid() throws {
    struct Empty: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Empty> { Trigger("t", after: .insert) { _ in } }
    }
    struct Nameless: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Nameless> {
        Trigger("a\0", after: .insert) { _ in Raise(.ignore) }
      }
    }
    struct Defaults: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Defaults> {
        Trigger("t", after: .insert) { _ in Log.insert { _ in } }
      }
    }
    struct View: Model, SQLView {
      @PrimaryKey var id: Int
      static var definition: some Fetchable { Plain.Post.select(\.$id) }
      static var schema: Schema<View> { Trigger("t", after: .insert) { _ in Raise(.ignore) } }
    }
    struct Zero: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Zero> {
        Trigger("t", after: .insert) { _ in Log.insert { $0.$text = "a\0b" } }
      }
    }
    struct NotANumber: Model {
      @PrimaryKey var id: Int
      @Column var real: Double
      static var schema: Schema<NotANumber> {
        Trigger("t", after: .insert) { new in
          NotANumber.update { $0.$real = .nan }
        }
      }
    }
    struct New: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<New> {
        Trigger("t", after: .insert) { new in New.delete().where { $0.$id == new.$id } }
      }
    }
    let mistakes: [(any Model.Type, String)] = [
      (Empty.self, #"Trigger("t"): the trigger has no statement"#),
      (Nameless.self, "a name must not be empty or contain U+0000"),
      (Defaults.self, "a trigger cannot insert a row of only default values into Log"),
      (View.self, "a trigger of a view needs `insteadOf:`"),
      (Zero.self, "cannot contain a text with U+0000"),
      (NotANumber.self, #"Trigger("t"): "#),
      (New.self, "a trigger cannot write the table New, because the name means one of its rows"),
    ]
    for (model, message) in mistakes {
      let error = #expect(throws: ModelError.self, "\(model)") {
        try Specification.database(models: [model, Log.self, Plain.Post.self])
      }
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test("a trigger that SQLite cannot compile is refused when it is planned, and nothing changes")
  func broken() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
      static var schema: Schema<Post> {
        Trigger("Post_raw", after: .insert) { _ in "DELETE FROM Log WHERE text = NEW.headline" }
      }
    }
    let db = try Specification.database(models: [Plain.Post.self])
    for (models, reason) in [
      ([First.Post.self], "no such table: main.Log"),
      ([Post.self, Log.self], "no such column: NEW.headline"),
    ] as [([any Model.Type], String)] {
      let plan = try db.migrationPlan(for: models)
      #expect(plan.refusals.first?.reason.contains("does not work (\(reason)") == true, "\(plan)")
      #expect(plan.refusals.first?.line?.hasPrefix("// Trigger(") == true)
      #expect(throws: MigrationError.self) { try db.migrate(models) }
      #expect(try triggers(db).isEmpty)
    }
  }

  // MARK: Names

  struct Hostile: Model, Equatable {
    static let tableName = #"a "b"; DROP TABLE x; -- é"#
    @PrimaryKey var id: Int
    @Column var text: String
    @Column var old: Int
    static var schema: Schema<Hostile> {
      Named(\.$text, #"new" /* "#)
      Named(\.$old, "old")
      Trigger(#"END; " */ BEGIN"#, after: .update(of: \.$text)) { old, new in
        Hostile.update { $0.$old = $0.$old + new.$old * 10 }
          .where { $0.$id == old.$id && $0.$text == new.$text }
      }
    }
  }

  @Test("names of any kind are quoted, and columns called old and new are not rows")
  func hostile() throws {
    let db = try Specification.database(models: [Hostile.self])
    #expect(
      try triggers(db) == [
        #"""
        CREATE TRIGGER "END; "" */ BEGIN" /* Apus */ AFTER UPDATE OF "new"" /* " \#
        ON "a ""b""; DROP TABLE x; -- é"
        BEGIN
          UPDATE "a ""b""; DROP TABLE x; -- é" SET "old" = "a ""b""; DROP TABLE x; -- é"."old" \#
        + NEW."old" * 10 WHERE "a ""b""; DROP TABLE x; -- é"."id" = OLD."id" AND \#
        "a ""b""; DROP TABLE x; -- é"."new"" /* " = NEW."new"" /* ";
        END
        """#
      ])
    try db.insert(Hostile(id: 1, text: "a", old: 2))
    try db.run(Hostile.update { $0.$text = "b" })
    #expect(try db.fetch(Hostile.all) == [Hostile(id: 1, text: "b", old: 22)])
    #expect(try db.migrationPlan(for: [Hostile.self]).steps.isEmpty)
  }
}
