import QueryDSL
import SQLCore
import Testing

@Suite("Triggers that models declare, in migrations")
struct TriggerMigrationTests {
  enum Plain {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
    }
  }

  enum First {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
      static var schema: Schema<Post> {
        Trigger("Post_log", after: .update(of: \.$title)) { old, new in
          Log.insert { $0.$text = old.$title.concat(new.$title) }
        }
      }
    }
  }

  enum Second {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: Int
      static var schema: Schema<Post> {
        Trigger("Post_log", after: .update(of: \.$title)) { _, new in
          Log.insert { $0.$text = new.$title }
        }
      }
    }
  }

  struct Log: Model {
    @PrimaryKey var id: Int?
    @Column var text: String
  }

  private func triggers(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
  }

  private func actions(_ plan: MigrationPlan) -> [MigrationPlan.Step.Action] {
    plan.steps.map(\.action)
  }

  private static let first = """
    CREATE TRIGGER "Post_log" /* Apus */ AFTER UPDATE OF "title" ON "Post"
    BEGIN
      INSERT INTO "Log" ("text") VALUES (OLD."title" || NEW."title");
    END
    """

  // MARK: New, unchanged, changed, removed

  @Test("a trigger is created after all tables, and an unchanged one takes no step")
  func new() throws {
    let db = try Database.temporary()
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
    #expect(try triggers(db) == [Self.first])
    let again = try db.migrationPlan(for: models)
    #expect(again.steps.isEmpty, "\(again)")
    // A schema that has the trigger only adds it to an existing table.
    let other = try Database.temporary(models: [Plain.Post.self, Log.self])
    #expect(actions(try other.migrate(models)) == [.createTrigger("Post_log")])
  }

  @Test("a trigger with another declaration is dropped first and created last")
  func changed() throws {
    let db = try Database.temporary(models: [First.Post.self, Log.self])
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
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    let models: [any Model.Type] = [Plain.Post.self, Log.self]
    let plan = try db.migrate(models)
    #expect(actions(plan) == [.keepDeclaration("the trigger Post_log")])
    #expect(plan.steps.first?.line == #"Dropped(trigger: "Post_log")"#)
    #expect(try triggers(db) == [Self.first])
    let done = try db.migrate(models, MigrationOptions(schemaVersion: 2))
    #expect(actions(done) == [.dropTrigger("Post_log")])
    #expect(done.steps.map(\.reason) == ["the schema no longer declares it"])
    #expect(try triggers(db).isEmpty)

    let other = try Database.temporary(models: [First.Post.self, Log.self])
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
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    #expect(
      actions(try db.migrate([Post.self, Log.self])) == [.dropTrigger("Post_log")])
    #expect(try db.migrationPlan(for: [Post.self, Log.self]).steps.isEmpty)
  }

  // MARK: Triggers of other programs

  @Test("a trigger that Apus did not create is kept, also if it looks almost like its own")
  func foreign() throws {
    let db = try Database.temporary(models: [First.Post.self, Log.self])
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

  @Test("a declared trigger whose name a foreign trigger has is refused, and drops it only if told")
  func takenName() throws {
    let db = try Database.temporary(models: [Plain.Post.self, Log.self])
    let foreign = "CREATE TRIGGER post_LOG AFTER DELETE ON Post BEGIN SELECT 1; END"
    try db.execute(SQL(unsafe: foreign))
    let error = #expect(throws: MigrationError.self) {
      try db.migrate([First.Post.self, Log.self])
    }
    let refusal = try #require(error?.plan.refusals.first)
    #expect(
      refusal.reason == "the trigger Post_log cannot be created: a trigger that Apus did not "
        + "create has that name, on Post; give the trigger another name, or drop the existing one")
    #expect(refusal.lines == [#"Trigger("Post_log_2", …)"#, #"Dropped(trigger: "post_LOG")"#])
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

  @Test("a foreign trigger with the declared name and text counts as the declared one")
  func equal() throws {
    let db = try Database.temporary(models: [Plain.Post.self, Log.self])
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
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    let error = #expect(throws: MigrationError.self) { try db.migrate([Comment.self, Log.self]) }
    #expect(
      error?.plan.refusals.first?.reason.contains("a trigger of another model has that name, on Post")
        == true)
  }

  // MARK: Rebuilds, renamings and dropped columns

  @Test("a rebuild keeps a declared trigger, its own and that of another table")
  func rebuild() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var views: String
      static var schema: Schema<Post> {
        Trigger("Post_log", after: .update(of: \.$title)) { old, new in
          Log.insert { $0.$text = old.$title.concat(new.$title) }
        }
      }
    }
    struct WideLog: Model {
      static let tableName = "Log"
      @PrimaryKey var id: Int?
      @Column var text: String?
    }
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    try db.insert(First.Post(id: 1, title: "a", views: 3))
    #expect(actions(try db.migrate([Post.self, WideLog.self])) == [.rebuildTable, .rebuildTable])
    #expect(try triggers(db) == [Self.first])
    try db.run(Post.update { $0.set(\.$title, to: "b") })
    #expect(try db.fetch(WideLog.select(\.$text)) == ["ab"])
    #expect(try db.migrationPlan(for: [Post.self, WideLog.self]).steps.isEmpty)
  }

  @Test("a trigger follows the new names of its table and columns")
  func renamed() throws {
    struct Article: Model {
      @PrimaryKey var id: Int
      @Column var headline: String
      @Column var views: Int
      static var schema: Schema<Article> {
        RenamedTable(from: "Post")
        Renamed(\.$headline, from: "title")
        Trigger("Post_log", after: .update(of: \.$headline)) { old, new in
          Log.insert { $0.$text = old.$headline.concat(new.$headline) }
        }
      }
    }
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    try db.insert(First.Post(id: 1, title: "a", views: 3))
    let plan = try db.migrate([Article.self, Log.self])
    #expect(
      actions(plan) == [
        .dropTrigger("Post_log"), .renameTable(from: "Post"),
        .renameColumn(from: "title", to: "headline"), .createTrigger("Post_log"),
      ])
    #expect(
      try triggers(db) == [
        Self.first.replacing("\"title\"", with: "\"headline\"")
          .replacing("\"Post\"", with: "\"Article\"")
      ])
    try db.run(Article.update { $0.set(\.$headline, to: "b") })
    #expect(try db.fetch(Log.select(\.$text)) == ["ab"])
    #expect(try db.migrationPlan(for: [Article.self, Log.self]).steps.isEmpty)
  }

  @Test("a trigger over columns that exchange their names is created again")
  func exchanged() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Post> {
        Trigger("Post_log", after: .insert) { new in
          Log.insert { $0.$text = new.$title }
        }
      }
    }
    struct Exchanged: Model {
      static let tableName = "Post"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Exchanged> {
        Renamed(\.$title, from: "body")
        Renamed(\.$body, from: "title")
        Trigger("Post_log", after: .insert) { new in
          Log.insert { $0.$text = new.$title }
        }
      }
    }
    let db = try Database.temporary(models: [Post.self, Log.self])
    let before = try triggers(db)
    try db.migrate([Exchanged.self, Log.self])
    #expect(try triggers(db) == before)
    try db.insert(Exchanged(id: 1, title: "t", body: "b"))
    #expect(try db.fetch(Log.select(\.$text)) == ["t"])
    #expect(try db.migrationPlan(for: [Exchanged.self, Log.self]).steps.isEmpty)
  }

  @Test("a column can be dropped with the declaration that named it")
  func droppedColumn() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var views: Int
      static var schema: Schema<Post> {
        Dropped("title")
        Trigger("Post_log", after: .update(of: \.$views)) { _, _ in
          Log.insert { $0.set(\.$text, to: "seen") }
        }
      }
    }
    let db = try Database.temporary(models: [First.Post.self, Log.self])
    #expect(
      actions(try db.migrate([Post.self, Log.self])) == [
        .dropTrigger("Post_log"), .dropColumn("title"), .createTrigger("Post_log"),
      ])
  }

  // MARK: Views

  struct Name: SQLView {
    @PrimaryKey var id: Int
    @Column var title: String
    static var definition: some Fetchable { Plain.Post.select(\.$id, \.$title) }
    static var schema: Schema<Name> {
      Trigger("Name_delete", insteadOf: .delete) { old in
        Plain.Post.delete().where { $0.$id == old.$id }
      }
    }
  }

  enum Other {
    struct Name: SQLView {
      @PrimaryKey var id: Int
      @Column var title: String
      static var definition: some Fetchable {
        Plain.Post.where { $0.$views > 1 }.select(\.$id, \.$title)
      }
      static var schema: Schema<Name> {
        Trigger("Name_delete", insteadOf: .delete) { old in
          Plain.Post.delete().where { $0.$id == old.$id }
        }
      }
    }

    struct Bare: SQLView {
      static let tableName = "Name"
      @PrimaryKey var id: Int
      @Column var title: String
      static var definition: some Fetchable { Plain.Post.select(\.$id, \.$title) }
    }
  }

  @Test("a view that is created again gets its triggers again, also those of other programs")
  func view() throws {
    let db = try Database.temporary(models: [Name.self, Plain.Post.self])
    #expect(try db.migrationPlan(for: [Name.self, Plain.Post.self]).steps.isEmpty)
    let foreign = "CREATE TRIGGER mine INSTEAD OF INSERT ON Name BEGIN SELECT 1; END"
    try db.execute(SQL(unsafe: foreign))
    let before = try triggers(db)
    let plan = try db.migrate([Other.Name.self, Plain.Post.self])
    #expect(actions(plan).contains(.createTrigger("Name_delete")))
    #expect(try triggers(db) == before)
    let again = try db.migrationPlan(for: [Other.Name.self, Plain.Post.self])
    #expect(again.isEmpty, "\(again)")
  }

  @Test("a view's trigger that is no longer declared is dropped by a newer program")
  func removedFromView() throws {
    let db = try Database.temporary(models: [Name.self, Plain.Post.self])
    let models: [any Model.Type] = [Other.Bare.self, Plain.Post.self]
    #expect(actions(try db.migrate(models)) == [.keepDeclaration("the trigger Name_delete")])
    #expect(
      actions(try db.migrate(models, MigrationOptions(schemaVersion: 1)))
        == [.dropTrigger("Name_delete")])
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
  }

  // MARK: Older programs

  @Test("an older program keeps the trigger of a newer one, whether it is new or changed")
  func older() throws {
    let shared = try SharedFile()
    try shared.open(Plain.Post.self, Log.self)
    try shared.open(First.Post.self, Log.self)
    try shared.open(Second.Post.self, Log.self)
    let schema = try shared.schema
    for model in [First.Post.self, Plain.Post.self] as [any Model.Type] {
      let db = try Database(path: shared.path, models: [model, Log.self])
      let plan = try db.migrationPlan(for: [model, Log.self])
      #expect(plan.steps.map(\.action).contains(.keepNewer), "\(plan)")
      #expect(try shared.schema == schema)
      try db.close()
    }
    try shared.open(Second.Post.self, Log.self)
    #expect(try shared.schema == schema)
  }

  // MARK: Mistakes

  @Test("two triggers of one name are refused, also in two models and in other letters")
  func duplicates() throws {
    struct Twice: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Twice> {
        Trigger("post_log", before: .delete) { _ in Raise(.ignore) }
      }
    }
    let error = #expect(throws: ModelError.self) {
      try Database.temporary(models: [First.Post.self, Log.self, Twice.self])
    }
    #expect(
      error?.message == "Post and Twice declare different triggers with the name post_log, which "
        + "can be that of one trigger only; rename one of them")
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
    struct View: SQLView {
      @PrimaryKey var id: Int
      static var definition: some Fetchable { Plain.Post.select(\.$id) }
      static var schema: Schema<View> { Trigger("t", after: .insert) { _ in Raise(.ignore) } }
    }
    struct Zero: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Zero> {
        Trigger("t", after: .insert) { _ in Log.insert { $0.set(\.$text, to: "a\0b") } }
      }
    }
    struct NotANumber: Model {
      @PrimaryKey var id: Int
      @Column var real: Double
      static var schema: Schema<NotANumber> {
        Trigger("t", after: .insert) { new in
          NotANumber.update { $0.set(\.$real, to: .nan) }
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
      (Defaults.self, "a trigger cannot insert a row of only default values into Log; set a column"),
      (View.self, "a view has only triggers with `insteadOf:`"),
      (Zero.self, "cannot contain a text with U+0000"),
      (NotANumber.self, #"Trigger("t"): "#),
      (New.self, "a trigger cannot write the table New, because the name means one of its rows"),
    ]
    for (model, message) in mistakes {
      let error = #expect(throws: ModelError.self, "\(model)") {
        try Database.temporary(models: [model, Log.self, Plain.Post.self])
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
    let db = try Database.temporary(models: [Plain.Post.self])
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
    let db = try Database.temporary(models: [Hostile.self])
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
    try db.run(Hostile.update { $0.set(\.$text, to: "b") })
    #expect(try db.fetch(Hostile.all) == [Hostile(id: 1, text: "b", old: 22)])
    #expect(try db.migrationPlan(for: [Hostile.self]).steps.isEmpty)
  }
}
