import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Stored forms recorded in the definition of a column")
struct RememberedFormTests {
  static let moments = [0.0, 1_700_000_000.123456, -86_400.5].map(Date.init(timeIntervalSince1970:))

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

  struct Text: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Text> { Stored(\.$seen, as: .iso8601) }
  }

  struct Spaced: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Spaced> { Stored(\.$seen, as: .datetime) }
  }

  struct Milliseconds: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Milliseconds> { Stored(\.$seen, as: .unixMilliseconds) }
  }

  struct Julian: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
    static var schema: Schema<Julian> { Stored(\.$seen, as: .julianDay) }
  }

  struct Standard: Model, Equatable {
    static let tableName = "Visit"
    @PrimaryKey var id: Int
    @Column var seen: Date
  }

  private func definition(_ db: Database) throws -> String? {
    try db.row("SELECT sql FROM sqlite_schema WHERE name = 'Visit'")?.get(String.self, at: 0)
  }

  @Test("the definition names every form except the standard one")
  func definition() throws {
    #expect(
      try definition(Specification.database(models: [Unix.self]))?.contains(
        #""seen" REAL /* unixSeconds */ NOT NULL"#) == true)
    #expect(
      try definition(Specification.database(models: [Spaced.self]))?.contains(
        #""seen" TEXT /* datetime */ NOT NULL"#) == true)
    #expect(
      try definition(Specification.database(models: [Standard.self]))?.contains(
        #""seen" INTEGER NOT NULL"#) == true)
  }

  @Test("the form is found next to the user's own comments")
  func otherComments() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE "Visit" (
        "id" INTEGER PRIMARY KEY NOT NULL,
        "seen" REAL /* when it was seen */ /* unixSeconds */ /* indexed */ NOT NULL
      ) STRICT
      """)
    try db.execute("INSERT INTO Visit VALUES (1, 1700000000.5)")
    try db.migrate([Reference.self])
    let seen = try #require(try db.find(Reference.self, 1)).seen
    #expect(seen == Date(timeIntervalSince1970: 1_700_000_000.5))
  }

  @Test("changing seconds since 1970 to seconds since 2001 keeps each date")
  func real() throws {
    let db = try Specification.database(models: [Unix.self])
    try db.insert(Self.moments.enumerated().map { Unix(id: $0.offset, seen: $0.element) })
    let plan = try db.migrate([Reference.self])
    #expect(
      plan.steps.map(\.reason) == [
        "seen is stored as `.unixSeconds` in the database and as `.referenceSeconds` in Reference"
      ])
    let moments = Self.moments.map(Date.canonical)
    #expect(try db.fetch(Reference.all.order(by: \.$id)).map(\.seen) == moments)
    #expect(try db.row("SELECT seen FROM Visit WHERE id = 0")?[0] == -978_307_200.0)
    #expect(try db.migrationPlan(for: [Reference.self]).isEmpty)
    // The dates also survive changes of the storage class.
    try db.migrate([Text.self])
    #expect(try db.fetch(Text.all.order(by: \.$id)).map(\.seen) == moments)
    try db.migrate([Standard.self])
    #expect(try db.fetch(Standard.all.order(by: \.$id)).map(\.seen) == moments)
  }

  @Test("forms of the same storage class are distinguished")
  func others() throws {
    let moments = [0.0, 1_700_000_000.125].map(Date.init(timeIntervalSince1970:))
    let db = try Specification.database(models: [Spaced.self])
    try db.insert(moments.enumerated().map { Spaced(id: $0.offset, seen: $0.element) })
    #expect(try db.row("SELECT seen FROM Visit WHERE id = 1")?[0] == "2023-11-14 22:13:20.125")
    try db.migrate([Text.self])
    #expect(try db.row("SELECT seen FROM Visit WHERE id = 1")?[0] == "2023-11-14T22:13:20.125000Z")
    try db.migrate([Milliseconds.self])
    #expect(try db.row("SELECT seen FROM Visit WHERE id = 1")?[0] == 1_700_000_000_125)
    try db.migrate([Standard.self])
    #expect(try db.fetch(Standard.all.order(by: \.$id)).map(\.seen) == moments)
    try db.migrate([Julian.self])
    #expect(try db.fetch(Julian.all.order(by: \.$id)).map(\.seen) == moments)
  }

  @Test("a form that cannot hold a value is refused, and nothing changes")
  func lossy() throws {
    let db = try Specification.database(models: [Standard.self])
    try db.insert(Self.moments.enumerated().map { Standard(id: $0.offset, seen: $0.element) })
    let before = try db.rows("SELECT * FROM Visit").map(\.values)
    let error = #expect(throws: MigrationError.self) { try db.migrate([Milliseconds.self]) }
    #expect(
      error?.plan.refusals.map(\.reason) == [
        "seen is stored as `.standard` in the database and as `.unixMilliseconds` in Milliseconds, "
          + "and 1 of its values would change, as in row 1: 1700000000123456"
      ])
    #expect(
      error?.plan.refusals.first?.line == "@Column var seen: Date  // without `Stored`")
    #expect(try db.rows("SELECT * FROM Visit").map(\.values) == before)
  }

  @Test("the recorded form survives columns that are added, renamed and dropped by ALTER TABLE")
  func alter() throws {
    let db = try Specification.database(models: [Unix.self])
    try db.insert(Unix(id: 1, seen: Self.moments[1]))
    try db.execute(
      """
      ALTER TABLE Visit ADD COLUMN other TEXT;
      ALTER TABLE Visit RENAME COLUMN seen TO happened;
      ALTER TABLE Visit RENAME COLUMN happened TO seen;
      ALTER TABLE Visit RENAME TO Trip;
      ALTER TABLE Trip RENAME TO Visit;
      ALTER TABLE Visit DROP COLUMN other;
      """)
    #expect(try definition(db)?.contains("REAL /* unixSeconds */ NOT NULL") == true)
    try db.migrate([Reference.self])
    #expect(try db.fetch(Reference.all).map(\.seen) == [Date.canonical(Self.moments[1])])
  }

  @Test("an added column has its form recorded, and a rebuild keeps it")
  func added() throws {
    struct Bare: Model {
      static let tableName = "Visit"
      @PrimaryKey var id: Int
    }
    struct Wide: Model {
      static let tableName = "Visit"
      @PrimaryKey var id: Int
      @Column var seen: Date?
      static var schema: Schema<Wide> { Stored(\.$seen, as: .julianDay) }
    }
    struct Checked: Model {
      static let tableName = "Visit"
      @PrimaryKey var id: Int
      static var schema: Schema<Checked> { Check { $0.$id > 0 } }
    }
    let db = try Specification.database(models: [Bare.self])
    try db.migrate([Wide.self])
    #expect(try definition(db)?.contains(#", "seen" REAL /* julianDay */)"#) == true)
    let plan = try db.migrate([Checked.self])
    #expect(plan.steps.contains { $0.action == .rebuildTable })
    #expect(try definition(db)?.contains(#""seen" REAL /* julianDay */"#) == true)
  }

  /// A date near 1970 does not look like microseconds, so that nothing but the definition can say
  /// what such a number counts.
  @Test("columns added to, or converted in, a table of another program hold dates of any year")
  func anyYear() throws {
    struct Bare: Model {
      static let tableName = "Visit"
      @PrimaryKey var id: Int
      @Column var text: Date
      @Column var added: Date?
      static var schema: Schema<Bare> {
        Converted(\.$text, from: String.self) { Date(timeIntervalSince1970: Double($0) ?? 0) }
      }
    }
    struct Later: Model {
      static let tableName = "Visit"
      @PrimaryKey var id: Int
      @Column var text: Date
      @Column var added: Date?
    }
    for options in ["", " STRICT"] {
      let db = try Specification.database()
      try db.execute(
        SQL(
          unsafe: "CREATE TABLE Visit (id INTEGER PRIMARY KEY, text TEXT NOT NULL)\(options); "
            + "INSERT INTO Visit VALUES (1, '5000')"))
      try db.migrate([Bare.self])
      let date = Date(timeIntervalSince1970: 5_000)
      try db.execute("UPDATE Visit SET added = 5000000000")
      #expect(try db.migrationPlan(for: [Bare.self]).steps.isEmpty)
      #expect(try db.migrationPlan(for: [Later.self]).isEmpty)
      let opened = try Specification.reopen(db, models: [Later.self])
      #expect(try opened.find(Later.self, 1)?.text == date)
      #expect(try opened.find(Later.self, 1)?.added == date)
    }
  }
}
