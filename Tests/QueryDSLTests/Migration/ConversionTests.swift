import Foundation
import QueryDSL
import SQLCore
import Synchronization
import Testing

@Suite("Migration: a declared conversion runs exactly once")
struct ConversionTests {
  /// How many values a closure converted.
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

  /// An INTEGER as before.
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
    let db = try Database.temporary(models: [Flag.self])
    try db.insert([Flag(id: 1, done: true), Flag(id: 2, done: false)])
    return db
  }

  func open(
    _ db: Database, _ models: any Model.Type..., options: MigrationOptions = MigrationOptions()
  ) throws -> Database {
    try Database(path: #require(db.path), models: models, migration: options)
  }

  func notes(_ db: Database) throws -> [DatabaseValue] {
    try db.rows("SELECT name FROM apus_migration ORDER BY name").map { $0.values[0] }
  }

  @Test("from Bool to Date, which are both an INTEGER")
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

  @Test("a line that goes and comes back finds that it ran")
  func readded() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      _ = try open(db, Dated.self)
      try open(db, PlainDated.self).insert(PlainDated(id: 3, done: Self.day))
      #expect(try open(db, Dated.self).find(Dated.self, 3)?.done == Self.day)
      #expect(Self.counter.count == 2)
    }
  }

  @Test("a new database, and a column that is added, have nothing to convert")
  func new() throws {
    struct Key: Model {
      static let tableName = "Task"
      @PrimaryKey var id: Int
    }
    try Self.$counter.withValue(Counter()) {
      for db in [try Database.temporary(), try Database.temporary(models: [Key.self])] {
        try open(db, Dated.self).insert(Dated(id: 1, done: Self.day))
        #expect(try open(db, Dated.self).fetch(Dated.all).map(\.done) == [Self.day])
      }
      #expect(Self.counter.count == 0)
    }
  }

  // MARK: Text and a form of a date

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
    "from text to a date in ISO 8601, with and without another name in the same run",
    arguments: [false, true])
  func text(_ isRenamed: Bool) throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Database.temporary()
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

  @Test("a table and column that get other names later keep the note")
  func renamedLater() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Database.temporary()
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

  @Test("a column that goes takes its note along, and one that comes has none of it")
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
      #expect(try open(db, Dated.self).fetch(Dated.all).map(\.done) == [Self.day, Self.day])
      #expect(Self.counter.count == 4)
    }
  }

  // MARK: Other classes

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

  @Test("from text to numbers: the class of the column says that it ran, whoever keeps notes")
  func otherClass() throws {
    try Self.$counter.withValue(Counter()) {
      for options in ["", "STRICT"] {
        let db = try Database.temporary()
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
      // In a table that the model creates, a number is none of the old type.
      let new = try Database.temporary(models: [Price.self])
      try new.insert(Price(id: 1, cents: 7))
      #expect(try open(new, Price.self).fetch(Price.all).map(\.cents) == [7])
      #expect(Self.counter.count == 4)
    }
  }

  @Test("text in an INTEGER column of a table that is not STRICT is converted, and numbers stay")
  func mixed() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Database.temporary()
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

  @Test("from an optional of the same type: NOT NULL says that it ran")
  func null() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try Database.temporary()
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

  // MARK: One after another

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

  @Test("one conversion after another, round to the first type, each run once a turn")
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

  struct OtherSource: Model {
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Date
    static var schema: Schema<OtherSource> {
      Converted(\.$done, from: Int.self) { number in
        counter.add()
        return Date(timeIntervalSince1970: TimeInterval(number))
      }
    }
  }

  static let steps = [
    MigrationStep("Converted Task.done from Int to Date", .before) { _ in }
  ]

  @Test("where nobody can know whether it ran, it is refused, with the step that says so")
  func unknown() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      _ = try open(db, Dated.self)
      let error = #expect(throws: MigrationError.self) { try open(db, OtherSource.self) }
      #expect(
        error?.plan.refusals.map(\.line) == [
          #"MigrationStep("Converted Task.done from Int to Date", .before) { _ in }"#
        ])
      #expect(
        error?.plan.refusals.first?.reason.hasPrefix("done was converted from Bool to") == true)
      let options = MigrationOptions(steps: Self.steps)
      for _ in 0..<2 {
        #expect(
          try open(db, OtherSource.self, options: options).find(OtherSource.self, 1)?.done
            == Self.day)
      }
      #expect(Self.counter.count == 2)
    }
  }

  // MARK: Facets, steps

  struct Facet: Model {
    static let tableName = "task"
    @PrimaryKey var id: Int
    @Column var done: Date
    @Column var title: String?
  }

  @Test("in a table of two models, of which one declares it", arguments: [false, true])
  func facets(_ isFirst: Bool) throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      for _ in 0..<2 {
        let again =
          try isFirst ? open(db, Dated.self, Facet.self) : open(db, Facet.self, Dated.self)
        #expect(try again.find(Facet.self, 1)?.done == Self.day)
      }
      #expect(Self.counter.count == 2)
    }
  }

  @Test("two models that convert one column from different types are refused")
  func differing() throws {
    let db = try flags()
    let error = #expect(throws: MigrationError.self) {
      try open(db, Dated.self, OtherSource.self)
    }
    #expect(error?.description.contains("is converted from Bool in Dated and from Int in") == true)
  }

  @Test("before a step of the user's own, which sees the new values, and not again behind it")
  func step() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      let seen = Mutex<DatabaseValue?>(nil)
      let step = MigrationStep("look") { connection in
        let row = try connection.row("SELECT max(done) FROM Task")
        seen.withLock { $0 = row?[0] }
      }
      _ = try open(db, Dated.self, options: MigrationOptions(steps: [step]))
      #expect(seen.withLock { $0 } == 1_230_768_000_000_000)
      #expect(Self.counter.count == 2)
    }
  }

  // MARK: Failures

  struct Length: Model {
    @PrimaryKey var id: Int
    @Column var length: Int?
    static var schema: Schema<Length> {
      Converted(\.$length, from: String.self) { Int($0) }
    }
  }

  struct Sent: Model {
    struct ID: Hashable, Sendable {
      var to: String
      var number: Int
    }
    @PrimaryKey var to: String
    @PrimaryKey var number: Int
    @Column var day: Date?
    var id: ID { ID(to: to, number: number) }
    static var schema: Schema<Sent> {
      Converted(\.$day, from: Bool.self) { $0 ? ConversionTests.day : nil }
      WithoutRowID()
    }
  }

  @Test("NULL, where the old type is no optional, throws with the row, and nothing is done")
  func nullInRow() throws {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Length (id INTEGER PRIMARY KEY NOT NULL, length TEXT);
      INSERT INTO Length VALUES (1, '5'), (3, NULL);
      CREATE TABLE Sent ("to" TEXT NOT NULL, number INTEGER NOT NULL, day INTEGER,
        PRIMARY KEY ("to", number)) WITHOUT ROWID;
      INSERT INTO Sent VALUES ('me', 1, 1), ('you', 2, NULL);
      """)
    var error = #expect(throws: MigrationError.self) { try open(db, Length.self) }
    #expect(
      error?.reason == "`Converted` of length fails in the row whose id is 3: expected TEXT, found "
        + "NULL; an optional would take it")
    #expect(error?.plan.steps.first?.action == .rebuildTable)
    error = #expect(throws: MigrationError.self) { try open(db, Sent.self) }
    #expect(
      error?.reason == "`Converted` of day fails in the row whose to, number is 'you', 2: expected "
        + "INTEGER, found NULL; an optional would take it")
    #expect(try db.rows("SELECT length FROM Length").map(\.values) == [["5"], [nil]])
    #expect(try db.rows("SELECT 1 FROM sqlite_schema WHERE name = 'apus_migration'").isEmpty)
  }

  struct Failing: Model {
    struct Stop: Error {}
    static let tableName = "Task"
    @PrimaryKey var id: Int
    @Column var done: Date
    static var schema: Schema<Failing> {
      Converted(\.$done, from: Bool.self) { _ in throw Stop() }
    }
  }

  @Test("what the closure throws comes out, and the conversion is not noted")
  func throwing() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      #expect(throws: Failing.Stop.self) { try open(db, Failing.self) }
      #expect(try db.fetch(Flag.order(by: \.$id)).map(\.done) == [true, false])
      #expect(try open(db, Dated.self).find(Dated.self, 1)?.done == Self.day)
      #expect(Self.counter.count == 2)
    }
  }

  struct Twice: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Twice> {
      Converted(\.$text, from: Int.self) { String($0) }
      Converted(\.$text, from: Double.self) { String($0) }
    }
  }

  struct Calculated: Model {
    @PrimaryKey var id: Int
    @Column var twice: Int
    static var schema: Schema<Calculated> {
      Generated(\.$twice) { $0.$id * 2 }
      Converted(\.$twice, from: String.self) { Int($0) ?? 0 }
    }
  }

  @Test("two lines for a column, and one for a calculated column, are no schema")
  func mistakes() throws {
    for model in [Twice.self, Calculated.self] as [any Model.Type] {
      #expect(throws: ModelError.self) { try Database.temporary(models: [model]) }
    }
  }

  @Test("opening asks for the notes by one statement, and only where a model declares it")
  func cheap() throws {
    let db = try flags()
    _ = try open(db, Dated.self)
    func statements(_ model: any Model.Type) throws -> [String] {
      let log = Mutex<[String]>([])
      let listener = Mutex<AnyObject?>(nil)
      var configuration = Configuration()
      configuration.prepareConnection = { connection in
        let tracing = try connection.onTrace(.statement) { event in
          log.withLock { $0.append(event.sql ?? "") }
        }
        listener.withLock { $0 = tracing as AnyObject }
      }
      _ = try Database(path: #require(db.path), models: [model], configuration: configuration)
      return log.withLock { $0.filter { $0.contains("apus_migration") } }
    }
    // The table was made anew, and its text is the declared one.
    #expect(try statements(Dated.self).count == 1)
    #expect(try statements(PlainDated.self).isEmpty)
  }
}
