import QueryDSL
import SQLCore

/// One migration for each kind of step, from the tables that the test creates:
///
///     CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
///       old TEXT)
///     CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL, itemID INTEGER NOT NULL
///       REFERENCES Item (id) ON DELETE CASCADE)
struct Migrations {
  let models: [any Model.Type]
  var steps: [MigrationStep] = []

  static let all: [String: Migrations] = [
    "add": Migrations(models: [Adding.Item.self]),
    "type": Migrations(models: [Typed.Item.self]),
    "null": Migrations(models: [Nullable.Item.self]),
    "drop": Migrations(models: [Dropping.Item.self]),
    "rename": Migrations(models: [Renaming.Thing.self]),
    "check": Migrations(models: [Checked.Item.self]),
    "index": Migrations(models: [Indexed.Item.self]),
    "steps": Migrations(
      models: [Dropping.Item.self],
      steps: [
        MigrationStep("before", .before) { try $0.execute("UPDATE Item SET name = name || '!'") },
        MigrationStep("after") { try $0.execute("UPDATE Item SET name = name || old") },
      ]),
  ]

  enum Adding {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      @Column var stars: Int
    }
  }

  enum Typed {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: Int
      @Column var old: String?
    }
  }

  enum Nullable {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String?
      @Column var size: String
      @Column var old: String?
    }
  }

  enum Dropping {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      static var schema: Schema<Item> { Dropped("old") }
    }
  }

  enum Renaming {
    struct Thing: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Thing> {
        RenamedTable(from: "Item")
        Renamed(\.$title, from: "name")
      }
    }
  }

  enum Checked {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Item> { Check { $0.$name != "" } }
    }
  }

  enum Indexed {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Item> {
        Unique(\.$name)
        Index(\.$size)
      }
    }
  }
}
