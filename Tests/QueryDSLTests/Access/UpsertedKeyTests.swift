import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The key of the row after an upsert")
struct UpsertedKeyTests {
  struct Page: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var url: String
    @Column var title: String
    @Column var isLive = true
    @Column var folded = ""

    static var schema: Schema<Page> {
      Default(\.$isLive, true)
      Unique(\.$url)
      Unique(on: { $0.$title.lower() }, where: { $0.$isLive == true })
      Generated(\.$folded) { $0.$url.upper() }
    }
  }

  /// A facet of the same table.
  struct Link: Model {
    @PrimaryKey var id: Int64?
    @Column var url: String
    @Column var title: String
    static var tableName: String { "Page" }
    static var schema: Schema<Link> { Unique(\.$url) }
  }

  struct Seat: Model, Equatable {
    struct ID: Hashable, Sendable { var row: String; var number: Int }
    @PrimaryKey var row: String
    @PrimaryKey var number: Int
    @Column var guest: String
    @Column var meal: String
    var id: ID { ID(row: row, number: number) }
    static var schema: Schema<Seat> {
      Unique(\.$guest)
      Collated(\.$guest, .noCase)
    }
  }

  struct Token: Model {
    @PrimaryKey var id: UUID
    @Column var name: String
    static var schema: Schema<Token> {
      Unique(\.$name)
      WithoutRowID()
    }
  }

  @Test("of models with and without keys, each outcome has its key")
  func keysOfSeveral() throws {
    let models = [
      Page(id: 10, url: "a", title: "other"), Page(url: "x", title: "X"),
      Page(id: 40, url: "y", title: "Y"), Page(url: "z", title: "Z"),
      Page(id: 20, url: "b", title: "B"),
    ]
    let upserted = try db.upsert(Page.insert(models).onConflictUpdate(\.$id))
    #expect(
      upserted.map(\.outcome) == [.updated, .inserted, .inserted, .inserted, .unchanged])
    let urls = try upserted.map { try db.find(Page.self, $0.id)?.url }
    #expect(urls == ["a", "x", "y", "z", "b"])
    #expect(try upserted[0].id == 10 && upserted[2].id == 40 && upserted[4].id == 20)
    let other = Page(id: 30, url: "c", title: "unused")
    let kept = try db.upsert(Page.insert([other]).onConflictDoNothing(\.$id))
    #expect(try kept.map(\.outcome) == [.unchanged] && kept[0].id == 30)
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Page.self, Seat.self, Token.self])
    try db.insert([
      Page(id: 10, url: "a", title: "A"), Page(id: 20, url: "b", title: "B"),
      Page(id: 30, url: "c", title: "C", isLive: false),
    ])
  }

  @Test("an upsert gives the row's assigned key, whether it inserted, updated or did nothing")
  func counted() throws {
    let new = try db.upsert(Page(url: "d", title: "D"), onConflict: \.$url)
    #expect(new.outcome == .inserted)
    #expect(try new.id == 31)
    let updated = try db.upsert(Page(url: "a", title: "A2"), onConflict: \.$url)
    #expect(updated.outcome == .updated)
    #expect(try updated.id == 10)
    let unchanged = try db.upsert(Page(url: "a", title: "A2"), onConflict: \.$url)
    #expect(unchanged.outcome == .unchanged)
    #expect(try unchanged.id == 10)
    let left = try db.upsert(Page.insert(Page(url: "b", title: "x")).onConflictDoNothing(\.$url))
    #expect(left.map(\.outcome) == [.unchanged])
    #expect(try left[0].id == 20)
    // The row keeps its key, whatever key the model has.
    let other = try db.upsert(Page(id: 99, url: "b", title: "B2"), onConflict: \.$url)
    #expect(try other.id == 20)
  }

  @Test("DO NOTHING without a target gives the key of the row that any of the constraints met")
  func anyConstraint() throws {
    func kept(_ page: Page) throws -> Int64? {
      let upserted = try db.upsert(Page.insert(page).onConflictDoNothing())
      #expect(upserted.map(\.outcome) == [.unchanged])
      return try upserted[0].id
    }
    #expect(try kept(Page(id: 20, url: "x", title: "x")) == 20)
    #expect(try kept(Page(url: "c", title: "x")) == 30)
    #expect(try kept(Page(url: "x", title: "b")) == 20)
    let free = try db.upsert(Page.insert(Page(url: "x", title: "c")).onConflictDoNothing())
    #expect(free.map(\.outcome) == [.inserted])
    #expect(try free[0].id == 31)
  }

  @Test(
    "with several clauses, an upsert gives the key of the row that its first matching clause met")
  func clauses() throws {
    let page = Page(url: "c", title: "a")
    let upserted = try db.upsert(
      Page.insert(page)
        .onConflictDoNothing(on: { $0.$title.lower() }, matching: { $0.$isLive == true })
        .onConflictUpdate(\.$url) { $0.$title = $0.new.$title })
    #expect(upserted.map(\.outcome) == [.unchanged])
    #expect(try upserted[0].id == 10)
    // A row that is not live does not conflict with the first clause.
    let other = try db.upsert(
      Page.insert(Page(url: "c", title: "a", isLive: false))
        .onConflictDoNothing(on: { $0.$title.lower() }, matching: { $0.$isLive == true })
        .onConflictUpdate(\.$url) {
          $0.$title = $0.new.$title
        } where: { row in
          row.$id < 0
        })
    #expect(other.map(\.outcome) == [.unchanged])
    #expect(try other[0].id == 30)
  }

  @Test("an update that changes the row's key gives the new key")
  func movedKey() throws {
    let upserted = try db.upsert(Page(id: 11, url: "a", title: "A"), onConflict: \.$url) {
      $0.$id = $0.new.$id
    }
    #expect(upserted.outcome == .updated)
    #expect(try upserted.id == 11)
    #expect(try db.find(Page.self, 11)?.url == "a")
  }

  @Test(
    "an upsert gives composite keys, keys found by a collation, and keys of a WITHOUT ROWID table")
  func composite() throws {
    try db.insert(Seat(row: "A", number: 1, guest: "Ann", meal: "fish"))
    let seat = Seat(row: "B", number: 2, guest: "ANN", meal: "fish")
    for outcome in [UpsertOutcome.unchanged, .updated] {
      let upserted = try db.upsert(seat, onConflict: \.$guest) { row in
        row.$meal = row.new.$meal
      } where: { row in
        row.$meal != row.new.$meal
      }
      #expect(try upserted.id == Seat.ID(row: "A", number: 1))
      #expect(upserted.outcome == outcome)
      try db.run(Seat.update { $0.$meal = "egg" })
    }
    let id = UUID()
    for (outcome, name) in [(UpsertOutcome.inserted, "x"), (.unchanged, "x")] {
      let upserted = try db.upsert(
        Token.insert(Token(id: outcome == .inserted ? id : UUID(), name: name))
          .onConflictDoNothing(\.$name))
      #expect(upserted.map(\.outcome) == [outcome])
      #expect(try upserted[0].id == id)
    }
  }

  @Test("facets, inserted columns, asynchronous code and transactions give the key, too")
  func otherWays() async throws {
    let link = try await db.upsert(Link(url: "c", title: "C3"), onConflict: \.$url)
    #expect(link.outcome == .updated)
    #expect(try link.id == 30)
    let left = try await db.upsert(
      Page.insert {
        $0.$url = "B".lowercased()
        $0.$title = "new"
      }.onConflictDoNothing())
    #expect(left.map(\.outcome) == [.unchanged])
    #expect(try left[0].id == 20)
    let keys = try await db.write { tx in
      try tx.upsert(
        Page.insert([
          Page(url: "z", title: "Z"), Page(url: "a", title: "A"), Page(url: "b", title: "y"),
        ])
        .onConflictUpdate(\.$url)
      ).map { try $0.id }
    }
    #expect(keys == [31, 10, 20])
  }

  @Test("a conflict with a partial index that is named without its condition says what to write")
  func withoutCondition() throws {
    try db.execute("CREATE UNIQUE INDEX live ON Page (title) WHERE \"isLive\" = 1")
    let error = #expect(throws: DatabaseError.self) {
      try db.upsert(Page(url: "n", title: "n"), onConflict: \.$title)
    }
    #expect(
      error?.message == """
        ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint: the index live on \
        these columns is partial; give its condition with `matching`, as in \
        `Page.insert(…).onConflictUpdate(…, matching: { … })` (WHERE "isLive" = 1)
        """)
    let insert = Page.insert(Page(url: "n", title: "n"))
    for attempt in [insert.onConflictDoNothing(\.$title), insert.onConflictUpdate(\.$title)] {
      let same = #expect(throws: DatabaseError.self) { try db.run(attempt) }
      #expect(same?.message == error?.message)
      #expect(throws: DatabaseError.self) { try db.fetch(attempt.returning()) }
    }
    #expect(try db.run(insert.onConflictUpdate(\.$title, matching: { $0.$isLive == true })) == 1)
    let other = #expect(throws: DatabaseError.self) {
      try db.upsert(Page(url: "m", title: "m"), onConflict: \.$isLive)
    }
    #expect(other?.message.hasSuffix("UNIQUE constraint") ?? false)
  }

  @Test("a row that a trigger ignored has no key")
  func ignored() throws {
    try db.execute(
      """
      CREATE TRIGGER noX BEFORE INSERT ON Page WHEN new.url = 'X'
      BEGIN SELECT RAISE(IGNORE); END
      """)
    let upserted = try db.upsert(Page(url: "X", title: "X"), onConflict: \.$url)
    #expect(upserted.outcome == .unchanged)
    #expect(throws: RecordNotFound.self) { try upserted.id }
  }

  @Test("a connection without a pool or a transaction gives the key, too")
  func bareConnection() throws {
    let connection = try Connection()
    try connection.execute(
      "CREATE TABLE Token (id TEXT PRIMARY KEY, name TEXT UNIQUE, more INTEGER DEFAULT 7)")
    let token = Token(id: UUID(), name: "n")
    #expect(try connection.upsert(token, onConflict: \.$name).id == token.id)
    let again = try connection.upsert(
      Token.insert(Token(id: UUID(), name: "n")).onConflictDoNothing())
    #expect(try again[0].id == token.id)
  }
}
