import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Triggers that models declare, in migrations")
struct TriggerMigrationTests: TriggerSuite {
  // MARK: New, unchanged, changed, removed

  @Test("a trigger is created after all tables, and an unchanged one takes no step")
  func new() throws {
    let db = try Specification.database()
    let models: [any Model.Type] = [First.Post.self, Log.self]
    let plan = try db.migrationPlan(for: models)
    #expect(plan.steps.map(\.table) == ["Post", "Log", "Post"])
    #expect(actions(plan).last == .createTrigger("Post_log"))
    #expect(
      plan.description.hasSuffix(
        """
        Post
          + create the trigger Post_log: the schema declares it
              CREATE TRIGGER "Post_log" /* Apus */ AFTER UPDATE OF "title" ON "Post"
              BEGIN
                INSERT INTO "Log" ("text") VALUES (OLD."title" || NEW."title");
              END
        """))
    #expect(try db.migrate(models) == plan)
    #expect(try triggers(db) == [TriggerVersions.first])
    let again = try db.migrationPlan(for: models)
    #expect(again.steps.isEmpty, "\(again)")
    // A schema that has the trigger only adds it to an existing table.
    let other = try Specification.database(models: [Plain.Post.self, Log.self])
    #expect(actions(try other.migrate(models)) == [.createTrigger("Post_log")])
  }

  @Test("a trigger with another declaration is dropped first and created last")
  func changed() throws {
    let db = try Specification.database(models: [First.Post.self, Log.self])
    let plan = try db.migrate([Second.Post.self, Log.self])
    #expect(actions(plan) == [.dropTrigger("Post_log"), .createTrigger("Post_log")])
    #expect(
      plan.steps.map(\.reason)
        == ["the schema declares another trigger of that name", "the schema declares it"])
    #expect(try triggers(db)[0].contains(#"VALUES (NEW."title")"#))
    #expect(try db.migrationPlan(for: [Second.Post.self, Log.self]).steps.isEmpty)
  }

  @Test("a trigger that is no longer declared is kept, unless the program is known to be newer")
  func removed() throws {
    let db = try Specification.database(models: [First.Post.self, Log.self])
    let models: [any Model.Type] = [Plain.Post.self, Log.self]
    let plan = try db.migrate(models)
    #expect(actions(plan) == [.keepDeclaration("the trigger Post_log")])
    #expect(plan.steps.first?.line == #"Dropped(trigger: "Post_log")"#)
    #expect(try triggers(db) == [TriggerVersions.first])
    let done = try db.migrate(models, MigrationOptions(schemaVersion: 2))
    #expect(actions(done) == [.dropTrigger("Post_log")])
    #expect(done.steps.map(\.reason) == ["the schema no longer declares it"])
    #expect(try triggers(db).isEmpty)

    let other = try Specification.database(models: [First.Post.self, Log.self])
    #expect(
      actions(try other.migrate(models, MigrationOptions(newerSchema: .replaced)))
        == [.dropTrigger("Post_log")])
  }

  @Test("a trigger that the schema drops is dropped, and the line may stay")
  func dropped() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
      static var schema: Schema<Post> { Dropped(trigger: "Post_log") }
    }
    let db = try Specification.database(models: [First.Post.self, Log.self])
    #expect(
      actions(try db.migrate([Post.self, Log.self])) == [.dropTrigger("Post_log")])
    #expect(try db.migrationPlan(for: [Post.self, Log.self]).steps.isEmpty)
  }

  // MARK: Triggers of other programs

  @Test("a trigger that Apus did not create is kept, also if it looks almost like its own")
  func foreign() throws {
    let db = try Specification.database(models: [First.Post.self, Log.self])
    let foreign = [
      "CREATE TRIGGER foreign1 AFTER INSERT ON Post BEGIN SELECT 1 /* Apus */; END",
      "CREATE TRIGGER foreign2 AFTER /* Apus */ DELETE ON Post BEGIN SELECT 1; END",
      "CREATE TRIGGER foreign3 -- /* Apus */\n AFTER DELETE ON Post BEGIN SELECT 1; END",
      "CREATE TRIGGER \"/* Apus */\" AFTER DELETE ON Post BEGIN SELECT 1; END",
    ]
    for sql in foreign { try db.execute(SQL(unsafe: sql)) }
    let plan = try db.migrate(
      [Second.Post.self, Log.self], MigrationOptions(schemaVersion: 3))
    #expect(plan.steps.filter { $0.reason == "no model declares it" }.count == 4)
    #expect(Set(try triggers(db)).isSuperset(of: foreign))
    #expect(try triggers(db).count == 5)
  }

  @Test(
    "a declared trigger with the name of another program's is refused, unless that one is dropped")
  func takenName() throws {
    let db = try Specification.database(models: [Plain.Post.self, Log.self])
    let foreign = "CREATE TRIGGER post_LOG AFTER DELETE ON Post BEGIN SELECT 1; END"
    try db.execute(SQL(unsafe: foreign))
    let error = #expect(throws: MigrationError.self) {
      try db.migrate([First.Post.self, Log.self])
    }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(
      refusal.reason == "the trigger Post_log cannot be created: a trigger that Apus did not "
        + "create has that name, on Post; give the trigger another name, or drop the existing one")
    #expect(refusal.lines == [#"Dropped(trigger: "post_LOG")"#, #"Trigger("Post_log_2", …)"#])
    #expect(try triggers(db) == [foreign])

    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
      static var schema: Schema<Post> {
        Dropped(trigger: "post_LOG")
        Trigger("Post_log", after: .delete) { old in
          Log.insert { $0.$text = old.$title }
        }
      }
    }
    let plan = try db.migrate([Post.self, Log.self])
    #expect(actions(plan) == [.dropTrigger("post_LOG"), .createTrigger("Post_log")])
    #expect(try db.migrationPlan(for: [Post.self, Log.self]).steps.isEmpty)
  }

  @Test("a trigger of another program with the declared name and text counts as the declared one")
  func equal() throws {
    let db = try Specification.database(models: [Plain.Post.self, Log.self])
    let foreign = """
      CREATE TRIGGER Post_log AFTER UPDATE OF title ON Post BEGIN
        INSERT INTO Log(text) VALUES(old.title || new.title); END
      """
    try db.execute(SQL(unsafe: foreign))
    #expect(try db.migrate([First.Post.self, Log.self]).isEmpty)
    #expect(try triggers(db) == [foreign])
  }

  @Test("a trigger of another model's table is not taken over")
  func otherTable() throws {
    struct Comment: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Comment> {
        Trigger("Post_log", after: .insert) { _ in Log.delete() }
      }
    }
    let db = try Specification.database(models: [First.Post.self, Log.self])
    let error = #expect(throws: MigrationError.self) { try db.migrate([Comment.self, Log.self]) }
    #expect(
      error?.plan.refusals.first?.reason.contains(
        "a trigger of another model has that name, on Post") == true)
  }
}
