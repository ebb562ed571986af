import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Declared triggers, when their tables and views change")
struct TriggerChangeTests: TriggerSuite {
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
    let db = try Specification.database(models: [First.Post.self, Log.self])
    try db.insert(First.Post(id: 1, title: "a", views: 3))
    #expect(actions(try db.migrate([Post.self, WideLog.self])) == [.rebuildTable, .rebuildTable])
    #expect(try triggers(db) == [TriggerVersions.first])
    try db.run(Post.update { $0.$title = "b" })
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
    let db = try Specification.database(models: [First.Post.self, Log.self])
    try db.insert(First.Post(id: 1, title: "a", views: 3))
    let plan = try db.migrate([Article.self, Log.self])
    #expect(
      actions(plan) == [
        .dropTrigger("Post_log"), .renameTable(from: "Post"),
        .renameColumn(from: "title", to: "headline"), .createTrigger("Post_log"),
      ])
    #expect(
      try triggers(db) == [
        TriggerVersions.first.replacing("\"title\"", with: "\"headline\"")
          .replacing("\"Post\"", with: "\"Article\"")
      ])
    try db.run(Article.update { $0.$headline = "b" })
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
    let db = try Specification.database(models: [Post.self, Log.self])
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
          Log.insert { $0.$text = "seen" }
        }
      }
    }
    let db = try Specification.database(models: [First.Post.self, Log.self])
    #expect(
      actions(try db.migrate([Post.self, Log.self])) == [
        .dropTrigger("Post_log"), .dropColumn("title"), .createTrigger("Post_log"),
      ])
  }

  @Test("the user's own steps run before a new trigger is created, and those of `.last` after it")
  func steps() throws {
    let db = try Specification.database(models: [Plain.Post.self, Log.self])
    try db.insert(Plain.Post(id: 1, title: "a", views: 3))
    let steps = [MigrationStep.Moment.before, .after, .last].map { moment in
      MigrationStep("\(moment)", moment) { connection in
        try connection.execute("UPDATE Post SET title = \("\(moment)")")
      }
    }
    let plan = try db.migrate([First.Post.self, Log.self], MigrationOptions(steps: steps))
    #expect(
      actions(plan) == [
        .userStep("before"), .userStep("after"), .createTrigger("Post_log"), .userStep("last"),
      ])
    #expect(try db.fetch(Log.select(\.$text)) == ["afterlast"])
  }

  // MARK: Views

  struct Name: Model, SQLView {
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
    struct Name: Model, SQLView {
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

    struct Bare: Model, SQLView {
      static let tableName = "Name"
      @PrimaryKey var id: Int
      @Column var title: String
      static var definition: some Fetchable { Plain.Post.select(\.$id, \.$title) }
    }
  }

  @Test("a view that is created again gets its triggers again, also those of other programs")
  func view() throws {
    let db = try Specification.database(models: [Name.self, Plain.Post.self])
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
    let db = try Specification.database(models: [Name.self, Plain.Post.self])
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
      let db = try Specification.reopen(shared.file, models: [model, Log.self])
      let plan = try db.migrationPlan(for: [model, Log.self])
      #expect(plan.steps.map(\.action).contains(.keepNewer), "\(plan)")
      #expect(try shared.schema == schema)
      try db.close()
    }
    try shared.open(Second.Post.self, Log.self)
    #expect(try shared.schema == schema)
  }
}
