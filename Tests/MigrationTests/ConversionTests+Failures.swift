import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures

extension ConversionTests {
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

  @Test("a conversion that may have run already is refused, and the offered step marks it as done")
  func unknown() throws {
    try Self.$counter.withValue(Counter()) {
      let db = try flags()
      _ = try open(db, Dated.self)
      let error = #expect(throws: MigrationError.self) { try open(db, OtherSource.self) }
      #expect(
        error?.plan.refusals.map(\.line) == [
          #"MigrationStep("Converted Task.done from Int to Date", .before) { _ in }"#
            + "  // it has run, and the values stay"
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

  // MARK: Facets and steps

  struct Facet: Model {
    static let tableName = "task"
    @PrimaryKey var id: Int
    @Column var done: Date
    @Column var title: String?
  }

  @Test(
    "a conversion runs once in a table of two models if only one of them declares it",
    arguments: [false, true])
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

  @Test("a conversion runs once, before the user's migration step, which sees the new values")
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

  @Test("NULL throws if the old type is not optional; the error names the row, and nothing changes")
  func nullInRow() throws {
    let db = try Specification.database()
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
        + "NULL; an optional type would accept it")
    #expect(error?.plan.steps.first?.action == .rebuildTable)
    error = #expect(throws: MigrationError.self) { try open(db, Sent.self) }
    #expect(
      error?.reason == "`Converted` of day fails in the row whose to, number is 'you', 2: expected "
        + "INTEGER, found NULL; an optional type would accept it")
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

  @Test("opening throws the error of the closure, and the conversion is not recorded")
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

  @Test("two conversions of one column, or one of a generated column, throw a ModelError")
  func mistakes() throws {
    for model in [Twice.self, Calculated.self] as [any Model.Type] {
      #expect(throws: ModelError.self) { try Specification.database(models: [model]) }
    }
  }

  @Test(
    "opening reads the recorded conversions with one statement, and only if a model declares one")
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
      _ = try Specification.reopen(db, models: [model], configuration: configuration)
      return log.withLock { $0.filter { $0.contains("apus_migration") } }
    }
    // The table was rebuilt, and its definition is the declared one.
    #expect(try statements(Dated.self).count == 1)
    #expect(try statements(PlainDated.self).isEmpty)
  }
}
