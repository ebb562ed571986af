import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Recognising the stored form of another program's column by its values")
struct ForeignFormTests {
  struct Unix: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Unix> { Stored(\.$seen, as: .unixSeconds) }
  }

  struct Reference: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Reference> { Stored(\.$seen, as: .referenceSeconds) }
  }

  struct Plain: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
  }

  struct Epoch: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Epoch> { Stored(\.$seen, as: .unixEpoch) }
  }

  struct Spaced: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Spaced> { Stored(\.$seen, as: .datetime) }
  }

  struct ISO: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date?
    static var schema: Schema<ISO> { Stored(\.$seen, as: .iso8601) }
  }

  /// Declares that all numbers count microseconds.
  struct Counted: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Counted> { Converted(\.$seen, from: Date.self) { $0 } }
  }

  /// Makes a table as another program does.
  private func file(_ type: String, _ values: String...) throws -> Database {
    let db = try Specification.database()
    try db.execute(
      SQL(unsafe: "CREATE TABLE Visit (id INTEGER PRIMARY KEY, seen \(type) NOT NULL)"))
    for (index, value) in values.enumerated() {
      try db.execute(SQL(unsafe: "INSERT INTO Visit VALUES (\(index + 1), \(value))"))
    }
    return db
  }

  private func open(_ db: Database, _ model: any Model.Type) throws -> Database {
    try Specification.reopen(db, models: [model])
  }

  private func definition(_ db: Database) throws -> String? {
    try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Visit'")?.get(String.self, at: 0)
  }

  @Test("seconds since 1970 are accepted as they are, and opening writes nothing")
  func fits() throws {
    let db = try file("REAL", "1700000000.5", "1710000000")
    let before = try db.rows("SELECT * FROM sqlite_schema").map(\.values)
    let watcher = try Connection(path: #require(db.path))
    let version = try watcher.row("PRAGMA data_version")?[0]
    #expect(try db.migrationPlan(for: [Unix.self]).steps.isEmpty)
    for _ in 0..<2 {
      let opened = try open(db, Unix.self)
      #expect(try opened.find(Unix.self, 1)?.seen == Date(timeIntervalSince1970: 1_700_000_000.5))
      try opened.close()
    }
    #expect(try db.rows("SELECT * FROM sqlite_schema").map(\.values) == before)
    #expect(try watcher.row("PRAGMA data_version")?[0] == version)
    // The file does not say which form was declared before, so another form needs a line.
    let error = #expect(throws: MigrationError.self) { try open(db, Reference.self) }
    let line = #"Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }"#
    #expect(error?.plan.refusals.first?.lines.contains { $0.hasPrefix(line) } == true)
    #expect(try db.rows("SELECT * FROM sqlite_schema").map(\.values) == before)
  }

  @Test("a file in which an earlier version recorded a form opens as before, and is converted")
  func recorded() throws {
    let db = try file("REAL /* unixSeconds */", "1700000000.5", "1710000000")
    let before = try definition(db)
    #expect(try open(db, Unix.self).migrationPlan(for: [Unix.self]).steps.isEmpty)
    #expect(try definition(db) == before)
    let again = try open(db, Reference.self)
    #expect(try again.find(Reference.self, 1)?.seen == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect(try again.row("SELECT seen FROM Visit WHERE id = 2")?[0] == 731_692_800.0)
  }

  @Test("an opening finds a few values of another form among many rows, and counts them all")
  func sample() throws {
    let db = try file("TEXT", "'2009-01-01 00:00:00.250'")
    try db.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO Visit SELECT i, '2009-01-02 03:04:05.000' FROM n
      """)
    #expect(try open(db, Spaced.self).migrationPlan(for: [Spaced.self]).steps.isEmpty)
    try db.execute("UPDATE Visit SET seen = 'soon' WHERE id BETWEEN 9000 AND 9100")
    let error = #expect(throws: MigrationError.self) { try open(db, Spaced.self) }
    #expect(error?.plan.refusals.first?.reason.contains("cannot read 101 of its values") == true)
    // One bad value may lie between the rows that an opening examines; `checksValues` reads all.
    try db.execute("UPDATE Visit SET seen = '2009-01-02 03:04:05.000' WHERE id <> 9007")
    let options = MigrationOptions(checksValues: true)
    let plan = try db.migrationPlan(for: [Spaced.self], options)
    #expect(plan.refusals.first?.reason.contains("as in row 9007: 'soon'") == true)
  }

  @Test("the values of a table without a rowid are examined, too")
  func withoutRowID() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Visit (id INTEGER PRIMARY KEY, seen TEXT NOT NULL) WITHOUT ROWID;
      INSERT INTO Visit VALUES (1, '2009-01-01 00:00:00.250'), (2, 'soon')
      """)
    #expect(try db.migrationPlan(for: [Spaced.self]).refusals.count == 1)
    try db.execute("DELETE FROM Visit WHERE id = 2")
    let before = try definition(db)
    #expect(try open(db, Spaced.self).count(Spaced.all) == 1)
    #expect(try definition(db) == before)
  }

  @Test("numbers that are dates only in another form are refused with that form and its years")
  func ambiguous() throws {
    let db = try file("REAL", "1700000000.5", "1710000000")
    let error = #expect(throws: MigrationError.self) { try open(db, Reference.self) }
    let refusal = error?.plan.refusals.first
    #expect(
      refusal?.reason
        == "seen is REAL in the database, which does not say what its numbers count, and if they "
        + "are read as `.referenceSeconds`, none is a date between 1980 and 2050; choose the line "
        + "whose dates are right")
    #expect(
      refusal?.lines == [
        #"Stored(\.$seen, as: .unixSeconds)  // dates from 2023 to 2024"#,
        #"Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }  // dates from 2023 to 2024"#,
      ])
    #expect(try definition(db)?.contains("/*") == false)
  }

  @Test("numbers that fit two forms are refused with both forms and their years")
  func twoForms() throws {
    let db = try file("REAL", "700000000", "750000000.25")
    let plan = try db.migrationPlan(for: [Plain.self])
    #expect(
      plan.refusals.first?.lines == [
        #"Stored(\.$seen, as: .unixSeconds)  // dates from 1992 to 1993"#,
        #"Stored(\.$seen, as: .referenceSeconds)  // dates from 2023 to 2024"#,
        #"Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }  // dates from 1992 to 1993"#,
        #"Converted(\.$seen, from: Date.self, stored: .referenceSeconds) { $0 }  // dates from 2023 to 2024"#,
      ])
  }

  @Test(
    "microseconds beside seconds or milliseconds are refused until a line says what they count",
    arguments: ["1258000000", "1258000000123"])
  func mixedCounts(other: String) throws {
    for type in ["INTEGER", "DATETIME"] {
      let db = try file(type, "1258000000123456", other)
      let error = #expect(throws: MigrationError.self) { try open(db, Plain.self) }
      let refusal = error?.plan.refusals.first
      #expect(
        refusal?.reason
          == "seen is \(type) in the database, which does not say what its numbers count, and some "
          + "seem to be microseconds, others (1) seconds or milliseconds, as in row 2: \(other); "
          + "choose the line whose dates are right")
      let line = #"Converted(\.$seen, from: Date.self) { $0 }  // dates from 1970 to 2009"#
      #expect(refusal?.lines.contains(line) == true)
      let opened = try open(db, Counted.self)
      #expect(
        try opened.find(Counted.self, 1)?.seen == Date(timeIntervalSince1970: 1_258_000_000.123456))
      #expect(
        try opened.row("SELECT seen FROM Visit WHERE id = 2")?[0] == .integer(Int64(other) ?? 0))
      #expect(try opened.migrationPlan(for: [Counted.self]).steps.isEmpty)
    }
  }

  @Test("whole seconds in an INTEGER column are not read as microseconds")
  func wholeSeconds() throws {
    let db = try file("INTEGER", "1700000000", "1710000000")
    let error = #expect(throws: MigrationError.self) { try open(db, Plain.self) }
    #expect(
      error?.plan.refusals.first?.line
        == #"Stored(\.$seen, as: .unixEpoch)  // dates from 2023 to 2024"#)
    let opened = try open(db, Epoch.self)
    #expect(try opened.find(Epoch.self, 1)?.seen == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(throws: MigrationError.self) { try open(db, Plain.self) }
  }

  @Test(
    "text written by GRDB or datetime() is read in place, whatever type the column declares",
    arguments: ["TEXT", "DATETIME"])
  func datetime(type: String) throws {
    let db = try file(type, "'2009-01-01 00:00:00.250'", "'2009-01-02 03:04:05.000'")
    let error = #expect(throws: MigrationError.self) { try open(db, Plain.self) }
    #expect(
      error?.plan.refusals.first?.lines == [
        #"Stored(\.$seen, as: .datetime)"#,
        #"Converted(\.$seen, from: Date.self, stored: .datetime) { $0 }"#,
      ])
    let opened = try open(db, Spaced.self)
    #expect(try opened.find(Spaced.self, 1)?.seen == Date(timeIntervalSince1970: 1_230_768_000.25))
    #expect(
      try definition(opened) == "CREATE TABLE Visit (id INTEGER PRIMARY KEY, seen \(type) NOT NULL)"
    )
    #expect(try opened.migrationPlan(for: [Spaced.self]).steps.isEmpty)
  }

  @Test("text without a fraction is read in place, and the plan names its exact form")
  func seconds() throws {
    let db = try file("TEXT", "'2009-01-01 00:00:00'")
    let plan = try db.migrationPlan(for: [Spaced.self])
    #expect(plan.isEmpty)
    #expect(
      plan.steps.first?.reason
        == "1 of the 1 values that were examined is not spelled as `.datetime` writes them; they "
        + "can be read, but SQL compares their text")
    #expect(plan.steps.first?.line == #"Stored(\.$seen, as: .datetimeSeconds)"#)
    let opened = try open(db, Spaced.self)
    #expect(try opened.find(Spaced.self, 1)?.seen == Date(timeIntervalSince1970: 1_230_768_000))
  }

  @Test("text of another layout is refused with the form that fits")
  func otherLayout() throws {
    let db = try file("TEXT", "'2009-01-01 00:00:00'")
    #expect(
      try db.migrationPlan(for: [ISO.self]).refusals.first?.lines == [
        #"Stored(\.$seen, as: .datetimeSeconds)"#,
        #"Converted(\.$seen, from: Date.self, stored: .datetimeSeconds) { $0 }"#,
      ])
    try db.execute("INSERT INTO Visit VALUES (2, '2009-01-01T01:00:00+02:00')")
    #expect(
      try db.migrationPlan(for: [ISO.self]).refusals.first?.lines == [
        "@Column var seen: String  // keeps the values as they are",
        #"Converted(\.$seen, from: Date.self, stored: .iso8601) { $0 }  // loses 1 offset"#,
      ])
    try db.execute("INSERT INTO Visit VALUES (3, 'soon')")
    let refusal = try db.migrationPlan(for: [ISO.self]).refusals.first
    #expect(
      refusal?.reason
        == "seen is text in the database, and Date cannot read 1 of its values, as in row 3: 'soon'"
    )
    #expect(
      refusal?.lines == [
        "@Column var seen: String  // keeps the values as they are",
        #"MigrationOptions(invalidValues: .deleted(in: "Visit.seen"))  // deletes 1 row"#,
      ])
  }

  @Test("the policies validated and locked accept values that fit, and write nothing")
  func policies() throws {
    let db = try file("REAL", "1700000000")
    for policy in [SchemaPolicy.validated, .locked] {
      var configuration = Configuration()
      configuration.schemaPolicy = policy
      let opened = try Specification.reopen(
        db, models: [Unix.self], configuration: configuration)
      #expect(try opened.find(Unix.self, 1)?.seen == Date(timeIntervalSince1970: 1_700_000_000))
      #expect(try definition(opened)?.contains("/*") == false)
    }
  }
}
