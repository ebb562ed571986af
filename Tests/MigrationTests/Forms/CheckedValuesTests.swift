import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("checksValues, which reads every value of every column")
struct CheckedValuesTests {
  struct Sample: Model {
    @PrimaryKey var id: Int64
    @Column var number: Int
    @Column var ratio: Double?
    @Column var data: Data
    @Column var seen: Date
    @Column var unix: Date
    @Column var text: Date
    @Column var key: UUID
    @Column var flag: Bool
    @Column var price: Decimal
    @Column var tags: JSON<[String]>
    @Column var double: Int
    static var schema: Schema<Sample> {
      Stored(\.$unix, as: .unixSeconds)
      Stored(\.$text, as: .iso8601)
      Generated(\.$double) { $0.$number * 2 }
    }
  }

  static let columns = [
    "number", "ratio", "data", "seen", "unix", "text", "key", "flag", "price", "tags",
  ]

  @Test(
    "checksValues refuses a value that its column's type cannot read, and names the row",
    arguments: columns)
  func everyColumn(column: String) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Sample (id INTEGER PRIMARY KEY NOT NULL, number INTEGER NOT NULL, ratio REAL,
        data BLOB NOT NULL, seen INTEGER NOT NULL, unix REAL /* unixSeconds */ NOT NULL,
        text TEXT /* iso8601 */ NOT NULL, key TEXT NOT NULL, flag INTEGER NOT NULL,
        price TEXT NOT NULL, tags TEXT NOT NULL, double INTEGER NOT NULL AS (number * 2));
      INSERT INTO Sample VALUES
        (1, 1, 1.5, x'01', 1700000000000000, 1700000000.5, '2009-01-01T00:00:00.000000Z',
         '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1, '1.50', '[]');
      INSERT INTO Sample SELECT 7, number, ratio, data, seen, unix, text, key, flag, price, tags
        FROM Sample
      """)
    let options = MigrationOptions(checksValues: true)
    #expect(try db.migrationPlan(for: [Sample.self], options).refusals.isEmpty)
    #expect(try db.migrate([Sample.self], options).refusals.isEmpty)
    try db.execute("UPDATE Sample SET \(unsafe: column) = 'soon' WHERE id = 7")
    let refusals = try db.migrationPlan(for: [Sample.self], options).refusals
    #expect(refusals.contains { $0.reason.contains("as in row 7: 'soon'") }, "\(refusals)")
    #expect(refusals.first?.lines.last?.contains(".deleted(in: \"Sample.\(column)\")") == true)
  }

  enum Status: String, ColumnValue { case draft, published }

  struct Note: Model {
    @PrimaryKey var id: Int64
    @Column var status: Status
    @Column var seen: Date
  }

  @Test(
    "checksValues reads the values of a column that becomes NOT NULL, too",
    arguments: [("status", "'asleep'"), ("seen", "'soon'")])
  func notNull(column: String, literal: String) throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, status TEXT, seen INTEGER);
      INSERT INTO Note VALUES (1, 'draft', 1700000000000000), (7, 'draft', 1700000000000000)
      """)
    let options = MigrationOptions(checksValues: true)
    let plan = try db.migrationPlan(for: [Note.self], options)
    #expect(plan.refusals.isEmpty && plan.steps.contains { $0.action == .rebuildTable })
    try db.execute("UPDATE Note SET \(unsafe: column) = \(unsafe: literal) WHERE id = 7")
    let refusals = try db.migrationPlan(for: [Note.self], options).refusals
    #expect(refusals.contains { $0.reason.contains("as in row 7: \(literal)") }, "\(refusals)")
    let deleting = MigrationOptions(invalidValues: .deleted(in: "Note"), checksValues: true)
    try db.migrate([Note.self], deleting)
    #expect(try db.fetch(Note.all).map(\.id) == [1])
  }
}
