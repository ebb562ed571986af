import QueryDSL
import SQLCore
import SchemaMigration

/// Versions of a model with and without a trigger, and the table that the trigger writes.
enum TriggerVersions {
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

  static let first = """
    CREATE TRIGGER "Post_log" /* Apus */ AFTER UPDATE OF "title" ON "Post"
    BEGIN
      INSERT INTO "Log" ("text") VALUES (OLD."title" || NEW."title");
    END
    """
}

/// A suite whose tests use these versions.
protocol TriggerSuite {}

extension TriggerSuite {
  typealias Plain = TriggerVersions.Plain
  typealias First = TriggerVersions.First
  typealias Second = TriggerVersions.Second
  typealias Log = TriggerVersions.Log

  /// Returns the SQL of all triggers, ordered by their names.
  func triggers(_ db: Database) throws -> [String] {
    try db.fetch(
      String.self, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
  }

  func actions(_ plan: MigrationPlan) -> [MigrationPlan.Step.Action] {
    plan.steps.map(\.action)
  }
}
