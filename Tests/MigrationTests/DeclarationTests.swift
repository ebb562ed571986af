import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The SQL of a declared schema")
struct DeclarationTests {
  struct Person: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var firstName: String
    @Column var lastName: String?
    @Column var age: Int
    @Column var mood: Temper
    @Column var born: Date
    @Column var code: UUID?
    @Column var yearsLeft = 0
    @Column var ageTwice: Int? = nil
    @Column var mentorID: Int?
    @Column var seatRow: Int?
    @Column var seatNumber: Int?

    static let columnNaming = ColumnNaming.snakeCase

    static var schema: Schema<Person> {
      Named(\.$mood, "temper")
      Collated(\.$lastName, .noCase)
      Stored(\.$code, as: .bytes)
      Default(\.$age, 7)
      Default(\.$born, sql: "unixepoch() * \(1_000_000)")
      Generated(\.$yearsLeft) { -$0.$age + 100 }
      Generated(\.$ageTwice, .stored) { ($0.$age * 2).optional }
      Check { $0.$age >= 0 && $0.$age < 150 }
      Check("temper_known") { $0.$mood.isIn([.calm, .odd]) }
      ForeignKey(\.$mentorID, references: \Person.$id, onDelete: .setNull, deferred: true)
      ForeignKey(
        \.$seatRow, \.$seatNumber, references: \Seat.$row, \Seat.$number, onUpdate: .cascade)
      Index(\.$lastName, \.$firstName)
      Index(\.$age) { $0.$lastName != nil }
      Index {
        $0.$age.descending
        $0.$firstName.collated(.noCase)
        $0.$age + 1
      }
      Index(name: "born_first") { $0.$born }
      Unique(\.$code)
    }
  }

  struct Seat: Model {
    struct ID: Hashable, Sendable {
      var row: Int
      var number: Int
    }
    @PrimaryKey var row: Int
    @PrimaryKey var number: Int
    var id: ID { ID(row: row, number: number) }
    static var schema: Schema<Seat> { WithoutRowID() }
  }

  @Test(
    "a schema declares keys, names, forms, collations, defaults, constraints and indexes in SQL")
  func sql() throws {
    let db = try Specification.database()
    let plan = try db.migrate([Seat.self, Person.self])
    #expect(
      plan.description == """
        Seat
          + create the table: it does not exist
              CREATE TABLE "Seat" (
                "row" INTEGER NOT NULL,
                "number" INTEGER NOT NULL,
                PRIMARY KEY ("row", "number")
              ) STRICT, WITHOUT ROWID
        Person
          + create the table: it does not exist
              CREATE TABLE "Person" (
                "id" INTEGER PRIMARY KEY NOT NULL,
                "first_name" TEXT NOT NULL,
                "last_name" TEXT COLLATE NOCASE,
                "age" INTEGER NOT NULL DEFAULT 7,
                "temper" TEXT NOT NULL,
                "born" INTEGER NOT NULL DEFAULT (unixepoch() * 1000000),
                "code" BLOB,
                "years_left" INTEGER NOT NULL GENERATED ALWAYS AS (-"age" + 100) VIRTUAL,
                "age_twice" INTEGER GENERATED ALWAYS AS ("age" * 2) STORED,
                "mentor_id" INTEGER,
                "seat_row" INTEGER,
                "seat_number" INTEGER,
                FOREIGN KEY ("mentor_id") REFERENCES "Person" ("id") ON DELETE SET NULL DEFERRABLE \
        INITIALLY DEFERRED,
                FOREIGN KEY ("seat_row", "seat_number") REFERENCES "Seat" ("row", "number") \
        ON UPDATE CASCADE,
                CHECK (("age" >= 0 AND "age" < 150)),
                CONSTRAINT "temper_known" CHECK ("temper" IN ('calm', 'o''dd'))
              ) STRICT
          + create the index Person_on_last_name_first_name: the schema declares it
              CREATE INDEX "Person_on_last_name_first_name" ON "Person" ("last_name", "first_name")
          + create the index Person_on_age_afe10e54: the schema declares it
              CREATE INDEX "Person_on_age_afe10e54" ON "Person" ("age") WHERE "last_name" IS NOT NULL
          + create the index Person_on_age_first_name_89ed59ef: the schema declares it
              CREATE INDEX "Person_on_age_first_name_89ed59ef" ON "Person" ("age" DESC, \
        "first_name" COLLATE NOCASE, ("age" + 1))
          + create the index born_first: the schema declares it
              CREATE INDEX "born_first" /* Apus */ ON "Person" ("born")
          + create the index Person_unique_code: the schema declares it as unique
              CREATE UNIQUE INDEX "Person_unique_code" ON "Person" ("code")
        """)
    #expect(try db.migrationPlan(for: [Seat.self, Person.self]).steps.isEmpty)
  }

  func person(_ id: Int, age: Int = 20, mentor: Int? = nil) -> Person {
    Person(
      id: id, firstName: "Jo", lastName: "Doe", age: age, mood: .calm,
      born: Date(timeIntervalSince1970: 5), mentorID: mentor)
  }

  @Test("a generated column is read back and never written")
  func generated() throws {
    let db = try Specification.database(models: [Seat.self, Person.self])
    var jo = try db.insert(person(1))
    #expect(jo.yearsLeft == 80 && jo.ageTwice == 40)
    jo.age = 30
    jo.yearsLeft = 999
    jo = try db.update(jo)
    #expect(jo.yearsLeft == 70 && jo.ageTwice == 60)
    #expect(try db.find(Person.self, 1) == jo)
    jo = try db.save(person(1, age: 40))
    #expect(jo.yearsLeft == 60)
    #expect(try db.fetch(Person.where { $0.$yearsLeft < 65 }) == [jo])
  }

  @Test("checks, collations, deferred references and stored forms take effect")
  func constraints() throws {
    let db = try Specification.database(models: [Seat.self, Person.self])
    let error = #expect(throws: DatabaseError.self) { try db.insert(person(1, age: -1)) }
    #expect(error?.constraint?.kind == .check)
    try db.write { connection in
      // The mentor is inserted later in the same transaction.
      try connection.insert(person(1, mentor: 2))
      try connection.insert(person(2))
    }
    #expect(throws: DatabaseError.self) { try db.insert(person(3, mentor: 9)) }
    #expect(try db.count(Person.where { $0.$lastName == "DOE" }) == 2)
    #expect(try db.delete(Person.self, 2))
    #expect(try db.find(Person.self, 1)?.mentorID == nil)
    try db.insert(Seat(row: 1, number: 2))
    #expect(try db.find(Seat.self, Seat.ID(row: 1, number: 2)) != nil)
    #expect(throws: DatabaseError.self) { try db.execute("SELECT rowid FROM Seat") }
  }

  // MARK: Views

  struct ByAge: Model, SQLView, Equatable {
    @PrimaryKey var id: Int
    @Column var count: Int

    static var definition: some Fetchable {
      Query { (person: Columns<Person>) in
        From(person)
        Where { person.$lastName != nil }
        GroupBy(person.$age)
        Select(person.$age, person.$id.count())
      }
    }
  }

  struct ByAge2: Model, SQLView {
    static let tableName = "ByAge"
    @PrimaryKey var id: Int
    @Column var count: Int

    static var definition: some Fetchable {
      Person.where { $0.$age > 20 }.select(\.$age, \.$id)
    }
  }

  struct Wrong: Model, SQLView {
    @PrimaryKey var id: Int
    @Column var name: String
    static var definition: some Fetchable { Person.select(\.$id, \.$age) }
  }

  @Test("a view model reads a typed query, and its view is recreated when the query changes")
  func view() throws {
    let models: [any Model.Type] = [Seat.self, Person.self, ByAge.self]
    let db = try Specification.database(models: models)
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
    try db.insert([person(1), person(2), person(3, age: 30)])
    #expect(
      try db.fetch(ByAge.order(by: \.$id)) == [ByAge(id: 20, count: 2), ByAge(id: 30, count: 1)])
    #expect(try db.find(ByAge.self, 30) == ByAge(id: 30, count: 1))
    let plan = try db.migrate([Seat.self, Person.self, ByAge2.self])
    #expect(
      plan.description == """
        ByAge
          - drop the view: its query differs
              DROP VIEW "ByAge"
          + create the view: its query differs
              CREATE VIEW "ByAge" ("id", "count") AS SELECT "age", "id" FROM "Person" WHERE "age" > 20
        """)
    #expect(try db.fetch(ByAge2.all).map(\.id) == [30])
    let error = #expect(throws: ModelError.self) { try db.migrate([Wrong.self]) }
    #expect(
      error?.message == """
        name is String in the form .standard, but its query selects Int in the form .standard
        """)
  }

  struct Measure: Model {
    // On x86, Swift rounds a long literal twice.
    static let number = Double("5011991030.441854") ?? 0
    @PrimaryKey var id: Int
    @Column var height: Double
    static var schema: Schema<Measure> { Default(\.$height, number) }
  }

  /// The declarations with which earlier versions, or other programs, made the table.
  enum Former {
    struct Height: Model {
      static let tableName = "Measure"
      @PrimaryKey var id: Int
      @Column var height: Double
      static var schema: Schema<Height> { Default(\.$height, sql: "5011991030.441854") }
    }

    struct OtherHeight: Model {
      static let tableName = "Measure"
      @PrimaryKey var id: Int
      @Column var height: Double
      static var schema: Schema<OtherHeight> { Default(\.$height, sql: "5011991030.441855") }
    }

    struct NoHeight: Model {
      static let tableName = "Measure"
      @PrimaryKey var id: Int
    }
  }

  @Test("a default is exactly the number, and one that a file has as a decimal number stays")
  func exactDefaults() throws {
    let number = Measure.number
    let db = try Specification.database(models: [Measure.self])
    try db.execute("INSERT INTO Measure (id) VALUES (1)")
    let found = try db.find(Measure.self, 1)?.height
    #expect(found == number)
    let table = try db.fetch(String.self, "SELECT sql FROM sqlite_schema WHERE name = 'Measure'")
    #expect(table.first?.contains("DEFAULT (5255453506736597.0 / 1048576.0)") == true)
    let found2 = try db.migrationPlan(for: [Measure.self]).steps.isEmpty
    #expect(found2)

    let former = try Specification.database(models: [Former.Height.self])
    let found3 = try former.migrationPlan(for: [Measure.self]).steps.isEmpty
    #expect(found3)
    let other = try Specification.database(models: [Former.OtherHeight.self])
    let found4 = try !other.migrationPlan(for: [Measure.self]).steps.isEmpty
    #expect(found4)

    let adding = try Specification.database(models: [Former.NoHeight.self])
    try adding.insert(Former.NoHeight(id: 1))
    try adding.migrate([Measure.self])
    let found5 = try adding.find(Measure.self, 1)?.height
    #expect(found5 == number)
  }

  @Test("a default with U+0000 throws a QueryError, because SQL cannot contain it")
  func zeroInDefault() throws {
    struct Zero: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Zero> { Default(\.$text, "a\u{0}b") }
    }
    #expect(throws: QueryError.self) { try Specification.database(models: [Zero.self]) }
  }

  @Test(
    "conflicting names, a dropped column that is declared, and a generated key throw a ModelError")
  func mistakes() throws {
    struct Meeting: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Meeting> { Named(\.$text, "ID") }
    }
    struct Kept: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<Kept> { Dropped("text") }
    }
    struct Key: Model {
      @PrimaryKey var id: Int
      static var schema: Schema<Key> { Generated(\.$id) { $0.$id + 1 } }
    }
    let db = try Specification.database()
    for model: any Model.Type in [Meeting.self, Kept.self, Key.self] {
      #expect(throws: ModelError.self) { try db.migrate([model]) }
    }
  }
}
