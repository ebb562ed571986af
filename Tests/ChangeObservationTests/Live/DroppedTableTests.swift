import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Tables that are dropped and created again")
struct DroppedTableTests {
  private let db: Database
  private static let creation: SQL =
    "CREATE TABLE Note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, stars INTEGER NOT NULL, body TEXT)"

  init() throws {
    db = try Database.temporary(models: [Note.self])
    try db.insert([Note(title: "one"), Note(title: "two")])
  }

  /// Follows a query while the table is dropped and created.
  private func follow<Rows: AsyncSequence>(
    _ results: Rows, _ titles: (Rows.Element) -> [String]
  ) async throws {
    var results = results.makeAsyncIterator()
    #expect(try await results.next().map(titles) == ["one", "two"])
    for _ in 0..<2 {
      // The table is gone, and so are its rows.
      try await db.execute("DROP TABLE Note")
      #expect(try await results.next().map(titles) == [])
      // Changes to other tables are ignored.
      try await db.execute("CREATE TABLE IF NOT EXISTS other (n)")
      try await db.execute(Self.creation)
      try await db.execute("INSERT INTO Note (title, stars) VALUES ('one', 0), ('two', 0)")
      var last: [String]? = []
      while last?.count != 2, last != nil { last = try await results.next().map(titles) }
      #expect(last == ["one", "two"])
    }
    // Dropped and created in one transaction, the table was never missing.
    try await db.writeWithoutTransaction { connection in
      try connection.execute("BEGIN; DROP TABLE Note")
      try connection.execute(Self.creation)
      try connection.execute("INSERT INTO Note (title, stars) VALUES ('three', 0); COMMIT")
    }
    #expect(try await results.next().map(titles) == ["three"])
    try await db.execute("UPDATE Note SET title = 'four'")
    #expect(try await results.next().map(titles) == ["four"])
  }

  @Test("a maintained query reports that the rows are gone, and goes on")
  func maintained() async throws {
    try await follow(db.observe(Note.order(by: \.$id).select(\.$title))) { Array($0) }
  }

  @Test("a query that runs again follows its dropped table")
  func runsAgain() async throws {
    let query = Note.order(by: \.$id).select { $0.$title.min() }.group(by: \.$id)
    try await follow(db.observe(query)) { $0.map { $0 ?? "" } }
  }

  @Test("raw SQL follows its dropped table")
  func rawSQL() async throws {
    let rows = db.observe(sql: "SELECT title FROM Note ORDER BY id")
    try await follow(rows) { $0.compactMap { try? $0.get(String.self, at: 0) } }
  }

  @Test("a query follows a replaced view, and a column that is renamed and renamed back")
  func otherNames() async throws {
    try await db.execute("CREATE VIEW Titles AS SELECT title FROM Note")
    var rows = db.observe(sql: "SELECT title FROM Titles").makeAsyncIterator()
    #expect(try await rows.next()?.count == 2)
    try await db.execute("DROP VIEW Titles")
    #expect(try await rows.next()?.count == 0)
    try await db.execute("CREATE VIEW Titles AS SELECT body AS title FROM Note WHERE id = 1")
    #expect(try await rows.next()?.count == 1)
    try await db.execute("DROP VIEW Titles")
    #expect(try await rows.next()?.count == 0)
    var titles = db.observe(Note.select(\.$title)).makeAsyncIterator()
    #expect(try await titles.next()?.count == 2)
    try await db.execute("ALTER TABLE Note RENAME COLUMN title TO name")
    #expect(try await titles.next()?.count == 0)
    try await db.execute("ALTER TABLE Note RENAME COLUMN name TO title")
    #expect(try await titles.next()?.count == 2)
  }

  @Test("a closure's value is reported again when its table exists again")
  func value() async throws {
    var counts = db.observe { try $0.count(Note.all) }.makeAsyncIterator()
    #expect(try await counts.next() == 2)
    let db = db
    for _ in 0..<2 {
      try await db.execute("DROP TABLE Note")
      let task = Task {
        try await db.execute(Self.creation)
        try await db.execute("INSERT INTO Note (title, stars) VALUES ('one', 0)")
      }
      var count = try await counts.next()
      while count == 0 || count == 2 { count = try await counts.next() }
      #expect(count == 1)
      try await task.value
      try await db.execute("INSERT INTO Note (title, stars) VALUES ('two', 0)")
      #expect(try await counts.next() == 2)
    }
  }

  @Test("streams of changes report the schema changes and go on", .needs(.preUpdateHook))
  func changes() async throws {
    let stream = db.changes(of: Note.self)
    let filtered = db.changes(of: Note.self, where: { $0.$stars > 0 })
    let all = db.changes()
    try await db.execute("DROP TABLE Note")
    try await db.execute(Self.creation)
    try await db.execute("INSERT INTO Note (title, stars) VALUES ('new', 1)")
    for stream in [stream, filtered] {
      let reported = await stream.collect { !$0.rows.isEmpty }
      #expect(reported.dropLast().allSatisfy { $0.events.contains(.schemaChanged) })
      #expect(reported.count == 3)
      #expect(try reported.last?.rows.first?.new(\.$title) == "new")
    }
    var tables = all.makeAsyncIterator()
    #expect(await tables.next()?["Note"]?.events.contains(.schemaChanged) == true)
    #expect(await tables.next()?["Note"]?.events.contains(.schemaChanged) == true)
    #expect(await tables.next()?["Note"]?.rows.count == 1)
  }

  @Test("a query follows a table that another connection drops and creates")
  func otherConnection() async throws {
    let other = try Connection(path: try #require(db.path))
    var titles = db.observe(Note.select(\.$title)).makeAsyncIterator()
    #expect(try await titles.next()?.count == 2)
    try other.execute("DROP TABLE Note")
    #expect(try await titles.next()?.count == 0)
    try other.execute(Self.creation)
    try other.execute("INSERT INTO Note (title, stars) VALUES ('new', 1)")
    #expect(try await titles.next()?.map { $0 } == ["new"])
  }

  @Test("a table that never existed is an error that names it")
  func neverThere() async throws {
    var rows = db.observe(sql: "SELECT * FROM Nowhere").makeAsyncIterator()
    let error = await #expect(throws: DatabaseError.self) { try await rows.next() }
    #expect(error?.message.contains("no such table: Nowhere") == true)
    // Asking again gives a result once the table exists.
    try await db.execute("CREATE TABLE Nowhere (n); INSERT INTO Nowhere VALUES (1)")
    #expect(try await rows.next()?.count == 1)
  }
}
