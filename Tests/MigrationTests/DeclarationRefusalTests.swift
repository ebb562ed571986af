import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Refusals of contradictory declarations and of names that are taken")
struct DeclarationRefusalTests: RefusalExpecting {
  // MARK: Facets

  struct Profile: Model {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var mail: String?
  }

  enum Wrong {
    struct Key: Model {
      static let tableName = "profiles"
      @PrimaryKey var name: String
      @Column var mail: String?
      var id: String { name }
    }

    struct Moody: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var mood: Temper
    }

    struct Class: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var name: Int
    }

    struct Required: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var mail: String
    }
  }

  enum Pasted {
    struct Key: Model {
      static let tableName = "profiles2"
      @PrimaryKey var name: String
      @Column var mail: String?
      var id: String { name }
    }

    struct Moody: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var mood: Temper?
    }

    struct Class: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var name: String
    }
  }

  static let facets: [(any Model.Type, String, String, any Model.Type)] = [
    (
      Wrong.Key.self,
      "the primary key is (id) in Profile and (name) in Key; declare the same key in both, "
        + "or give one of them a table of its own", #"static let tableName = "profiles2""#,
      Pasted.Key.self
    ),
    (
      Wrong.Moody.self,
      "mood is not optional and has no default, and Profile, which does not declare it, could not "
        + #"insert rows; write `Default(\.$mood, …)` in the schema of Moody, or make the property "#
        + "optional",
      "@Column var mood: Temper?", Pasted.Moody.self
    ),
    (
      Wrong.Class.self,
      "name is TEXT in Profile and INTEGER in Class; declare the same type in both",
      "@Column var name: String", Pasted.Class.self
    ),
    (
      Wrong.Required.self,
      "mail is optional in Profile and not in Required; declare it in the same way in both",
      "@Column var mail: String?", Pasted.Key.self
    ),
  ]

  @Test(
    "facets that contradict each other are refused with a line that resolves it", arguments: 0..<4)
  func facets(_ index: Int) throws {
    let (model, reason, line, pasted) = Self.facets[index]
    _ = try expectRefused(
      "SELECT 1", model, reason, line: line, pastedInto: pasted, others: [Profile.self])
  }

  // MARK: Names that are taken

  struct Thing: Model {
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Thing> { Index(\.$size) }
  }

  struct PastedThing: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<PastedThing> {
      Index(\.$size, name: "Thing_on_size_2")
    }
  }

  @Test(
    "an index whose name is taken is refused with another name, in a new and in an existing table",
    arguments: [true, false])
  func takenName(_ isThere: Bool) throws {
    let thing: SQL = isThere ? "; CREATE TABLE Thing (id INTEGER PRIMARY KEY, size INTEGER)" : ""
    _ = try expectRefused(
      "CREATE TABLE Thing_on_size (x)" + thing, Thing.self,
      "the index Thing_on_size cannot be created: table Thing_on_size has that name; give the index "
        + "another name with `name:`", line: #"Index(\.$size, name: "Thing_on_size_2")"#,
      pastedInto: PastedThing.self)
  }

  struct Partial: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Partial> { Index(\.$size) { $0.$size != nil } }
  }

  // swift-format-ignore
  struct PastedPartial: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<PastedPartial> {
      Index(
        \.$size,
        name: "Thing_on_size_d64aefb9_2"
      ) { $0.$size != nil }
    }
  }

  @Test("a partial index whose name is taken is refused with another name")
  func takenNameOfPartial() throws {
    _ = try expectRefused(
      "CREATE TABLE Thing_on_size_d64aefb9 (x)", Partial.self,
      "the index Thing_on_size_d64aefb9 cannot be created: table Thing_on_size_d64aefb9 has that name; give "
        + "the index another name with `name:`", line: #"name: "Thing_on_size_d64aefb9_2""#,
      pastedInto: PastedPartial.self)
  }

  struct Gone: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    static var schema: Schema<Gone> { Dropped(table: "Thing") }
  }

  struct PastedGone: Model {
    static let tableName = "Thing2"
    @PrimaryKey var id: Int
    static var schema: Schema<PastedGone> { Dropped(table: "Thing") }
  }

  @Test("a table that is both declared and dropped is refused with another table name")
  func droppedTable() throws {
    let db = try expectRefused(
      "CREATE TABLE Thing (id INTEGER PRIMARY KEY NOT NULL); INSERT INTO Thing VALUES (1)",
      Gone.self,
      #"`Dropped(table: "Thing")` is declared, but Gone uses that table; remove the line, or give the "#
        + "model's table another name", line: #"static let tableName = "Thing2""#,
      pastedInto: PastedGone.self)
    #expect(try db.count(PastedGone.all) == 0)
  }

  struct PastedVirtual: Model {
    static let tableName = "Thing2"
    @PrimaryKey var id: Int
    @Column var size: Int?
  }

  @Test("a model whose table is a virtual table is refused with another table name")
  func virtual() throws {
    _ = try expectRefused(
      "CREATE VIRTUAL TABLE Thing USING fts5(text)", Thing.self,
      "Thing is not an ordinary table: CREATE VIRTUAL TABLE Thing USING fts5(text); give the model's "
        + "table another name", line: #"static let tableName = "Thing2""#,
      pastedInto: PastedVirtual.self)
  }

  struct Sizes: Model, SQLView {
    @PrimaryKey var id: Int
    static var definition: some Fetchable { Thing.all.select(\.$id) }
  }

  struct Dropping: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Dropping> {
      Index(\.$size)
      Dropped(table: "Sizes")
    }
  }

  @Test("a view whose name a table has is refused with the line that drops the table")
  func view() throws {
    let db = try expectRefused(
      "CREATE TABLE Sizes (id INTEGER PRIMARY KEY)", Thing.self,
      "Sizes is a table in the database and a view in Sizes; give the view another name, or drop the table "
        + "in the schema of a model", line: #"Dropped(table: "Sizes")"#, pastedInto: Dropping.self,
      others: [Sizes.self])
    #expect(try db.fetch(Sizes.all).isEmpty)
  }

  // MARK: Objects that name a dropped table or column

  struct Ending: Model {
    static let tableName = "Child"
    @PrimaryKey var id: Int
    static var schema: Schema<Ending> { Dropped(table: "Old") }
  }

  enum WithoutOld {
    struct Reference: Model {
      static let tableName = "Child"
      @PrimaryKey var id: Int
      static var schema: Schema<Reference> {
        Dropped(table: "Old")
        Dropped(foreignKey: "oldID")  // in the schema of Ending
      }
    }

    struct View: Model {
      static let tableName = "Child"
      @PrimaryKey var id: Int
      static var schema: Schema<View> {
        Dropped(table: "Old")
        Dropped(view: "v")
      }
    }

    struct Trigger: Model {
      static let tableName = "Child"
      @PrimaryKey var id: Int
      static var schema: Schema<Trigger> {
        Dropped(table: "Old")
        Dropped(trigger: "t")
      }
    }
  }

  static let namings: [(SQL, String, String, any Model.Type)] = [
    (
      "ALTER TABLE Child ADD COLUMN oldID INTEGER REFERENCES Old (id)",
      "the foreign key (oldID) of Child",
      #"Dropped(foreignKey: "oldID")  // in the schema of Ending"#,
      WithoutOld.Reference.self
    ),
    (
      "CREATE VIEW v AS SELECT id FROM Old", "the view v", #"Dropped(view: "v")"#,
      WithoutOld.View.self
    ),
    (
      "CREATE TRIGGER t AFTER INSERT ON Child BEGIN INSERT INTO Old VALUES (new.id); END",
      "the trigger t", #"Dropped(trigger: "t")"#, WithoutOld.Trigger.self
    ),
  ]

  @Test(
    "dropping a table that another object names is refused with the line that drops it, too",
    arguments: 0..<3)
  func naming(_ index: Int) throws {
    let (sql, what, line, pasted) = Self.namings[index]
    let db = try expectRefused(
      """
      CREATE TABLE Old (id INTEGER PRIMARY KEY); CREATE TABLE Child (id INTEGER PRIMARY KEY NOT NULL);
      INSERT INTO Old VALUES (1)
      """ + "; " + sql, Ending.self, "the table Old cannot be dropped while \(what) refers to it",
      line: line, pastedInto: pasted)
    #expect(try db.read { try !$0.tableExists("Old") })
    try db.execute("INSERT INTO Child (id) VALUES (1)")
  }

  struct Parent: Model {
    @PrimaryKey var id: Int
    static var schema: Schema<Parent> {
      Dropped("code")
      Dropped(unique: "code")
    }
  }

  struct Referring: Model {
    static let tableName = "Child"
    @PrimaryKey var id: Int
    @Column var code: String?
  }

  struct PastedReferring: Model {
    static let tableName = "Child"
    @PrimaryKey var id: Int
    @Column var code: String?
    static var schema: Schema<PastedReferring> {
      Dropped(foreignKey: "code")  // in the schema of Referring
    }
  }

  @Test(
    "dropping a column to which another table refers is refused with the line for the foreign key")
  func referredColumn() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Parent (id INTEGER PRIMARY KEY NOT NULL, code TEXT UNIQUE);
      CREATE TABLE Child (id INTEGER PRIMARY KEY NOT NULL, code TEXT REFERENCES Parent (code));
      INSERT INTO Parent VALUES (1, 'a'); INSERT INTO Child VALUES (1, 'a')
      """, Referring.self,
      "the column code cannot be dropped while the foreign key (code) of Child refers to it",
      line: #"Dropped(foreignKey: "code")  // in the schema of Referring"#,
      pastedInto: PastedReferring.self, others: [Parent.self])
    #expect(try db.fetch(PastedReferring.all).map(\.code) == ["a"])
  }
}
