import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures

@Suite("Declared conversions of a migration")
struct ConversionTests {
  /// The number of values that a closure converted.
  final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  @TaskLocal static var counter = Counter()

  static let day = Date(timeIntervalSince1970: 1_230_768_000)

  struct Flag: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Bool
  }

  /// A date is stored as INTEGER, like the Bool before.
  struct Dated: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Date
    static var schema: Schema<Dated> {
      Converted(\.$done, from: Bool.self) { done in
        counter.add()
        return done ? day : Date(timeIntervalSince1970: 0)
      }
    }
  }

  struct PlainDated: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Date
  }

  func flags() throws -> Database {
    let db = try Specification.database(models: [Flag.self])
    try db.insert([Flag(id: 1, done: true), Flag(id: 2, done: false)])
    return db
  }

  func open(
    _ db: Database, _ models: any Model.Type..., options: MigrationOptions = MigrationOptions()
  ) throws -> Database {
    try Specification.reopen(db, models: models, migration: options)
  }

  func notes(_ db: Database) throws -> [DatabaseValue] {
    try db.rows("SELECT name FROM apus_migration ORDER BY name").map { $0.values[0] }
  }

  @Test("a conversion from Bool to Date, both stored as INTEGER, runs exactly once")
  func alike() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      let plan = try db.migrationPlan(for: [Dated.self])
      #expect(plan.steps.map(\.action) == [.rebuildTable])
      #expect(plan.steps.first?.reason == "done is Bool in the database and Date in Dated")
      #expect(Self.counter.count == 0)
      for _ in 0..<3 {
        let again = try open(db, Dated.self)
        #expect(
          try again.fetch(Dated.order(by: \.$id)).map(\.done) == [
            Self.day, Date(timeIntervalSince1970: 0),
          ])
        #expect(try again.migrationPlan(for: [Dated.self]).steps.isEmpty)
      }
      #expect(Self.counter.count == 2)
      #expect(try notes(db) == ["Converted Task.done from Bool to Date"])
    }
  }

  @Test("a conversion that was removed from the schema and declared again does not run twice")
  func readded() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      _ = try open(db, Dated.self)
      try open(db, PlainDated.self).insert(PlainDated(id: 3, done: Self.day))
      #expect(try open(db, Dated.self).find(Dated.self, 3)?.done == Self.day)
      #expect(Self.counter.count == 2)
    }
  }

  @Test("a new database and a newly added column need no conversion")
  func new() throws {
    struct Key: Model {
      static let tableName = "Task"
      @PrimaryKey var id: Int
    }
    try Self.$counter.withValue(Counter()) {
      for db in [try Specification.database(), try Specification.database(models: [Key.self])] {
        try open(db, Dated.self).insert(Dated(id: 1, done: Self.day))
        #expect(try open(db, Dated.self).fetch(Dated.all).map(\.done) == [Self.day])
      }
      #expect(Self.counter.count == 0)
    }
  }

  // MARK: Conversions from text to dates

  struct Visit: Model {
    @PrimaryKey var id: Int
    @Column var day: Date?
    static var schema: Schema<Visit> {
      Stored(\.$day, as: .iso8601)
      Converted(\.$day, from: String?.self) { text in
        counter.add()
        return text == nil ? nil : ConversionTests.day
      }
    }
  }

  struct RenamedVisit: Model {
    static let tableName = "Journey"
    @PrimaryKey var id: Int
    @Column var date: Date?
    static var schema: Schema<RenamedVisit> {
      RenamedTable(from: "Visit")
      Renamed(\.$date, from: "day")
      Stored(\.$date, as: .iso8601)
      Converted(\.$date, from: String?.self) { text in
        counter.add()
        return text == nil ? nil : ConversionTests.day
      }
    }
  }

  static let visits: SQL = """
    CREATE TABLE Visit (id INTEGER PRIMARY KEY NOT NULL, day TEXT);
    INSERT INTO Visit VALUES (1, 'the first of January'), (2, NULL)
    """

  @Test(
    "text is converted once to an ISO 8601 date, also while its column is being renamed",
    arguments: [false, true])
  func text(_ isRenamed: Bool) throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Specification.database()
      try db.execute(Self.visits)
      for _ in 0..<2 {
        let days =
          try isRenamed
          ? open(db, RenamedVisit.self).fetch(RenamedVisit.order(by: \.$id)).map(\.date)
          : open(db, Visit.self).fetch(Visit.order(by: \.$id)).map(\.day)
        #expect(days == [Self.day, nil])
      }
      #expect(Self.counter.count == 2)
    }
  }

  @Test("renaming the table and the column later keeps the record of the conversion")
  func renamedLater() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Specification.database()
      try db.execute(Self.visits)
      _ = try open(db, Visit.self)
      #expect(
        try open(db, RenamedVisit.self).fetch(RenamedVisit.order(by: \.$id)).map(\.date) == [
          Self.day, nil,
        ])
      #expect(Self.counter.count == 2)
      #expect(try notes(db) == ["Converted Journey.date from String to Date as iso8601"])
    }
  }

  @Test("dropping a column drops the record of its conversion, so a new column is converted again")
  func dropped() throws {
    struct Bare: Model {
      static let tableName = "Task"
      @PrimaryKey var id: Int
      static var schema: Schema<Bare> { Dropped("done") }
    }
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      _ = try open(db, Dated.self)
      _ = try open(db, Bare.self)
      #expect(try notes(db).isEmpty)
      try open(db).execute("ALTER TABLE Task ADD COLUMN done INTEGER NOT NULL DEFAULT 1")
      // A program that drops the column counts as newer; an older program neither converts the
      // column nor misreads it.
      let error = #expect(throws: MigrationError.self) { try open(db, Dated.self) }
      #expect(error?.description.contains("its values would have to be converted") == true)
      let again = try open(db, Dated.self, options: MigrationOptions(newerSchema: .replaced))
      #expect(try again.fetch(Dated.all).map(\.done) == [Self.day, Self.day])
      #expect(Self.counter.count == 4)
    }
  }

  // MARK: Other storage classes

  struct Price: Model {
    @PrimaryKey var id: Int
    @Column var cents: Int
    static var schema: Schema<Price> {
      Converted(\.$cents, from: String?.self) { text in
        counter.add()
        return (text.flatMap { Int($0) } ?? 0) * 100
      }
    }
  }

  @Test("a conversion from text to numbers runs once, which the column's storage class shows")
  func otherClass() throws {
    try Self.$counter.withValue(Counter()) {
      for options in ["", "STRICT"] {
        let db = try Specification.database()
        try db.execute(
          """
          CREATE TABLE Price (id INTEGER PRIMARY KEY NOT NULL, cents TEXT) \(unsafe: options);
          INSERT INTO Price VALUES (1, '5'), (2, NULL)
          """)
        for _ in 0..<2 {
          #expect(try open(db, Price.self).fetch(Price.order(by: \.$id)).map(\.cents) == [500, 0])
        }
      }
      #expect(Self.counter.count == 4)
      // In a table that the model created, a number is never a value of the old type.
      let new = try Specification.database(models: [Price.self])
      try new.insert(Price(id: 1, cents: 7))
      #expect(try open(new, Price.self).fetch(Price.all).map(\.cents) == [7])
      #expect(Self.counter.count == 4)
    }
  }

  @Test("only the text values in an INTEGER column of a table that is not STRICT are converted")
  func mixed() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Specification.database()
      try db.execute(
        """
        CREATE TABLE Price (id INTEGER PRIMARY KEY NOT NULL, cents INTEGER NOT NULL);
        INSERT INTO Price VALUES (1, 500), (2, 'five')
        """)
      for _ in 0..<2 {
        #expect(try open(db, Price.self).fetch(Price.order(by: \.$id)).map(\.cents) == [500, 0])
      }
      #expect(Self.counter.count == 1)
    }
  }

  struct Named: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    static var schema: Schema<Named> {
      Converted(\.$name, from: String?.self) { name in
        counter.add()
        return name ?? "none"
      }
    }
  }

  @Test("a conversion from an optional of the same type runs once, which NOT NULL shows")
  func null() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Specification.database()
      try db.execute(
        """
        CREATE TABLE Named (id INTEGER PRIMARY KEY NOT NULL, name TEXT);
        INSERT INTO Named VALUES (1, 'a'), (2, NULL)
        """)
      for _ in 0..<2 {
        #expect(
          try open(db, Named.self).fetch(Named.order(by: \.$id)).map(\.name) == ["a", "none"])
      }
      #expect(Self.counter.count == 2)
      #expect(try db.rows("SELECT 1 FROM sqlite_schema WHERE name = 'apus_migration'").isEmpty)
    }
  }

  // MARK: Successive conversions

  struct Number: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Int
    static var schema: Schema<Number> {
      Converted(\.$done, from: Date.self) { date in
        counter.add()
        return Int(date.timeIntervalSince1970)
      }
    }
  }

  struct FlagAgain: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Bool
    static var schema: Schema<FlagAgain> {
      Converted(\.$done, from: Int.self) { number in
        counter.add()
        return number > 0
      }
    }
  }

  @Test("several conversions in a circle back to the first type each run once in each round")
  func round() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      for _ in 0..<2 {
        for _ in 0..<2 {
          #expect(try open(db, Dated.self).find(Dated.self, 1)?.done == Self.day)
        }
        for _ in 0..<2 {
          #expect(try open(db, Number.self).find(Number.self, 1)?.done == 1_230_768_000)
        }
        for _ in 0..<2 {
          #expect(try open(db, FlagAgain.self).find(FlagAgain.self, 1)?.done == true)
        }
      }
      #expect(Self.counter.count == 12)
    }
  }
}
