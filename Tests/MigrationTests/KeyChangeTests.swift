import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("A primary key that moves to other columns")
struct KeyChangeTests {
  struct ByID: Model {
    static let tableName = "Item"
    @PrimaryKey var id: Int
    @Column var a: String
  }

  struct ByA: Model, Equatable {
    static let tableName = "Item"
    @PrimaryKey var a: String
    var id: String { a }
  }

  struct ByNumber: Model, Equatable {
    static let tableName = "Item"
    @PrimaryKey var number: Int64?
    var id: Int64? { number }
    @Column var a: String
  }

  struct Pair: Model {
    struct ID: Hashable, Sendable {
      var a: String
      var b: Int
    }
    static let tableName = "Item"
    @PrimaryKey var a: String
    @PrimaryKey var b: Int
    var id: ID { ID(a: a, b: b) }
  }

  @Test("the old key column stays and may be NULL, so that insertions work")
  func toText() throws {
    let db = try Specification.database(models: [ByID.self])
    try db.insert([ByID(id: 3, a: "x"), ByID(id: 7, a: "y")])
    let plan = try db.migrate([ByA.self])
    #expect(plan.steps.first?.action == .rebuildTable && plan.steps.first?.kind == .lossless)
    try db.insert(ByA(a: "z"))
    #expect(try db.migrationPlan(for: [ByA.self]).isEmpty)
    #expect(try db.fetch(ByA.order(by: \.$a)).map(\.a) == ["x", "y", "z"])
    #expect(
      try db.rows("SELECT id, a FROM Item ORDER BY a").map(\.values) == [
        [3, "x"], [7, "y"], [nil, "z"],
      ])
    _ = try Specification.reopen(db, models: [ByA.self])
  }

  @Test("the key moves from a text to an assigned number in a table that had no rowid")
  func toRowID() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (a TEXT PRIMARY KEY, number INT) WITHOUT ROWID;
      INSERT INTO Item VALUES ('x', 5), ('y', 2)
      """)
    struct WithRowID: Model {
      static let tableName = "Item"
      @PrimaryKey var number: Int64?
      var id: Int64? { number }
      @Column var a: String
      static var schema: Schema<WithRowID> { QueryDSL.WithRowID() }
    }
    try db.migrate([WithRowID.self])
    #expect(try db.insert(WithRowID(a: "z")).number == 6)
    #expect(try db.migrationPlan(for: [WithRowID.self]).isEmpty)
  }

  @Test("an optional number as the key of a table that stays without rowids is migrated once")
  func withoutRowID() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (a TEXT PRIMARY KEY, number UNSIGNED BIG INT) WITHOUT ROWID;
      INSERT INTO Item VALUES ('x', 5), ('y', 2)
      """)
    try db.migrate([ByNumber.self])
    #expect(try db.migrationPlan(for: [ByNumber.self]).isEmpty)
    #expect(try db.fetch(ByNumber.order(by: \.$number)).map(\.number) == [2, 5])
    #expect(throws: DatabaseError.self) { try db.insert(ByNumber(a: "z")) }
  }

  @Test("`INTEGER PRIMARY KEY DESC` and `INT PRIMARY KEY` become the rowid for an assigned key")
  func noRowID() throws {
    for type in ["INTEGER PRIMARY KEY DESC", "INT PRIMARY KEY", "BIGINT PRIMARY KEY"] {
      let db = try Specification.database()
      try db.execute(
        """
        CREATE TABLE Item (number \(unsafe: type), a TEXT NOT NULL);
        INSERT INTO Item VALUES (5, 'x'), (2, 'y')
        """)
      try db.migrate([ByNumber.self])
      #expect(try db.insert(ByNumber(a: "z")).number == 6, "\(type)")
      #expect(
        try db.fetch(ByNumber.order(by: \.$number)).map(\.a) == ["y", "x", "z"], "\(type)")
      #expect(try db.migrationPlan(for: [ByNumber.self]).isEmpty, "\(type)")
    }
  }

  @Test("a NULL in a key that would become assigned is refused, and gets no number")
  func nullKey() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (number INT PRIMARY KEY, a TEXT NOT NULL);
      INSERT INTO Item VALUES (5, 'x'), (NULL, 'y')
      """)
    let error = #expect(throws: MigrationError.self) { try db.migrate([ByNumber.self]) }
    #expect(error?.plan.refusals.count == 1)
    #expect(try db.row("SELECT number FROM Item WHERE a = 'y'")?[0] == .null)
  }

  @Test(
    "the key moves from one column to two and back, and the plan names lost parts of the old key")
  func composite() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Item (id INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT, a TEXT NOT NULL,
        b INTEGER NOT NULL);
      INSERT INTO Item VALUES (3, 'x', 1), (7, 'x', 2)
      """)
    let plan = try db.migrate([Pair.self])
    #expect(
      plan.steps.first?.reason == "the primary key is (id) in the database and (a, b) in Pair, and "
        + "the new key has no ON CONFLICT REPLACE and no AUTOINCREMENT")
    try db.insert(Pair(a: "y", b: 1))
    #expect(try db.migrationPlan(for: [Pair.self]).isEmpty)
    struct ByB: Model {
      static let tableName = "Item"
      @PrimaryKey var b: Int
      var id: Int { b }
      static var schema: Schema<ByB> { Dropped("a") }
    }
    try db.execute("DELETE FROM Item WHERE a = 'y'")
    try db.migrate([ByB.self])
    try db.insert(ByB(b: 9))
    #expect(try db.fetch(ByB.order(by: \.$b)).map(\.b) == [1, 2, 9])
    #expect(try db.migrationPlan(for: [ByB.self]).isEmpty)
  }

  @Test(
    "AUTOINCREMENT in a table declared WITHOUT ROWID is refused with the line that keeps the rowid")
  func autoincrement() throws {
    struct Leaner: Model {
      static let tableName = "Item"
      @PrimaryKey var id: Int
      static var schema: Schema<Leaner> { WithoutRowID() }
    }
    let db = try Specification.database()
    try db.execute("CREATE TABLE Item (id INTEGER PRIMARY KEY AUTOINCREMENT)")
    let error = #expect(throws: MigrationError.self) { try db.migrate([Leaner.self]) }
    #expect(error?.plan.refusals.map(\.line) == ["WithRowID()"])
  }
}
