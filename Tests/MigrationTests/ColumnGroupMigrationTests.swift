import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Groups of columns in migrations")
struct ColumnGroupMigrationTests: RefusalExpecting {
  struct Address: ColumnGroup, Equatable {
    @Column var street: String
    @Column var city: String
  }

  enum Flat {
    struct Person: Model {
      @PrimaryKey var id: Int
      @Column var homeStreet: String
      @Column var homeCity: String

      static var schema: Schema<Person> {
        Named(\.$homeStreet, "home_street")
        Named(\.$homeCity, "home_city")
      }
    }
  }

  struct Person: Model, Equatable {
    @PrimaryKey var id: Int
    @Embedded var home: Address
  }

  enum Working {
    struct Person: Model, Equatable {
      @PrimaryKey var id: Int
      @Embedded var home: Address
      @Embedded var work: Address?
    }
  }

  struct PastedPerson: Model, Equatable {
    static let tableName = "Person"
    @PrimaryKey var id: Int
    @Embedded var home: Address

    static var schema: Schema<PastedPerson> {
      Default(\.$home.$street, "")  // the value that existing rows get
      Default(\.$home.$city, "")  // the value that existing rows get
    }
  }

  enum Moved {
    struct Person: Model, Equatable {
      @PrimaryKey var id: Int
      @Embedded var residence: Address

      static var schema: Schema<Person> {
        Renamed(\.$residence.$street, from: "home_street")
        Renamed(\.$residence.$city, from: "home_city")
      }
    }
  }

  enum Unnamed {
    struct Person: Model {
      @PrimaryKey var id: Int
      @Embedded var residence: Address
    }
  }

  enum Optional {
    struct Person: Model, Equatable {
      @PrimaryKey var id: Int
      @Embedded var home: Address?
    }
  }

  private func database() throws -> Database {
    let db = try Specification.database(models: [Flat.Person.self])
    try db.insert(Flat.Person(id: 1, homeStreet: "Via Appia", homeCity: "Rome"))
    return db
  }

  private static let appia = Address(street: "Via Appia", city: "Rome")

  @Test("columns that become a group of the same names are kept as they are")
  func flat() throws {
    let db = try database()
    #expect(try db.migrationPlan(for: [Person.self]).steps.isEmpty)
    try db.migrate([Person.self])
    #expect(try db.fetch(Person.all) == [Person(id: 1, home: Self.appia)])
    #expect(try db.migrationPlan(for: [Flat.Person.self]).steps.isEmpty)
  }

  @Test("a new optional group is added, and existing rows have none")
  func newOptional() throws {
    let db = try database()
    try db.migrate([Working.Person.self])
    #expect(try db.fetch(Working.Person.all) == [Working.Person(id: 1, home: Self.appia)])
    #expect(try db.migrationPlan(for: [Working.Person.self]).steps.isEmpty)
  }

  @Test("a group that becomes optional keeps its values")
  func becomesOptional() throws {
    let db = try database()
    try db.migrate([Optional.Person.self])
    #expect(try db.fetch(Optional.Person.all) == [Optional.Person(id: 1, home: Self.appia)])
    try db.insert(Optional.Person(id: 2))
    #expect(try db.find(Optional.Person.self, 2)?.home == nil)
    #expect(try db.migrationPlan(for: [Optional.Person.self]).steps.isEmpty)
  }

  @Test("a group that must be there is refused if a row has none")
  func becomesRequired() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Person (id INTEGER PRIMARY KEY NOT NULL, home_street TEXT, home_city TEXT);
      INSERT INTO Person VALUES (1, NULL, NULL)
      """)
    let error = #expect(throws: MigrationError.self) { try db.migrate([Person.self]) }
    let lines = error?.plan.refusals.flatMap(\.lines) ?? []
    #expect(
      lines.contains(
        #"Converted(\.$home.$city, from: String?.self) { $0 ?? "" }  // NULL becomes """#),
      "\(lines)")
  }

  @Test("a new group that is not optional needs a declared value for existing rows")
  func newRequired() throws {
    let db = try Specification.database()
    try db.execute("CREATE TABLE Person (id INTEGER PRIMARY KEY NOT NULL)")
    try db.execute("INSERT INTO Person VALUES (1)")
    let error = #expect(throws: MigrationError.self) { try db.migrate([Person.self]) }
    let lines = error?.plan.refusals.flatMap(\.lines) ?? []
    for column in ["street", "city"] {
      #expect(
        lines.contains(#"Default(\.$home.$\#(column), "")  // the value that existing rows get"#),
        "\(lines)")
      #expect(
        error?.plan.refusals.contains {
          $0.reason.hasSuffix("or make the property optional: `@Column var \(column): String?`")
        } == true)
    }
    try db.migrate([PastedPerson.self])
    #expect(
      try db.fetch(PastedPerson.all)
        == [PastedPerson(id: 1, home: Address(street: "", city: ""))])
  }

  @Test("a group whose property has another name takes the declared renames, column by column")
  func renamed() throws {
    let db = try database()
    #expect(throws: MigrationError.self) { try db.migrate([Unnamed.Person.self]) }
    try db.migrate([Moved.Person.self])
    #expect(try db.fetch(Moved.Person.all) == [Moved.Person(id: 1, residence: Self.appia)])
    #expect(try db.migrationPlan(for: [Moved.Person.self]).steps.isEmpty)
  }

  @Test("a group that goes is dropped only when the schema says so")
  func dropped() throws {
    struct Person: Model, Equatable {
      @PrimaryKey var id: Int
      static var schema: Schema<Person> {
        Dropped("home_street")
        Dropped("home_city")
      }
    }
    let db = try database()
    try db.migrate([Person.self])
    #expect(try db.fetch(Person.all) == [Person(id: 1)])
    #expect(
      try db.fetch(String.self, "SELECT name FROM pragma_table_info('Person')") == ["id"])
  }
}
