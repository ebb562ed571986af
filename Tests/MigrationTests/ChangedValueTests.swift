import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A question about the existing rows has to use the values that they will have after the
/// migration.
@Suite("Questions about rows whose names or values change in the same migration")
struct ChangedValueTests {
  private func database(_ sql: SQL) throws -> Database {
    let db = try Specification.database()
    try db.execute(sql)
    return db
  }

  // MARK: Notes of conversions

  struct Dated: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var a: Date
    @Column var b: Date
    static var schema: Schema<Dated> {
      Converted(\.$b, from: Bool.self) { Date(timeIntervalSince1970: $0 ? 1_700_000_000 : 0) }
    }
  }

  struct Exchanged: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var a: Date
    @Column var b: Date
    static var schema: Schema<Exchanged> {
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "a")
      Converted(\.$a, from: Bool.self) { Date(timeIntervalSince1970: $0 ? 1_700_000_000 : 0) }
    }
  }

  @Test("a conversion that has run does not run again after its column exchanges its name")
  func notes() throws {
    let db = try database(
      """
      CREATE TABLE Task (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL);
      INSERT INTO Task VALUES (1, 1690000000000000, 1)
      """)
    try db.migrate([Dated.self])
    for _ in 1...3 {
      try db.migrate([Exchanged.self])
      #expect(
        try db.row("SELECT a, b FROM Task")?.values == [
          1_700_000_000_000_000, 1_690_000_000_000_000,
        ])
    }
    #expect(try db.migrationPlan(for: [Exchanged.self]).isEmpty)
  }

  // MARK: Calculated columns

  struct Difference: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: Int
    @Column var b: Int
    @Column var c: Int
    static var schema: Schema<Difference> {
      Renamed(\.$a, from: "b")
      Renamed(\.$b, from: "a")
      Generated(\.$c) { $0.$a - $0.$b }
    }
  }

  @Test(
    "a column becomes calculated from exchanged columns only if its values stay", arguments: [0, 1])
  func exchanged(value: Int) throws {
    let db = try database(
      """
      CREATE TABLE Post (
        id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER NOT NULL);
      INSERT INTO Post VALUES (1, 1, 2, \(value))
      """)
    // Afterwards a is 2 and b is 1.
    if value == 1 {
      try db.migrate([Difference.self])
    } else {
      #expect(throws: MigrationError.self) { try db.migrate([Difference.self]) }
    }
    #expect(try db.row("SELECT c FROM Post")?[0] == .integer(Int64(value)))
  }

  struct Total: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var c: Int
    @Column var b: Int
    @Column var a: Int
    static var schema: Schema<Total> {
      Renamed(\.$b, from: "a")
      Default(\.$a, 0)
      Generated(\.$c) { $0.$a + $0.$b }
    }
  }

  @Test("a new column that takes the old name of another is not taken for it", arguments: [5, 10])
  func newColumn(value: Int) throws {
    let db = try database(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, c INTEGER NOT NULL);
      INSERT INTO Post VALUES (1, 5, \(value))
      """)
    if value == 5 {
      try db.migrate([Total.self])
    } else {
      #expect(throws: MigrationError.self) { try db.migrate([Total.self]) }
    }
    #expect(try db.row("SELECT c FROM Post")?[0] == .integer(Int64(value)))
  }

  struct Doubled: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var a: Int
    @Column var c: Int
    static var schema: Schema<Doubled> {
      Converted(\.$a, from: Double.self) { Int($0 * 100) }
      Generated(\.$c) { $0.$a * 2 }
    }
  }

  @Test("a column does not become calculated from one that is converted")
  func converted() throws {
    let db = try database(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, a REAL NOT NULL, c INTEGER NOT NULL);
      INSERT INTO Post VALUES (1, 5.0, 10)
      """)
    let error = #expect(throws: MigrationError.self) { try db.migrate([Doubled.self]) }
    let plan = error?.plan.description ?? ""
    #expect(plan.contains("values that this migration changes"))
    #expect(try db.row("SELECT a, c FROM Post")?.values == [5.0, 10])
  }

  // MARK: Checks

  struct Sized: Model {
    static let tableName = "Box"
    @PrimaryKey var id: Int
    @Column var size: Int
    static var schema: Schema<Sized> { Check { $0.$size < 10 } }
  }

  @Test("a check of a column that changes its type deletes only rows that violate it afterwards")
  func check() throws {
    let db = try database(
      """
      CREATE TABLE Box (id INTEGER PRIMARY KEY, size TEXT NOT NULL);
      INSERT INTO Box VALUES (1, '9'), (2, '12'), (3, '-1')
      """)
    #expect(throws: MigrationError.self) { try db.migrate([Sized.self]) }
    let plan = try db.migrate([Sized.self], MigrationOptions(invalidValues: .deleted))
    #expect(plan.steps.first { $0.action == .deleteRows }?.rowCount == 1)
    #expect(try db.fetch(Sized.order(by: \.$id)).map(\.size) == [9, -1])
  }

  struct Priced: Model {
    static let tableName = "Box"
    @PrimaryKey var id: Int
    @Column var cents: Int
    static var schema: Schema<Priced> {
      Check { $0.$cents >= 100 }
      Converted(\.$cents, from: Double.self) { Int($0 * 100) }
    }
  }

  @Test(
    "a check of a column that is converted applies to the converted values", arguments: [5.0, 0.5])
  func checkOfConverted(price: Double) throws {
    let db = try database(
      """
      CREATE TABLE Box (id INTEGER PRIMARY KEY, cents REAL NOT NULL);
      INSERT INTO Box VALUES (1, \(price))
      """)
    for options in [MigrationOptions(), MigrationOptions(invalidValues: .deleted)] {
      if price == 5 {
        try db.migrate([Priced.self], options)
        #expect(try db.fetch(Priced.all).map(\.cents) == [500])
      } else {
        #expect(throws: MigrationError.self) { try db.migrate([Priced.self], options) }
        #expect(try db.row("SELECT cents FROM Box")?[0] == .real(price))
      }
    }
  }

  // MARK: Unique indexes

  struct Unlike: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var b: Int
    @Column var a: Int
    static var schema: Schema<Unlike> {
      Renamed(\.$b, from: "a")
      Default(\.$a, 0)
      Unique(\.$b)
    }
  }

  @Test("a unique index over a renamed column is asked about that column's values")
  func unique() throws {
    let db = try database(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, a INTEGER NOT NULL);
      INSERT INTO Post VALUES (1, 5), (2, 6)
      """)
    try db.migrate([Unlike.self])
    #expect(try db.rows("SELECT b, a FROM Post ORDER BY id").map(\.values) == [[5, 0], [6, 0]])
  }
}
