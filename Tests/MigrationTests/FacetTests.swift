import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Several models over one table")
struct FacetTests {
  struct Profile: Model, Equatable {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct Contact: Model, Equatable {
    static let tableName = "Profiles"
    @PrimaryKey var id: Int
    @Column var mail: String?
    @Column var visits: Int

    static var schema: Schema<Contact> {
      Index(\.$mail)
      Default(\.$visits, 0)
    }
  }

  struct Employee: Model, Equatable {
    static let tableName = "profiles"
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var mail: String?
    @Column var managerID: Int?

    static var schema: Schema<Employee> {
      Index(\.$mail)
      ForeignKey(\.$managerID, references: \Employee.$id)
    }
  }

  @Test(
    "facets opened together each add their columns; a column missing in one facet has a default")
  func together() throws {
    let db = try Specification.database()
    let models: [any Model.Type] = [Profile.self, Contact.self, Employee.self]
    #expect(
      try db.migrate(models).description == """
        profiles
          + create the table: it does not exist
              CREATE TABLE "profiles" (
                "id" INTEGER PRIMARY KEY NOT NULL,
                "name" TEXT NOT NULL DEFAULT '',
                "mail" TEXT,
                "visits" INTEGER NOT NULL DEFAULT 0,
                "managerID" INTEGER,
                FOREIGN KEY ("managerID") REFERENCES "profiles" ("id")
              ) STRICT
          + create the index profiles_on_mail: the schema declares it
              CREATE INDEX "profiles_on_mail" ON "profiles" ("mail")
        """)
    #expect(try db.migrationPlan(for: models).steps.isEmpty)
  }

  @Test("several facets read and write one row, and a narrower write keeps the other columns")
  func oneRow() throws {
    let db = try Specification.database(models: [Profile.self, Contact.self, Employee.self])
    try db.insert(Contact(id: 1, mail: "m", visits: 3))
    #expect(try db.find(Profile.self, 1) == Profile(id: 1, name: ""))
    try db.save(Profile(id: 1, name: "Jane"))
    try db.save(Employee(id: 1, name: "Janet", mail: "n", managerID: 1))
    #expect(try db.find(Contact.self, 1) == Contact(id: 1, mail: "n", visits: 3))
    try db.save(Contact(id: 1, mail: nil, visits: 4))
    #expect(
      try db.find(Employee.self, 1) == Employee(id: 1, name: "Janet", mail: nil, managerID: 1))
    #expect(try db.count(Profile.all) == 1)
  }

  @Test("a wider facet opened later adds the missing columns and drops none")
  func later() throws {
    let db = try Specification.database(models: [Profile.self])
    try db.insert(Profile(id: 1, name: "Jane"))
    try db.migrate([Employee.self])
    #expect(try db.find(Employee.self, 1) == Employee(id: 1, name: "Jane"))
    let plan = try db.migrationPlan(for: [Profile.self])
    #expect(plan.isEmpty)
    #expect(plan.steps.map(\.action) == [.keepColumn("mail"), .keepColumn("managerID")])
    #expect(try db.columnNames(of: "profiles") == ["id", "name", "mail", "managerID"])
  }

  @Test("a column that another facet lacks gets a default, because that facet's insertions omit it")
  func needed() throws {
    let db = try Specification.database(models: [Profile.self])
    try db.insert(Profile(id: 1, name: "Jane"))
    try db.migrate([Profile.self, Contact.self])
    try db.insert(Contact(id: 2, mail: nil, visits: 1))
    #expect(try db.fetch(Profile.all).map(\.name) == ["Jane", ""])

    struct Moody: Model {
      static let tableName = "profiles2"
      @PrimaryKey var id: Int
      @Column var mood: Temper
    }
    struct Calm: Model {
      static let tableName = "profiles2"
      @PrimaryKey var id: Int
    }
    let error = #expect(throws: MigrationError.self) { try db.migrate([Moody.self, Calm.self]) }
    #expect(
      error?.plan.refusals.map(\.reason) == [
        "mood is not optional and has no default, and Calm, which does not declare it, could not "
          + #"insert rows; write `Default(\.$mood, …)` in the schema of Moody, or make the property "#
          + "optional"
      ])
  }

  @Test("two facets may declare the same index, and one may add a foreign key to a shared column")
  func shared() throws {
    struct One: Model {
      static let tableName = "shared"
      @PrimaryKey var id: Int
      @Column var parentID: Int?
      static var schema: Schema<One> { Index(\.$parentID) }
    }
    struct Two: Model {
      static let tableName = "shared"
      @PrimaryKey var id: Int
      @Column var parentID: Int?
      static var schema: Schema<Two> {
        Index(\.$parentID)
        ForeignKey(\.$parentID, references: \Two.$id)
      }
    }
    let db = try Specification.database(models: [One.self, Two.self])
    #expect(try db.migrationPlan(for: [Two.self, One.self]).steps.isEmpty)
    #expect(throws: DatabaseError.self) { try db.insert(One(id: 1, parentID: 9)) }
    let other = try Specification.database()
    try other.execute("CREATE TABLE shared (id INTEGER PRIMARY KEY)")
    try other.migrate([One.self, Two.self])
    #expect(throws: DatabaseError.self) { try other.insert(One(id: 1, parentID: 9)) }
  }

  @Test("a model and a plain struct over one table share the row of an id")
  func plain() throws {
    struct Visitor: Codable, Equatable {
      var id: Int
      var name: String
      var isActive: Bool
    }
    let db = try Specification.database(models: [Profile.self])
    try db.insert(Profile(id: 1, name: "Jane"))
    #expect(try db.find(id: 1, from: "profiles") == Visitor(id: 1, name: "Jane", isActive: false))
    try db.write(Visitor(id: 1, name: "Janet", isActive: true), to: "profiles")
    #expect(try db.find(Profile.self, 1) == Profile(id: 1, name: "Janet"))
    try db.save(Profile(id: 1, name: "Jo"))
    #expect(try db.find(id: 1, from: "profiles") == Visitor(id: 1, name: "Jo", isActive: true))
    try db.insert(Profile(id: 2, name: "New"))
    #expect(try db.find(id: 2, from: "profiles") == Visitor(id: 2, name: "New", isActive: false))
    let plan = try db.migrationPlan(for: [Profile.self])
    #expect(plan.isEmpty && plan.steps.map(\.action) == [.keepColumn("isActive")])
    #expect(try db.count(Profile.all) == 2)
  }

  @Test("a facet whose type contradicts the column is refused, and the reason names both types")
  func disagreement() throws {
    struct Wrong: Model {
      static let tableName = "profiles"
      @PrimaryKey var id: Int
      @Column var name: Int
    }
    let db = try Specification.database(models: [Profile.self])
    try db.insert(Profile(id: 1, name: "Jane"))
    var error = #expect(throws: MigrationError.self) { try db.migrate([Wrong.self]) }
    #expect(
      error?.description.contains("name is TEXT in the database and INTEGER in Wrong") == true)
    let fresh = try Specification.database()
    error = #expect(throws: MigrationError.self) { try fresh.migrate([Profile.self, Wrong.self]) }
    #expect(error?.plan.refusals.count == 1)
    #expect(try fresh.rows("SELECT * FROM sqlite_schema").isEmpty)
  }
}
