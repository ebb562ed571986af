import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Columns of other programs whose declared type stands for no storage class")
struct KeptTypeTests {
  struct Item: Model {
    @PrimaryKey var id: Int?
    @Column var isActive: Bool
    @Column var price: Double
    @Column var count: Int
    @Column var seen: Date?
    @Column var code: UUID?
    @Column var note: String?
    @Column var photo: Data?

    static var schema: Schema<Item> { Stored(\.$seen, as: .datetimeSeconds) }
  }

  static let definition: SQL = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY, isActive BOOLEAN NOT NULL, price NUMERIC(10, 2) NOT NULL,
      count NUMBER NOT NULL, seen DATETIME, code UUID, note, photo BINARY)
    """

  func open(_ rows: SQL) throws -> Database {
    let db = try Specification.database()
    try db.execute(Self.definition)
    try db.execute(rows)
    return db
  }

  @Test("they stay if all values are stored as the property stores them")
  func kept() throws {
    let db = try open(
      """
      INSERT INTO Item VALUES (1, 1, 1.5, 3, '2020-01-02 03:04:05', NULL, '007', x'01'),
        (2, 0, 2, -1, NULL, '01234567-89ab-cdef-0123-456789abcdef', NULL, NULL)
      """)
    let plan = try db.migrationPlan(for: [Item.self])
    #expect(plan.isEmpty, "\(plan)")
    try db.migrate([Item.self])
    #expect(try db.migrationPlan(for: [Item.self]).isEmpty)
    var items = try db.fetch(Item.order(by: \.$id))
    #expect(items.map(\.price) == [1.5, 2])
    #expect(items.map(\.isActive) == [true, false])
    // A text keeps its zeros, since a column without a type has no affinity.
    #expect(items[0].note == "007")
    items[0].price = 3
    items[0].note = "0012"
    try db.update(items[0])
    #expect(try db.find(Item.self, 1)?.price == 3)
    #expect(
      try db.row("SELECT typeof(price), note FROM Item WHERE id = 1")?.values == [
        "integer", "0012",
      ])
  }

  @Test("they stay in a table without rows, and what is written then reads back")
  func empty() throws {
    let db = try open("SELECT 1")
    #expect(try db.migrationPlan(for: [Item.self]).isEmpty)
    try db.migrate([Item.self])
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let item = Item(
      id: 1, isActive: true, price: 2, count: 4, seen: date, code: UUID(), note: "1e3",
      photo: Data([1]))
    try db.insert(item)
    let found = try db.find(Item.self, 1)
    #expect(found?.seen == date && found?.code == item.code && found?.note == "1e3")
    #expect(found?.price == 2)
    #expect(try db.migrationPlan(for: [Item.self]).isEmpty)
  }

  @Test(
    "a value that is stored otherwise makes the column one of the property's type",
    arguments: ["'5'", "CAST(5.0 AS REAL)"])
  func rebuilt(_ value: String) throws {
    struct Note: Model {
      @PrimaryKey var id: Int?
      @Column var d: Int
    }
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, d NOT NULL);
      INSERT INTO Note VALUES (1, 4), (2, \(unsafe: value))
      """)
    let plan = try db.migrate([Note.self])
    #expect(plan.steps.contains { $0.action == .rebuildTable })
    #expect(
      try db.rows("SELECT d, typeof(d) FROM Note").map(\.values) == [
        [4, "integer"], [5, "integer"],
      ])
  }

  @Test("a text property in a column of NUMERIC affinity gets a TEXT column")
  func affinity() throws {
    struct Note: Model {
      @PrimaryKey var id: Int?
      @Column var d: String?
    }
    let db = try Specification.database()
    try db.execute(
      "CREATE TABLE Note (id INTEGER PRIMARY KEY, d STRING); INSERT INTO Note VALUES (1, 'x')")
    try db.migrate([Note.self])
    try db.insert(Note(id: 2, d: "007"))
    #expect(try db.fetch(Note.order(by: \.$id)).map(\.d) == ["x", "007"])
  }

  @Test("a rebuild for another reason keeps the declared types")
  func otherReason() throws {
    struct Note: Model {
      @PrimaryKey var id: Int?
      @Column var isDone: Bool
      @Column var price: Double
      @Column var title: String
      static var schema: Schema<Note> { Check { $0.$price >= 0 } }
    }
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, isDone BOOLEAN NOT NULL, price NUMERIC NOT NULL,
        title TEXT NOT NULL);
      INSERT INTO Note VALUES (1, 1, 2, 'a'), (2, 0, 2.5, 'b')
      """)
    let before = try db.rows("SELECT *, typeof(price) FROM Note").map(\.values)
    let plan = try db.migrate([Note.self])
    #expect(plan.steps.contains { $0.action == .rebuildTable })
    #expect(try db.rows("SELECT *, typeof(price) FROM Note").map(\.values) == before)
    #expect(
      try db.rows("SELECT type FROM pragma_table_info('Note')").map(\.values)
        == [["INTEGER"], ["BOOLEAN"], ["NUMERIC"], ["TEXT"]])
    #expect(try db.migrationPlan(for: [Note.self]).isEmpty)
  }
}
