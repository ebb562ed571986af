import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Migrations that would lose something, refused with the line that declares the loss")
struct MigrationRefusalTests: RefusalExpecting {
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
        Converted(\.$price, from: String.self) { Int($0) ?? 0 }  // loses 2 values of Price.price
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
        Converted(\.$name, from: String?.self) { $0 ?? "" }  // NULL becomes ""
      }
    }

    struct Day: Model {
      @PrimaryKey var id: Int
      @Column var day: Date?
      static var schema: Schema<Day> {
        Stored(\.$day, as: .unixSeconds)  // dates of 1970
      }
    }
  }

  @Test("text that is not a number is refused for an integer column")
  func textToInteger() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Price (id INTEGER PRIMARY KEY, price TEXT NOT NULL);
      INSERT INTO Price VALUES (1, '5'), (2, 'five'), (3, '')
      """, Price.self,
      "price is TEXT in the database and INTEGER in Price, and 2 of its values would change, "
        + "as in row 2: 'five'; declare what they become, or declare a new property",
      line:
        #"Converted(\.$price, from: String.self) { Int($0) ?? 0 }  // loses 2 values of Price.price"#,
      pastedInto: Pasted.Price.self)
    #expect(try db.fetch(Pasted.Price.all).map(\.price) == [5, 0, 0])
  }

  @Test(
    "NULL among numbers with a fraction is refused for a column of integers that is not optional")
  func realToInteger() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Price (id INTEGER PRIMARY KEY, price REAL);
      INSERT INTO Price VALUES (1, 5.0), (2, 5.5), (3, NULL)
      """)
    let refusal = try #require(try db.migrationPlan(for: [Price.self]).refusals.first)
    #expect(
      refusal.reason
        == "price is REAL in the database and INTEGER in Price, and 1 of its values is "
        + "NULL; make the property optional, or declare what NULL becomes")
    #expect(refusal.line == "@Column var price: Int?")
    try db.migrate([Pasted.Sum.self])
    #expect(try db.fetch(Pasted.Sum.all).map(\.price) == [5, 6, 0])
  }

  struct Name: Model {
    @PrimaryKey var id: Int
    @Column var name: String
  }

  @Test("NULL is refused for a column that is not optional")
  func null() throws {
    let db = try expectRefused(
      """
      CREATE TABLE Name (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO Name VALUES (1, 'a'), (2, NULL)
      """, Name.self,
      "name may be NULL in the database and is not optional in Name, and 1 of its values is "
        + "NULL; make the property optional, or declare what NULL becomes",
      line: #"Converted(\.$name, from: String?.self) { $0 ?? "" }  // NULL becomes """#,
      pastedInto: Pasted.Name.self)
    #expect(try db.fetch(Pasted.Name.all).map(\.name) == ["a", ""])
  }

  struct Day: Model {
    @PrimaryKey var id: Int
    @Column var day: Date?
  }

  @Test("a number that could be a date in several forms is refused")
  func dateForms() throws {
    _ = try expectRefused(
      "CREATE TABLE Day (id INTEGER PRIMARY KEY, day REAL NOT NULL); INSERT INTO Day VALUES (1, 2.5)",
      Day.self,
      "day is REAL in the database, which does not say what its numbers count; choose the line whose "
        + "dates are right", line: #"Stored(\.$day, as: .unixSeconds)  // dates of 1970"#,
      pastedInto: Pasted.Day.self)
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

  @Test("a new column without a default is refused if there are rows and the type is not optional")
  func noDefault() throws {
    _ = try expectRefused(
      "CREATE TABLE Mood (id INTEGER PRIMARY KEY); INSERT INTO Mood VALUES (1), (2)", Mood.self,
      "the new column mood needs a value for the existing rows; make the property optional, or write "
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

  struct Sale: Model {
    static let tableName = "Review"
    @PrimaryKey var id: Int
    @Column var albumID: Int
    static var schema: Schema<Sale> {
      Default(\.$albumID, 7)
      ForeignKey(\.$albumID, references: \Album.$id)
    }
  }

  struct OptionalSale: Model {
    static let tableName = "Review"
    @PrimaryKey var id: Int
    @Column var albumID: Int?
    static var schema: Schema<OptionalSale> {
      Default(\.$albumID, 7)
      ForeignKey(\.$albumID, references: \Album.$id)
    }
  }

  struct PastedSale: Model {
    static let tableName = "Review"
    @PrimaryKey var id: Int
    @Column var albumID: Int?
    static var schema: Schema<PastedSale> {
      Default(\.$albumID, sql: "NULL")
      ForeignKey(\.$albumID, references: \Album.$id)
    }
  }

  @Test("a new column whose default refers to a missing row of another table is refused")
  func defaultReference() throws {
    let db = try Specification.database(models: [Album.self])
    try db.execute("CREATE TABLE Review (id INTEGER PRIMARY KEY); INSERT INTO Review VALUES (1)")
    let refusal = try #require(
      try db.migrationPlan(for: [Album.self, Sale.self]).refusals.first)
    #expect(refusal.line == "@Column var albumID: Int?")
    _ = try expectRefused(
      "CREATE TABLE Review (id INTEGER PRIMARY KEY); INSERT INTO Review VALUES (1)",
      OptionalSale.self,
      "the new column albumID refers to Album, but its default 7 matches no row there; make the "
        + "default NULL, which needs an optional property",
      line: #"Default(\.$albumID, sql: "NULL")"#, pastedInto: PastedSale.self, others: [Album.self])
    try db.insert(Album(id: 7, name: "Seven"))
    try db.migrate([Album.self, Sale.self])
    #expect(try db.fetch(Sale.all).map(\.albumID) == [7])
  }

  @Test("a new column that refers to another table is refused if it is not optional")
  func reference() throws {
    _ = try expectRefused(
      "CREATE TABLE Review (id INTEGER PRIMARY KEY); INSERT INTO Review VALUES (1)", Review.self,
      "the new column albumID refers to another table, and existing rows would have no row to "
        + "refer to; make the property optional, or write "
        + #"`Default(\.$albumID, …)` in the schema of Review"#,
      line: "@Column var albumID: Int?", pastedInto: PastedReview.self, others: [Album.self])
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

  @Test("a view with the name of a model's table is refused with the line that drops the view")
  func view() throws {
    _ = try expectRefused(
      "CREATE VIEW Thing AS SELECT 1 AS id", Thing.self, "Thing is a view; a model needs a table",
      line: #"Dropped(view: "Thing")"#, pastedInto: PastedThing.self)
  }

  @Test("a plan reports several refusals at once")
  func several() throws {
    let db = try Specification.database()
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
