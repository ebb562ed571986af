import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

// Programs that use one file, one after another or at the same time. Each has its own declaration
// of the tables.

enum FirstVersion {
  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var url: String
    @Column var views: Int
  }
}

/// Declares one more column and a unique index.
enum SecondVersion {
  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var url: String
    @Column var views: Int
    @Column var rating: Int?

    static var schema: Schema<Post> { Unique(\.$url) }
  }
}

/// Declares another type.
enum ThirdVersion {
  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var url: String
    @Column var views: String
    @Column var rating: Int?

    static var schema: Schema<Post> { Unique(\.$url) }
  }
}

/// A file that several programs open.
struct SharedFile {
  let file: Database

  /// The path of the file; empty if an engine keeps the database elsewhere.
  var path: String { file.path ?? "" }

  init() throws {
    file = try Specification.database()
  }

  /// Opens the file as a program with these models does, and closes it.
  func open(_ models: any Model.Type..., options: MigrationOptions = MigrationOptions()) throws {
    try Specification.reopen(file, models: models, migration: options).close()
  }

  var schema: [[DatabaseValue]] {
    get throws {
      try file.rows("SELECT name, sql FROM sqlite_schema ORDER BY name").map(\.values)
    }
  }

  func value(_ sql: SQL) throws -> DatabaseValue? { try file.row(sql)?[0] }

  func has(_ name: String) throws -> Bool {
    try file.row("SELECT 1 FROM sqlite_schema WHERE name = \(name)") != nil
  }
}
