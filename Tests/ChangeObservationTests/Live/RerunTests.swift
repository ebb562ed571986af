import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Queries that run again")
struct RerunTests {
  private struct Thing: Model {
    @PrimaryKey var id: Int64
    @Column var title: String
    @Column var size = 0
    @Column var half: Double?
  }

  /// The same table, without the calculated column.
  private struct Plain: Model {
    static let tableName = "Thing"
    @PrimaryKey var id: Int64
    @Column var title: String
    @Column var size = 0
  }

  /// The same table, with another column as the key.
  private struct Titled: Model {
    static let tableName = "Thing"
    @PrimaryKey var title: String
    @Column var size = 0
    var id: String { title }
  }

  private func database() throws -> Database {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE Thing (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER NOT NULL,
        half REAL GENERATED ALWAYS AS (size / 2.0) VIRTUAL);
      INSERT INTO Thing VALUES (1, 'a', 10), (2, 'b', 20);
      """)
    return db
  }

  /// Returns whether a query is maintained, and its rows after a change.
  private func follow<Row>(
    _ query: some Fetchable<Row>, in db: Database, change: SQL
  ) async throws -> (isMaintained: Bool, rows: [String]) {
    let watch = QueryWatch(LiveSource(query), in: db)
    _ = try await watch.next()
    try await db.execute(change)
    let rows = try #require(try await watch.update())
    return (watch.isMaintained, rows.map { "\($0)" })
  }

  @Test(
    "limited groups of expressions, DISTINCT, raw SQL, random() and right joins run again",
    .needs(.preUpdateHook))
  func queries() async throws {
    let db = try database()
    let change: SQL = "UPDATE Thing SET size = size + 1"
    let titles = Thing.order(by: \.$id).select(\.$size)
    #expect(try await follow(titles, in: db, change: change) == (true, ["11", "21"]))
    let grouped = Thing.group { $0.$title.length() }.select { $0.$size.sum() }.limit(2)
    #expect(try await !follow(grouped, in: db, change: change).isMaintained)
    let distinct = titles.distinct()
    #expect(try await !follow(distinct, in: db, change: change).isMaintained)
    let raw = Thing.where { _ in SQLPredicate(sql: "size > 0") }.select(\.$size)
    #expect(try await !follow(raw, in: db, change: change).isMaintained)
    let random = Thing.all.order(by: { _ in SQLExpression<Int>(sql: "random()") })
      .select(\.$size)
    #expect(try await !follow(random, in: db, change: change).isMaintained)
    let joined = Query { (thing: OptionalColumns<Thing>, other: Columns<Thing>) in
      From(thing)
      RightJoin(other, on: thing.$id == other.$id.optional)
      Select(thing.$size)
    }
    #expect(try await !follow(joined, in: db, change: change).isMaintained)
    #expect(try await follow(titles, in: db, change: change) == (true, ["17", "27"]))
  }

  @Test("windows, INTERSECT, subqueries about all rows, the time and custom functions run again")
  func otherQueries() async throws {
    let db = try database()
    try db.function("twice", .deterministic) { (number: Int) in number * 2 }
    let change: SQL = "UPDATE Thing SET size = size + 1"
    func runsAgain<Row>(_ query: some Fetchable<Row>) async throws -> Bool {
      try await !follow(query, in: db, change: change).isMaintained
    }
    let all = Thing.order(by: \.$id)
    #expect(try await runsAgain(all.select { $0.$size.sum().over(.order(by: $0.$id)) }))
    #expect(try await runsAgain(Thing.select(\.$size).intersect(Plain.select(\.$size))))
    let exists = Thing.where { _ in Plain.where { $0.$id == 1 }.exists() }
    #expect(try await runsAgain(exists.select(\.$size)))
    let twice = SQLFunction<Int, Int>("twice")
    #expect(try await runsAgain(all.select { twice($0.$size) }))
    let now = Thing.where {
      $0.$size < 100 && SQLExpression.currentTimestamp > Date(timeIntervalSince1970: 0)
    }
    #expect(try await runsAgain(now.select(\.$size)))
    #expect(try await runsAgain(Thing.order(by: \.$half, nulls: .last).select(\.$size)))
  }

  @Test(
    "queries with custom collations or replaced functions of SQLite run again",
    .needs(.preUpdateHook))
  func collations() async throws {
    let db = try database()
    try db.collation("reversed") { left, right in
      left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
    }
    try await db.execute(
      """
      CREATE TABLE Word (id INTEGER PRIMARY KEY, text TEXT NOT NULL COLLATE reversed);
      CREATE TABLE Name (text TEXT PRIMARY KEY COLLATE reversed);
      INSERT INTO Word VALUES (1, 'a'), (2, 'b');
      INSERT INTO Name VALUES ('a'), ('b');
      """)
    struct Word: Model {
      @PrimaryKey var id: Int64
      @Column var text: String
    }
    struct Name: Model {
      @PrimaryKey var text: String
      var id: String { text }
    }
    let change: SQL = "INSERT INTO Word VALUES (3, 'c'); INSERT INTO Name VALUES ('c')"
    let words = Word.order(by: \.$text).select(\.$text)
    #expect(try await follow(words, in: db, change: change) == (false, ["c", "b", "a"]))
    try await db.execute("DELETE FROM Name WHERE text = 'c'; DELETE FROM Word WHERE id = 3")
    let names = Name.order(by: \.$text).select(\.$text)
    #expect(try await follow(names, in: db, change: change) == (false, ["c", "b", "a"]))
    // The key alone is a total order, whatever the other columns compare by.
    try await db.execute("DELETE FROM Name WHERE text = 'c'; DELETE FROM Word WHERE id = 3")
    let byID = Word.order(by: \.$id).select(\.$text)
    #expect(try await follow(byID, in: db, change: change) == (true, ["a", "b", "c"]))

    let lower = Plain.where { $0.$title.lower() == "a" }.select(\.$size)
    let grow: SQL = "UPDATE Thing SET size = size + 1"
    #expect(try await follow(lower, in: db, change: grow) == (true, ["11"]))
    try db.function("lower", .deterministic) { (_: String) in "a" }
    #expect(try await follow(lower, in: db, change: grow) == (false, ["12", "22"]))
    // Streams of changes still find the table.
    var changes = db.changes().makeAsyncIterator()
    try await db.execute(grow)
    #expect(await changes.next()?["thing"]?.rows.count == 2)
  }

  @Test("tables beside an attached database, and virtual tables, are observed")
  func otherTables() async throws {
    let db = try database()
    let other = try Database.temporary()
    try await other.execute("CREATE TABLE Far (size INTEGER); INSERT INTO Far VALUES (1)")
    let path = try #require(other.path)
    try await db.writeWithoutTransaction { try $0.execute("ATTACH \(path) AS far") }
    // Readers do not have the attached database, so the result comes from the writer.
    var values = db.observe { connection in
      try connection.fetch(Int.self, "SELECT size FROM Thing ORDER BY id")
    }.makeAsyncIterator()
    #expect(try await values.next() == [10, 20])
    try await db.execute("INSERT INTO far.Far VALUES (2)")
    try await db.execute("UPDATE Thing SET size = 12 WHERE id = 1")
    #expect(try await values.next() == [12, 20])
    struct Document: Model {
      @PrimaryKey var rowid: Int64
      @Column var text: String
      var id: Int64 { rowid }
    }
    try await db.execute("CREATE VIRTUAL TABLE Document USING fts5(text)")
    let texts = Document.order(by: \.$rowid).select(\.$text)
    let change: SQL = "INSERT INTO Document (text) VALUES ('words')"
    #expect(try await follow(texts, in: db, change: change) == (false, ["words"]))
  }

  @Test("a live query over an attached table runs again after its changes and no others")
  func attachedTable() async throws {
    let other = try Database.temporary()
    try await other.execute("CREATE TABLE Thing (size INTEGER); INSERT INTO Thing VALUES (1)")
    let path = try #require(other.path)
    var configuration = Configuration()
    configuration.prepareConnection = { try $0.attach(path: path, as: "Far") }
    let db = try Database.temporary(configuration: configuration)
    try await db.execute("CREATE TABLE Thing (size INTEGER); INSERT INTO Thing VALUES (100)")
    let watch = QueryWatch(LiveSource(sql: "SELECT sum(size) AS total FROM far.Thing"), in: db)
    var value = db.observe { connection in
      try connection.fetch(Int.self, "SELECT sum(size) FROM FAR.thing")
    }.makeAsyncIterator()
    func total(_ rows: Results<Row>?) throws -> Int? { try rows?.first?.get(Int.self, at: 0) }
    #expect(try total(try await watch.next()) == 1)
    #expect(try await value.next() == [1])
    #expect(!watch.isMaintained)
    // The table of the same name in the main database is another table.
    try await db.execute("UPDATE main.Thing SET size = 101")
    #expect(try await watch.update() == nil)
    try await db.execute("INSERT INTO far.Thing VALUES (2)")
    #expect(try total(try await watch.update()) == 3)
    #expect(try await value.next() == [3])
    try await db.execute("DELETE FROM far.Thing WHERE size = 1")
    #expect(try total(try await watch.update()) == 2)
    #expect(try await value.next() == [2])
  }

  @Test("queries over calculated columns, or with a key that is not the table's, run again")
  func tables() async throws {
    let db = try database()
    let calculated = Thing.where { $0.$half > 5 }.order(by: \.$id).select(\.$half)
    #expect(
      try await follow(calculated, in: db, change: "UPDATE Thing SET size = 30 WHERE id = 1")
        == (false, ["Optional(15.0)", "Optional(10.0)"]))
    let titled = Titled.order(by: \.$title).select(\.$title)
    #expect(
      try await follow(titled, in: db, change: "DELETE FROM Thing WHERE id = 1") == (false, ["b"]))
  }

  @Test(
    "decimal numbers are compared and ordered as numbers after each change", .needs(.preUpdateHook))
  func decimals() async throws {
    let db = try Database.temporary(models: [Sale.self])
    try await db.insert([
      Sale(id: 1, price: 9), Sale(id: 2, price: 10), Sale(id: 3, price: -2),
      Sale(id: 4, price: 200),
    ])
    let cheap = Sale.where { $0.$price < 100 }.order(by: \.$price).select(\.$id)
    #expect(
      try await follow(cheap, in: db, change: "UPDATE Sale SET price = '80' WHERE id = 4")
        == (false, ["3", "1", "2", "4"]))
    #expect(
      try await follow(cheap, in: db, change: "UPDATE Sale SET price = '9.5' WHERE id = 4")
        == (false, ["3", "1", "4", "2"]))
    // Mere calculations are maintained, with the functions that every connection has.
    let doubled = Sale.order(by: \.$id).select { $0.$price * 2 }
    #expect(
      try await follow(doubled, in: db, change: "UPDATE Sale SET price = '1.5' WHERE id = 1")
        == (true, ["3", "20", "-4", "19"]))
  }

  @Test(
    "a custom function that replaces one of SQLite's is the one that is called",
    .needs(.preUpdateHook))
  func replacedFunctions() async throws {
    let db = try database()
    let plain = Thing.where { $0.$title.upper() == "B" }.order(by: \.$id).select(\.$id)
    #expect(
      try await follow(plain, in: db, change: "UPDATE Thing SET title = 'b' WHERE id = 1")
        == (true, ["1", "2"]))
    try db.function("upper", .deterministic) { (text: String) in text.uppercased() }
    let accented = Thing.where { $0.$title.upper() == "Ä" }.order(by: \.$id).select(\.$id)
    #expect(
      try await follow(accented, in: db, change: "UPDATE Thing SET title = 'ä' WHERE id = 1")
        == (false, ["1"]))
    try db.function("LIKE", .deterministic) { (pattern: String, text: String) in
      pattern.lowercased() == text.lowercased()
    }
    let alike = Thing.where { $0.$title.like("Ä") }.order(by: \.$id).select(\.$id)
    #expect(
      try await follow(alike, in: db, change: "UPDATE Thing SET title = 'ä' WHERE id = 2")
        == (false, ["1", "2"]))
  }

  private struct Sale: Model {
    @PrimaryKey var id: Int64
    @Column var price: Decimal
  }

  @Test("after changes to many rows the result is correct")
  func manyRows() async throws {
    let db = try database()
    try await db.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO Thing (id, title, size) SELECT i, 'x', i FROM n
      """)
    let watch = QueryWatch(LiveSource(Plain.order(by: \.$size)), in: db)
    _ = try await watch.next()
    try await db.execute("UPDATE Thing SET size = -size")
    let result = try #require(try await watch.update())
    #expect(result.first?.id == 3000)
    #expect(result.index(ofID: 3000) == 0)
    #expect(result[id: 2]?.size == -20)
    // Nearly all rows moved: two rows were alike in size.
    #expect(result.difference.moved.count > 2_990)
  }

  @Test("an equal result is not reported, nor is a change of another column")
  func silence() async throws {
    let db = try database()
    let watch = QueryWatch(LiveSource(Thing.select { $0.$size.max() }), in: db)
    _ = try await watch.next()
    try await db.execute("UPDATE Thing SET size = 15 WHERE id = 1")
    #expect(try await watch.update() == nil)
    try await db.execute("UPDATE Thing SET title = 'z'")
    #expect(try await watch.update() == nil)
    try await db.execute("UPDATE Thing SET size = 50 WHERE id = 1")
    #expect(try await watch.update().map(Array.init) == [50])
  }

  @Test("raw SQL, views and full-text indexes are followed")
  func rawSQL() async throws {
    let db = try database()
    try await db.execute("CREATE VIEW Big AS SELECT id, title FROM Thing WHERE size > 15")
    try await db.execute("CREATE VIRTUAL TABLE search USING fts5(text)")
    var big = db.observe(sql: "SELECT title FROM Big ORDER BY id").makeAsyncIterator()
    var found = db.observe(sql: "SELECT text FROM search WHERE search MATCH 'word'")
      .makeAsyncIterator()
    #expect(try await big.next()?.map { $0.values } == [["b"]])
    #expect(try await found.next()?.count == 0)
    try await db.execute("UPDATE Thing SET size = 16 WHERE id = 1")
    let rows = try await big.next()
    #expect(rows?.map { $0.values } == [["a"], ["b"]])
    #expect(rows?.difference.inserted == [0])
    try await db.execute("INSERT INTO search VALUES ('a word')")
    #expect(try await found.next()?.map { $0.values } == [["a word"]])
    // The replaced view reads other columns.
    try await db.execute(
      "DROP VIEW Big; CREATE VIEW Big AS SELECT id, title FROM Thing WHERE title > 'a'")
    #expect(try await big.next()?.map { $0.values } == [["b"]])
    try await db.execute("UPDATE Thing SET title = 'c' WHERE id = 1")
    #expect(try await big.next()?.map { $0.values } == [["c"], ["b"]])
  }

  @Test("a closure is followed, also when it reads another table the next time")
  func closures() async throws {
    let db = try database()
    try await db.execute("CREATE TABLE Choice (name TEXT); CREATE TABLE Other (size INTEGER)")
    var values = db.observe { connection -> Int in
      let usesOther = try connection.row("SELECT 1 FROM Choice") != nil
      let sql: SQL = usesOther ? "SELECT sum(size) FROM Other" : "SELECT sum(size) FROM Thing"
      return try connection.fetch(Int?.self, sql).first.flatMap { $0 } ?? 0
    }.makeAsyncIterator()
    #expect(try await values.next() == 30)
    try await db.execute("INSERT INTO Other VALUES (1)")
    try await db.execute("UPDATE Thing SET size = 11 WHERE id = 1")
    #expect(try await values.next() == 31)
    try await db.execute("INSERT INTO Choice VALUES ('other')")
    #expect(try await values.next() == 1)
    try await db.execute("INSERT INTO Other VALUES (5)")
    #expect(try await values.next() == 6)
  }
}
