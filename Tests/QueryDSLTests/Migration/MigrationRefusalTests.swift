import Foundation
import QueryDSL
import SQLCore
import Testing

/// A plan that refuses a step says, in a line that can be pasted, how to declare what it needs. Each
/// test has the model before the line and the model with the line, as it was pasted.
@Suite("G2 what would lose something is refused, with the line that declares it")
struct MigrationRefusalTests {
  /// Migrates a table that is there already, and expects that it is refused for one reason, with a
  /// line that stands in this file, in the schema of the pasted model; and that nothing was done.
  func expectRefused(
    _ sql: SQL, _ model: any Model.Type, _ reason: String, line: String,
    pastedInto pasted: any Model.Type, others: [any Model.Type] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Database {
    let db = try Database.temporary()
    try db.execute(sql)
    let before = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try db.migrate(others + [model])
    }
    let refusals = error?.plan.refusals ?? []
    #expect(refusals.map(\.reason) == [reason], sourceLocation: sourceLocation)
    #expect(refusals.map(\.line) == [line], sourceLocation: sourceLocation)
    let description = error?.description ?? ""
    #expect(
      description.hasPrefix("the database was not migrated, and nothing was changed:"),
      sourceLocation: sourceLocation)
    #expect(description.contains("  ! refused: \(reason)"), sourceLocation: sourceLocation)
    #expect(description.contains("\n      \(line)"), sourceLocation: sourceLocation)
    let after = try db.rows("SELECT sql FROM sqlite_schema ORDER BY name").map(\.values)
    #expect(after == before, sourceLocation: sourceLocation)
    let path = try #require(db.path)
    #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
      try Database(path: path, models: others + [model])
    }
    // The line, pasted, stands alone in a line of this file.
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    #expect(
      source.split(separator: "\n").contains { $0.trimmingCharacters(in: .whitespaces) == line },
      "\(line)", sourceLocation: sourceLocation)
    try db.migrate(others + [pasted])
    let again = try db.migrationPlan(for: others + [pasted])
    #expect(again.isEmpty, "\(again)", sourceLocation: sourceLocation)
    return db
  }

  // MARK: Types

  struct Price: Model {
    @PrimaryKey var id: Int
    @Column var price: Int
  }

  enum Pasted {
    struct Price: Model {
      @PrimaryKey var id: Int
      @Column var price: Int
      static var schema: Schema<Price> {
        Converted(\.$price, from: String.self) { Int($0) ?? 0 }
      }
    }

    struct Sum: Model {
      static let tableName = "Price"
      @PrimaryKey var id: Int
      @Column var price: Int
      static var schema: Schema<Sum> {
        Converted(\.$price, from: Double?.self) { $0.flatMap { Int(exactly: $0.rounded()) } ?? 0 }
      }
    }

    struct Name: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      static var schema: Schema<Name> {
        Converted(\.$name, from: String?.self) { $0 ?? "" }
      }
    }

    struct Day: Model {
      @PrimaryKey var id: Int
      @Column var day: Date?
      static var schema: Schema<Day> {
        Converted(\.$day, from: Double.self) { _ in nil }
      }
    }
  }

  @Test("text that is no number, for a number")
  func textToInteger() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Price (id INTEGER PRIMARY KEY, price TEXT NOT NULL);
      INSERT INTO Price VALUES (1, '5'), (2, 'five'), (3, '')
      """, Price.self,
      "price is TEXT in the database and INTEGER in Price, and 2 of the values there would not be the "
        + "same; say what they become, or declare a new property",
      line: #"Converted(\.$price, from: String.self) { Int($0) ?? 0 }"#,
      pastedInto: Pasted.Price.self)
    #expect(try db.fetch(Pasted.Price.all).map(\.price) == [5, 0, 0])
  }

  @Test("numbers with a fraction, for integers, and NULL among them")
  func realToInteger() throws {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Price (id INTEGER PRIMARY KEY, price REAL);
      INSERT INTO Price VALUES (1, 5.0), (2, 5.5), (3, NULL)
      """)
    let refusal = try #require(try db.migrationPlan(for: [Price.self]).refusals.first)
    #expect(
      refusal.reason
        == "price is REAL in the database and INTEGER in Price, and 1 of the values there "
        + "is NULL; declare it as an optional, or say what they become")
    #expect(
      refusal.line
        == #"Converted(\.$price, from: Double?.self) { $0.flatMap { Int(exactly: $0.rounded()) } ?? 0 }"#
    )
    try db.migrate([Pasted.Sum.self])
    #expect(try db.fetch(Pasted.Sum.all).map(\.price) == [5, 6, 0])
  }

  struct Name: Model {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  @Test("NULL where there is no optional")
  func null() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Name (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO Name VALUES (1, 'a'), (2, NULL)
      """, Name.self,
      "name may be NULL in the database and is not optional in Name, and 1 of the values there is "
        + "NULL; declare it as an optional, or say what they become",
      line: #"Converted(\.$name, from: String?.self) { $0 ?? "" }"#, pastedInto: Pasted.Name.self)
    #expect(try db.fetch(Pasted.Name.all).map(\.name) == ["a", ""])
  }

  struct Day: Model {
    @PrimaryKey var id: Int
    @Column var day: Date?
  }

  @Test("a number that several forms of a date could be")
  func dateForms() throws {
    _ = try expectRefused(
      "CREATE TABLE Day (id INTEGER PRIMARY KEY, day REAL NOT NULL); INSERT INTO Day VALUES (1, 2.5)",
      Day.self,
      "day is REAL in the database and INTEGER in Day, which several forms of Date are; say how it is "
        + "read",
      line: #"Converted(\.$day, from: Double.self) { _ in nil }"#, pastedInto: Pasted.Day.self)
  }

  // MARK: New columns

  struct Mood: Model {
    @PrimaryKey var id: Int
    @Column var mood: Temper
  }

  struct PastedMood: Model {
    static let tableName = "Mood"
    @PrimaryKey var id: Int
    @Column var mood: Temper?
  }

  @Test("a new column that is not optional and has no value for the rows that are there")
  func noDefault() throws {
    _ = try expectRefused(
      "CREATE TABLE Mood (id INTEGER PRIMARY KEY); INSERT INTO Mood VALUES (1), (2)", Mood.self,
      "the new column mood needs a value for the rows that are there; make it an optional, or write "
        + #"`Default(\.$mood, …)` in the schema of Mood"#,
      line: "@Column var mood: Temper?", pastedInto: PastedMood.self)
  }

  struct Review: Model {
    @PrimaryKey var id: Int
    @Column var albumID: Int
    static var schema: Schema<Review> { ForeignKey(\.$albumID, references: \Album.$id) }
  }

  struct PastedReview: Model {
    static let tableName = "Review"
    @PrimaryKey var id: Int
    @Column var albumID: Int?
    static var schema: Schema<PastedReview> { ForeignKey(\.$albumID, references: \Album.$id) }
  }

  @Test("a new column that refers to another table, and is not optional")
  func reference() throws {
    _ = try expectRefused(
      "CREATE TABLE Review (id INTEGER PRIMARY KEY); INSERT INTO Review VALUES (1)", Review.self,
      "the new column albumID refers to another table, and rows that are there would refer to "
        + #"nothing; make it an optional, or write `Default(\.$albumID, …)` in the schema of Review"#,
      line: "@Column var albumID: Int?", pastedInto: PastedReview.self, others: [Album.self])
  }

  // MARK: What no model declares

  struct Bare: Model {
    @PrimaryKey var id: Int
  }

  struct Needed: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    @Column var needed: String
  }

  @Test("NOT NULL without a default, and no property declares it: insertions would fail")
  func undeclared() throws {
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, needed TEXT NOT NULL)", Bare.self,
      "needed is NOT NULL without a default and no property declares it: insertions would fail; "
        + #"declare it as a property of Bare, or drop it by `Dropped("needed")`"#,
      line: "@Column var needed: String", pastedInto: Needed.self)
  }

  struct Dropping: Model {
    static let tableName = "Bare"
    @PrimaryKey var id: Int
    static var schema: Schema<Dropping> { Dropped("old") }
  }

  enum Named {
    struct Index: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Index> {
        Dropped("old")
        Dropped(index: "mine")
      }
    }

    struct Trigger: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Trigger> {
        Dropped("old")
        Dropped(trigger: "t")
      }
    }

    struct View: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<View> {
        Dropped("old")
        Dropped(view: "v")
      }
    }

    struct Check: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Check> {
        Dropped("old")
        Dropped(check: "old > 0")
      }
    }

    struct Unique: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Unique> {
        Dropped("old")
        Dropped(unique: "old")
      }
    }

    struct Column: Model {
      static let tableName = "Bare"
      @PrimaryKey var id: Int
      static var schema: Schema<Column> {
        Dropped("old")
        Dropped("twice")
      }
    }
  }

  static let namings: [(String, String, String, any Model.Type)] = [
    (
      "CREATE INDEX mine ON Bare (old)", "the index mine", #"Dropped(index: "mine")"#,
      Named.Index.self
    ),
    (
      "CREATE TRIGGER t AFTER INSERT ON Bare BEGIN SELECT new.old; END", "the trigger t",
      #"Dropped(trigger: "t")"#, Named.Trigger.self
    ),
    (
      "CREATE VIEW v AS SELECT old FROM Bare", "the view v", #"Dropped(view: "v")"#,
      Named.View.self
    ),
    (
      "ALTER TABLE Bare ADD COLUMN twice AS (old * 2)", "the column twice", #"Dropped("twice")"#,
      Named.Column.self
    ),
  ]

  @Test(
    "a column that something else names, which must be declared as dropped, too", arguments: 0..<4)
  func naming(_ index: Int) throws {
    let (sql, what, line, pasted) = Self.namings[index]
    let db = try expectRefused(
      """
      CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER); INSERT INTO Bare VALUES (1, 2);
      \(unsafe: sql)
      """, Dropping.self, "the column old cannot go while \(what) names it", line: line,
      pastedInto: pasted)
    #expect(try db.columnNames(of: "Bare") == ["id"])
    #expect(try db.count(Dropping.all) == 1)
  }

  @Test("a column that a constraint names")
  func constraints() throws {
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER CHECK (old > 0))", Dropping.self,
      "the column old cannot go while CHECK (old > 0) names it",
      line: #"Dropped(check: "old > 0")"#,
      pastedInto: Named.Check.self)
    _ = try expectRefused(
      "CREATE TABLE Bare (id INTEGER PRIMARY KEY, old INTEGER UNIQUE)", Dropping.self,
      #"the column old cannot go while UNIQUE ("old") names it"#, line: #"Dropped(unique: "old")"#,
      pastedInto: Named.Unique.self)
  }

  // MARK: Uniqueness and keys

  struct Sized: Model {
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<Sized> { Unique(\.$size) }
  }

  struct PastedSized: Model {
    static let tableName = "Sized"
    @PrimaryKey var id: Int
    @Column var size: Int?
    static var schema: Schema<PastedSized> {
      Index(\.$size)
    }
  }

  @Test("a unique index over values that come twice; NULL may")
  func duplicates() throws {
    _ = try expectRefused(
      """
      CREATE TABLE Sized (id INTEGER PRIMARY KEY, size INTEGER);
      INSERT INTO Sized VALUES (1, 5), (2, 5), (3, NULL), (4, NULL)
      """, Sized.self,
      "size shall be unique, and 1 of the values there is in several rows; make them different by a "
        + "`MigrationStep`, or declare an index alone", line: #"Index(\.$size)"#,
      pastedInto: PastedSized.self)
  }

  struct Keyed: Model {
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int
  }

  struct PastedKeyed: Model {
    static let tableName = "Keyed"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var number: Int
    static var schema: Schema<PastedKeyed> {
      Unique(\.$number)
    }
  }

  @Test("B7 another key, where rows of other tables refer to the old one")
  func referredKey() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT NOT NULL);
      CREATE TABLE Child (keyedID INTEGER REFERENCES Keyed (number));
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'b'); INSERT INTO Child VALUES (2)
      """, Keyed.self,
      "the primary key is (number) in the database and (code) in Keyed, and Child refers to (number), which "
        + "must stay unique", line: #"Unique(\.$number)"#, pastedInto: PastedKeyed.self)
    #expect(try db.find(PastedKeyed.self, "b")?.number == 2)
    #expect(throws: DatabaseError.self) { try db.execute("INSERT INTO Child VALUES (3)") }
  }

  @Test("B7 a key with NULL or with values that come twice")
  func badKey() throws {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Keyed (number INTEGER PRIMARY KEY NOT NULL, code TEXT);
      INSERT INTO Keyed VALUES (1, 'a'), (2, 'a'), (3, NULL)
      """)
    let plan = try db.migrationPlan(for: [Keyed.self])
    #expect(
      plan.refusals.first?.reason
        == "the primary key is (number) in the database and (code) in Keyed, and "
        + "in the rows there 1 of its values is NULL and 1 comes more than once; make them right by a "
        + "`MigrationStep` that runs before")
  }

  // MARK: Names that are taken

  struct Thing: Model {
    @PrimaryKey var id: Int
    static var schema: Schema<Thing> { Index(\.$id) }
  }

  struct PastedThing: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int
    static var schema: Schema<PastedThing> {
      Dropped(view: "Thing")
    }
  }

  @Test("a view in the place of a table")
  func view() throws {
    _ = try expectRefused(
      "CREATE VIEW Thing AS SELECT 1 AS id", Thing.self, "Thing is a view; a model needs a table",
      line: #"Dropped(view: "Thing")"#, pastedInto: PastedThing.self)
  }

  @Test("a table that has the name of an index is told before anything runs")
  func takenName() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE Thing_on_id (x); CREATE TABLE Thing (id INTEGER PRIMARY KEY)")
    let error = #expect(throws: MigrationError.self) { try db.migrate([Album.self, Thing.self]) }
    #expect(
      error?.plan.refusals.first?.reason == "the index Thing_on_id cannot be created: table "
        + "Thing_on_id has that name; give the index another by `name:`")
    #expect(try db.rows("SELECT name FROM sqlite_schema").count == 2)
  }

  @Test("several reasons are told at once")
  func several() throws {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Price (id INTEGER PRIMARY KEY, price TEXT, needed TEXT NOT NULL);
      INSERT INTO Price VALUES (1, NULL, 'x')
      """)
    let plan = try db.migrationPlan(for: [Price.self, Album.self])
    #expect(plan.refusals.count == 2)
    #expect(plan.steps.contains { $0.action == .createTable })
    #expect(!plan.isEmpty)
  }
}
