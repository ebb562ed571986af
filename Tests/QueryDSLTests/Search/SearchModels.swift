import QueryDSL
import SQLCore
import SchemaMigration

/// The models of the tests of full-text search.
enum Library {
  enum Status: String, ColumnValue { case draft, published }

  struct Author: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var body: String?
    @Column var status = Status.published
    @Column var authorID: Int?
    @Column var slug: String?

    static var schema: Schema<Post> {
      ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
      Unique(\.$slug)
      FullText(prefixes: [2, 3]) {
        $0.$title.weighted(10)
        $0.$body
        $0.$status.unindexed
      }
    }
  }

  static let models: [any Model.Type] = [Author.self, Post.self]

  static func database() throws -> Database { try .temporary(models: models) }

  /// Returns the keys of the rows that FTS5 finds, by raw SQL.
  static func keys(_ db: Database, _ pattern: String, in index: String = "Post_search") throws
    -> [Int]
  {
    try db.fetch(
      Int.self,
      "SELECT rowid FROM \(identifier: index) WHERE \(identifier: index) MATCH \(pattern) ORDER BY rowid"
    )
  }

  static func actions(_ plan: MigrationPlan) -> [MigrationPlan.Step.Action] {
    plan.steps.map(\.action)
  }
}

/// Versions of one table, with and without a full-text index.
enum Versions {
  enum Plain {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
    }
  }

  enum First {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Note> { FullText(\.$title) }
    }
  }

  enum Second {
    struct Note: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var body: String
      static var schema: Schema<Note> {
        FullText(tokenizer: .porter()) {
          $0.$title.weighted(5)
          $0.$body
        }
      }
    }
  }
}
