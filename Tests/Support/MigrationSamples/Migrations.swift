import QueryDSL
import SQLCore
import SchemaMigration

/// One migration for each kind of step, from the tables of `LargeFile`:
///
///     CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
///       old TEXT)
///     CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL, itemID INTEGER NOT NULL
///       REFERENCES Item (id) ON DELETE CASCADE)
package struct Migrations {
  package let models: [any Model.Type]
  var steps: [MigrationStep] = []
  var invalidValues = MigrationOptions.InvalidValues.refused

  package var options: MigrationOptions {
    MigrationOptions(invalidValues: invalidValues, steps: steps)
  }

  package static let all: [String: Migrations] = [
    "add": Migrations(models: [Adding.Item.self]),
    "type": Migrations(models: [Typed.Item.self]),
    "null": Migrations(models: [Nullable.Item.self]),
    "drop": Migrations(models: [Dropping.Item.self]),
    "rename": Migrations(models: [Renaming.Thing.self]),
    "check": Migrations(models: [Checked.Item.self]),
    "index": Migrations(models: [Indexed.Item.self]),
    "key": Migrations(models: [Keyed.Item.self]),
    "rowid": Migrations(models: [WithoutRows.Item.self]),
    "reference": Migrations(models: [Referring.Item.self, Referring.Part.self]),
    "generated": Migrations(models: [Calculated.Item.self]),
    "objects": Migrations(models: [Others.Item.self, Others.Tag.self, Others.Small.self]),
    "delete": Migrations(models: [Valid.Item.self], invalidValues: .deleted),
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
      static var schema: Schema<Item> { Default(\.$stars, 0) }
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

  enum Keyed {
    struct Item: Model {
      @PrimaryKey var name: String
      @Column var number: Int
      @Column var size: String
      @Column var old: String?
      var id: String { name }
      static var schema: Schema<Item> {
        Named(\.$number, "id")
        Unique(\.$number)
      }
    }
  }

  enum WithoutRows {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Item> { WithoutRowID() }
    }
  }

  enum Referring {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
    }

    struct Part: Model {
      @PrimaryKey var id: Int
      @Column var itemID: Int
      static var schema: Schema<Part> {
        ForeignKey(\.$itemID, references: \Item.$id, onDelete: .restrict, deferred: true)
      }
    }
  }

  enum Calculated {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      @Column var twice: Int
      static var schema: Schema<Item> { Generated(\.$twice, .stored) { $0.$id * 2 } }
    }
  }

  enum Others {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Item> {
        Dropped(index: "mine")
        Dropped(trigger: "t")
        Dropped(table: "log")
      }
    }

    struct Tag: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      static var schema: Schema<Tag> { Unique(\.$name) }
    }

    struct Small: Model, SQLView {
      @PrimaryKey var id: Int
      @Column var name: String
      static var definition: some Fetchable {
        Item.where { $0.$size == "1" }.select(\.$id, \.$name)
      }
    }
  }

  enum Valid {
    struct Item: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var size: String
      @Column var old: String?
      static var schema: Schema<Item> { Check { $0.$name != "invalid" } }
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
