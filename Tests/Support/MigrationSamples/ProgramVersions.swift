import Foundation
import QueryDSL
import SQLCore
import SchemaMigration

/// A version of a program: its models, and what it does with the file that it opened.
package struct ProgramVersion: Sendable {
  package let models: [any Model.Type]
  /// Inserts a post and reads all posts, through the version's own model.
  package let use: @Sendable (Database) throws -> Void

  package static let all: [String: ProgramVersion] = [
    "first": ProgramVersion(models: [First.Post.self]) { db in
      try db.insert(First.Post(url: UUID().uuidString, views: 1))
      _ = try db.fetch(First.Post.all)
    },
    "second": ProgramVersion(models: [Second.Post.self]) { db in
      try db.insert(Second.Post(url: UUID().uuidString, views: 2, rating: 5))
      _ = try db.fetch(Second.Post.all)
    },
    "third": ProgramVersion(models: [Third.Post.self]) { db in
      try db.insert(Third.Post(url: UUID().uuidString, views: "many"))
      _ = try db.fetch(Third.Post.all)
    },
  ]

  package enum First {
    package struct Post: Model {
      @PrimaryKey package var id: Int64?
      @Column var url: String
      @Column var views: Int
    }
  }

  /// Adds a unique index and a column, and lets `views` be NULL: the first version can work with
  /// it.
  package enum Second {
    package struct Post: Model {
      @PrimaryKey package var id: Int64?
      @Column var url: String
      @Column var views: Int?
      @Column var rating: Int?

      package static var schema: Schema<Post> { Unique(\.$url) }
    }
  }

  /// Widens `views` from INTEGER to TEXT: the versions before cannot work with it.
  package enum Third {
    package struct Post: Model {
      @PrimaryKey package var id: Int64?
      @Column var url: String
      @Column var views: String?
      @Column var rating: Int?

      package static var schema: Schema<Post> { Unique(\.$url) }
    }
  }
}
