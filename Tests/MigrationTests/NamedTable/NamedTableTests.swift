import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

extension TableName {
  fileprivate static let profiles: TableName = "profiles"
  fileprivate static let hostile: TableName = #"a"; DROP TABLE profiles; --"#
}

@Suite("Plain structs in named tables")
struct NamedTableTests {
  struct Place: Codable, Equatable {
    var city: String
    var latitude: Double
  }

  struct Profile: Codable, Equatable {
    var id: Int64
    var name: String
  }

  struct Tagged: Codable, Equatable {
    var id: Int64
    var tag: String?
    var isActive: Bool
    var location: Place?
    var joined: Date?
    var image: Data
  }

  class Person: Codable, @unchecked Sendable {
    let id: Int64
    var name: String
    var place: Place?
    lazy var shout = name.uppercased()

    init(id: Int64, name: String, place: Place? = nil) {
      self.id = id
      self.name = name
      self.place = place
    }
  }

  final class Renamed: Codable, Sendable {
    let id: Int64
    let name: String
    enum CodingKeys: String, CodingKey { case id, name = "full_name" }

    init(id: Int64, name: String) {
      self.id = id
      self.name = name
    }
  }

  struct Misfit: Codable {
    var id: Int64
    var name: Int
  }

  let db: Database

  init() throws {
    db = try Specification.database()
  }

  let tagged = Tagged(
    id: 1, tag: "t", isActive: true, location: Place(city: "Bern", latitude: 46.9),
    joined: Date(timeIntervalSince1970: 5), image: Data([1, 2]))

  @Test(
    "a read finds the columns and the rows in one snapshot",
    .disabled(if: Specification.usesEngine))
  func oneSnapshot() async throws {
    try await db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    let path = try #require(db.path)
    let other = try Database(path: path)
    let isArmed = Lock(false)
    var configuration = Configuration()
    configuration.prepareConnection = { connection in
      _ = try connection.onTrace(.statement) { event in
        // Another program changes the table between the two statements.
        guard event.sql?.hasPrefix("SELECT \"id\"") ?? false,
          isArmed.withLock({ armed in
            defer { armed = false }
            return armed
          })
        else { return }
        try? other.execute("ALTER TABLE profiles RENAME name TO title")
      }
    }
    let reading = try Database(path: path, configuration: configuration)
    func expectOneSnapshot(_ read: () async throws -> [Profile]) async throws {
      isArmed.withLock { $0 = true }
      #expect(try await read() == [Profile(id: 1, name: "Jane")])
      #expect(!isArmed.withLock { $0 })
      try await other.execute("ALTER TABLE profiles RENAME title TO name")
    }
    func find() throws -> [Profile] {
      try [reading.find(id: 1, from: .profiles)].compactMap(\.self)
    }
    func fetch() throws -> [Profile] { try reading.fetch(from: .profiles) }
    try await expectOneSnapshot(find)
    try await expectOneSnapshot(fetch)
    try await expectOneSnapshot { try await reading.fetch(from: .profiles) }
    try await expectOneSnapshot {
      let found: Profile? = try await reading.find(id: 1, from: .profiles)
      return found.map { [$0] } ?? []
    }
  }

  @Test("a table without a name is a table")
  func emptyName() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: "")
    try db.write(Profile(id: 1, name: "Janet"), to: "")
    #expect(try db.fetch(from: "") == [Profile(id: 1, name: "Janet")])
    #expect(try db.table(named: "").rows == [["1", "Janet"]])
    #expect(try db.delete(id: 1, from: ""))
  }

  @Test("the first write creates the table, and reading an unknown id gives nil")
  func first() throws {
    let before: Profile? = try db.find(id: 1, from: .profiles)
    #expect(before == nil)
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    let profile: Profile? = try db.find(id: 1, from: .profiles)
    #expect(profile == Profile(id: 1, name: "Jane"))
    let other: Profile? = try db.find(id: 2, from: .profiles)
    #expect(other == nil)
    #expect(
      try db.row("SELECT sql FROM sqlite_schema")?.get(String.self, at: 0) == """
        CREATE TABLE "profiles" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "name" TEXT NOT NULL DEFAULT ''
        ) STRICT
        """)
  }

  @Test("a wider struct adds its columns, and writing a narrower one keeps the others")
  func wider() throws {
    try db.write([Profile(id: 1, name: "Jane"), Profile(id: 2, name: "George")], to: .profiles)
    try db.write(tagged, to: .profiles)
    #expect(try db.find(id: 1, from: .profiles) == tagged)
    #expect(try db.find(id: 1, from: .profiles) == Profile(id: 1, name: "Jane"))
    // An existing row has NULL or the default in the new columns.
    #expect(try db.find(id: 2, from: .profiles) == Tagged(id: 2, isActive: false, image: Data()))
    try db.write(Profile(id: 1, name: "Janet"), to: .profiles)
    #expect(try db.find(id: 1, from: .profiles) == tagged)
    var cleared = tagged
    cleared.location = nil
    try db.write(cleared, to: .profiles)
    #expect(try db.find(id: 1, from: .profiles) == cleared)
    let all: [Profile] = try db.fetch(from: .profiles)
    #expect(all == [Profile(id: 1, name: "Janet"), Profile(id: 2, name: "George")])
    #expect(try db.delete(id: 2, from: .profiles))
    #expect(try !db.delete(id: 2, from: .profiles))
  }

  @Test("a wider struct can read a table that lacks its columns")
  func readingWider() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    #expect(try db.find(id: 1, from: .profiles) == Tagged(id: 1, isActive: false, image: Data()))
    #expect(try db.columnNames(of: "profiles") == ["id", "name"])
  }

  @Test("a struct whose type contradicts the column throws an error that names both")
  func misfit() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    for attempt in [
      { try db.write(Misfit(id: 1, name: 5), to: .profiles) },
      { let _: Misfit? = try db.find(id: 1, from: .profiles) },
    ] {
      let error = #expect(throws: ModelError.self) { try attempt() }
      #expect(
        error?.description == """
          Misfit: name is TEXT in the table profiles, but Int is stored as INTEGER; change the \
          type of the property
          """)
    }
  }

  @Test("a table name with quotes and SQL in it is only a name")
  func hostile() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    try db.write(Profile(id: 1, name: "Mallory"), to: .hostile)
    #expect(try db.find(id: 1, from: .hostile) == Profile(id: 1, name: "Mallory"))
    #expect(try db.find(id: 1, from: .profiles) == Profile(id: 1, name: "Jane"))
  }

  @Test("a named table can be printed")
  func printing() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    #expect(
      try db.table(named: .profiles).description == """
        ┏━━━┳━━━━━━━━━┳━━━━━━━━━━┓
        ┃   ┃ id      ┃ name     ┃
        ┃   ┃ <Int64> ┃ <String> ┃
        ┡━━━╇━━━━━━━━━╇━━━━━━━━━━┩
        │ 0 │ 1       │ Jane     │
        └───┴─────────┴──────────┘
        1 row, 2 columns
        """)
  }

  @Test("with a locked schema, a missing table or column is an error, and no DDL runs")
  func locked() throws {
    try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    for policy: SchemaPolicy in [.locked, .validated, .lockedTables(["profiles", "others"])] {
      var configuration = Configuration()
      configuration.schemaPolicy = policy
      let db = try Specification.reopen(db, configuration: configuration)
      let error = #expect(throws: MigrationError.self) { try db.write(tagged, to: .profiles) }
      #expect(error?.plan.steps.count == 5)
      #expect(throws: MigrationError.self) { try db.write(tagged, to: "others") }
      #expect(throws: MigrationError.self) { let _: Profile? = try db.find(id: 1, from: "others") }
      #expect(throws: MigrationError.self) { let _: Tagged? = try db.find(id: 1, from: .profiles) }
      try db.write(Profile(id: 2, name: "George"), to: .profiles)
      #expect(try db.find(id: 2, from: .profiles) == Profile(id: 2, name: "George"))
    }
    #expect(try db.columnNames(of: "profiles") == ["id", "name"])
  }

  @Test("a class is written and read like a struct, and shares its table with one")
  func classes() throws {
    let person = Person(id: 1, name: "Jane", place: Place(city: "Bern", latitude: 46.9))
    _ = person.shout
    try db.write([person, Person(id: 2, name: "George")], to: .profiles)
    #expect(try db.columnNames(of: "profiles") == ["id", "name", "place"])
    let found: Person? = try db.find(id: 1, from: .profiles)
    #expect(found?.name == "Jane" && found?.place == person.place && found?.shout == "JANE")
    let all: [Person] = try db.fetch(from: .profiles)
    #expect(all.map(\.name) == ["Jane", "George"] && all.last?.place == nil)
    try db.write(Profile(id: 1, name: "Janet"), to: .profiles)
    let again: Person? = try db.find(id: 1, from: .profiles)
    #expect(again?.name == "Janet" && again?.place == person.place)
    try db.execute("UPDATE \(.profiles) SET place = '{' WHERE id = 1")
    let error = #expect(throws: ColumnValueError.self) {
      let _: Person? = try db.find(id: 1, from: .profiles)
    }
    #expect(error?.table == "profiles" && error?.column == "place")
  }

  @Test("a class whose coding keys are not its properties is not read")
  func renamedKeys() throws {
    try db.write(Renamed(id: 1, name: "Jane"), to: .profiles)
    let error = #expect(throws: ModelError.self) {
      let _: Renamed? = try db.find(id: 1, from: .profiles)
    }
    #expect(error?.description.contains("\"full_name\"") == true)
  }

  /// The memory of a weak reference has another form, which the runtime does not report.
  @Test("a reference to an object is refused, whether it is weak or not")
  func references() throws {
    final class Node: Codable, @unchecked Sendable {
      var id = 1
      weak var parent: Node?
    }
    struct Owner: Codable {
      var id = 1
      var node = Node()
    }
    let (child, parent) = (Node(), Node())
    child.parent = parent
    let error = #expect(throws: ModelError.self) { try db.write(child, to: .profiles) }
    #expect(error?.description.contains("parent: Optional<Node> refers to an object") == true)
    #expect(throws: ModelError.self) { try db.write(Owner(), to: .profiles) }
  }

  @Test(
    "values that are neither structs nor classes, types without an id, and properties without a value throw"
  )
  func noRows() throws {
    final class Object: Codable, Sendable {}
    enum Kind: String, Codable { case a }
    struct NoID: Codable { var name: String }
    struct Broken: Codable, Equatable {
      var id: Int
      var name: String
    }
    #expect(throws: ModelError.self) { try db.write(NoID(name: "a"), to: .profiles) }
    #expect(throws: ModelError.self) { try db.write(Object(), to: .profiles) }
    #expect(throws: ModelError.self) { try db.write(Kind.a, to: .profiles) }
    try db.execute("CREATE TABLE profiles (id INTEGER PRIMARY KEY, name TEXT)")
    try db.execute("INSERT INTO profiles VALUES (1, NULL)")
    let error = #expect(throws: ColumnValueError.self) {
      let _: Broken? = try db.find(id: 1, from: .profiles)
    }
    #expect(error?.table == "profiles" && error?.column == "name")
  }

  @Test("asynchronous code has the same operations")
  func asynchronous() async throws {
    try await db.write(Profile(id: 1, name: "Jane"), to: .profiles)
    let profile: Profile? = try await db.find(id: 1, from: .profiles)
    #expect(profile?.name == "Jane")
    let all: [Profile] = try await db.fetch(from: .profiles)
    #expect(all.count == 1)
    #expect(try await db.delete(id: 1, from: .profiles))
  }
}
