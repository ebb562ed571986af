import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Raw SQL read into models and tuples")
struct RawSQLTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("columns are found by name, ignoring case and order")
  func byName() throws {
    #expect(try music.db.fetch(Track.self, "SELECT * FROM Track ORDER BY id") == Music.tracks)
    let shuffled = try music.db.fetch(
      Track.self,
      """
      SELECT albumID, 'more' AS more, ISLIVE, price, plays, rating, genre, Title, id
      FROM Track WHERE plays > \(20) ORDER BY plays DESC -- loudest first
      """)
    #expect(shuffled == [Music.tracks[0], Music.tracks[3]])
  }

  @Test("a column name that occurs twice is an error if the model reads it")
  func twice() throws {
    let statements: [SQL] = [
      "SELECT a.*, b.* FROM Album AS a JOIN Album AS b ON b.id = a.id + 1 ORDER BY a.id",
      "SELECT * FROM Track JOIN Album ON Album.id = Track.albumID",
      "SELECT name, id, 'other' AS NAME FROM Album WHERE id = \(4)",
    ]
    for (statement, name) in zip(statements, ["id", "id", "name"]) {
      let error = #expect(throws: DatabaseError.self) { try music.db.fetch(Album.self, statement) }
      #expect(error?.code == .range)
      #expect(
        error?.message == """
          several columns of the result are called "\(name)", which Album needs; select only one \
          of them, or give the others different names, as in `Author.\(name) AS author_\(name)`
          """)
    }
  }

  @Test("a column name that occurs twice is allowed if no column of the model has it")
  func twiceAndUnread() throws {
    let albums = try music.db.fetch(
      Album.self, "SELECT 1 AS x, name, 2 AS x, id FROM Album ORDER BY id")
    #expect(albums == Music.albums)
    let renamed = try music.db.fetch(
      Album.self,
      """
      SELECT Album.*, Track.id AS trackID, title FROM Track JOIN Album ON Album.id = albumID
      WHERE title = \(Music.tracks[0].title)
      """)
    #expect(renamed == [Music.albums[0]])
  }

  @Test("a statement may end in semicolons, spaces and comments")
  func endings() throws {
    for ending in [";", " ; ", ";;", "; -- all of them", ";\n/* all */\n", " -- all"] {
      let sql: SQL = "SELECT name, id FROM Album ORDER BY id\(unsafe: ending)"
      #expect(try music.db.fetch(Album.self, sql) == Music.albums, "\(ending)")
    }
  }

  @Test("RETURNING * works whatever the order of the table's columns")
  func returningAll() throws {
    let db = try Specification.database()
    try db.execute("CREATE TABLE Album (name TEXT NOT NULL, extra INTEGER, id INTEGER PRIMARY KEY)")
    try db.write { tx in
      let inserted = try tx.fetch(
        Album.self, "INSERT INTO Album (id, name) VALUES (1, 'One'), (2, 'Two') RETURNING *;")
      #expect(inserted.map(\.name) == ["One", "Two"])
      let updated = try tx.fetch(
        Album.self, "UPDATE Album SET name = upper(name) WHERE id = \(2) RETURNING *; -- loud")
      #expect(updated.map(\.name) == ["TWO"])
      let deleted = try tx.fetch(Album.self, "DELETE FROM Album RETURNING 7 AS seven, *")
      #expect(deleted.map(\.id) == [1, 2])
    }
  }

  @Test("a statement whose result lacks a column of the model writes nothing")
  func writesNothingInVain() throws {
    let db = try Specification.database(models: [Album.self])
    try db.write { tx in
      #expect(throws: DatabaseError.self) {
        try tx.fetch(Album.self, "INSERT INTO Album (id, name) VALUES (1, 'One') RETURNING id")
      }
    }
    #expect(try db.count(Album.all) == 0)
  }

  struct Summary: ResultRow, Equatable {
    @Column var name: String
    @Column var tracks: Int
  }

  private static let summaries: SQL = """
    SELECT count(*) AS tracks, name, max(title) FROM Album JOIN Track ON albumID = Album.id
    GROUP BY name ORDER BY name
    """
  private static let expected = [Summary(name: "One", tracks: 2), Summary(name: "Two", tracks: 1)]

  @Test("raw SQL can be read into a row type that has no table")
  func resultRows() throws {
    let (sql, expected) = (Self.summaries, Self.expected)
    #expect(try music.db.fetch(Summary.self, sql) == expected)
    #expect(try music.db.read { try $0.fetch(Summary.self, sql) } == expected)
    #expect(try music.db.write { try $0.fetch(Summary.self, sql) } == expected)
  }

  @Test("asynchronous code and streams can read raw SQL into a row type that has no table")
  func resultRowsAsynchronously() async throws {
    let (sql, expected) = (Self.summaries, Self.expected)
    #expect(try await music.db.fetch(Summary.self, sql) == expected)
    #expect(try await music.db.read { try $0.fetch(Summary.self, sql) } == expected)
    #expect(try await music.db.write { try $0.fetch(Summary.self, sql) } == expected)
    var streamed: [Summary] = []
    for try await summary in music.db.stream(Summary.self, sql) { streamed.append(summary) }
    #expect(streamed == expected)
    await #expect(throws: DatabaseError.self) {
      for try await _ in music.db.stream(Summary.self, "SELECT 1 AS name, 2 AS name, 3 AS tracks") {
      }
    }
  }

  @Test("columns are looked up again after the schema changes")
  func schemaChange() throws {
    // The reader keeps its prepared statement while the writer changes the schema.
    let db = try Specification.database()
    try db.execute("CREATE TABLE Album (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try db.execute("INSERT INTO Album VALUES (1, 'One')")
    for _ in 0..<2 {
      #expect(try db.fetch(Album.self, "SELECT * FROM Album").map(\.name) == ["One"])
    }
    try db.execute("DROP TABLE Album")
    try db.execute("CREATE TABLE Album (name TEXT NOT NULL, x TEXT, id INTEGER PRIMARY KEY)")
    try db.execute("INSERT INTO Album VALUES ('Two', 'x', 2)")
    for _ in 0..<2 {
      #expect(try db.fetch(Album.self, "SELECT * FROM Album").map(\.name) == ["Two"])
    }
  }

  @Test("the error names a column of the model that the result lacks")
  func lacking() throws {
    let error = #expect(throws: DatabaseError.self) {
      try music.db.fetch(Album.self, "SELECT id FROM Album")
    }
    #expect(error?.code == .range)
    #expect(
      error?.message == #"there is no column "name", which Album needs; the columns are id"#)
  }

  @Test("interpolated tables and columns are quoted, and interpolated values are bound")
  func interpolation() throws {
    let title = "x'); DROP TABLE Track; --"
    let sql: SQL = "SELECT * FROM \(Track.self) WHERE \(\Track.$title) = \(title)"
    #expect(sql.text == #"SELECT * FROM "Track" WHERE "title" = ?"#)
    #expect(try music.db.fetch(Track.self, sql) == [])
    let none: Int? = nil
    #expect(
      try music.db.fetch(Track.self, "SELECT * FROM Track WHERE rating IS \(none)").map(\.id)
        == [2, 5])
  }

  @Test("a model is read from RETURNING *")
  func returning() throws {
    let made = try music.db.write { connection in
      try connection.fetch(
        Album.self, "INSERT INTO Album (id, name) VALUES (9, 'Nine') RETURNING *")
    }
    #expect(made == [Album(id: 9, name: "Nine")])
    #expect(try music.db.find(Album.self, 9) != nil)
  }

  @Test("tuples are read by position; a wrong number of columns throws; an error names its column")
  func tuples() throws {
    let pairs = try music.db.fetch(
      (Int, String?).self, "SELECT id, genre FROM Track WHERE id < \(3) ORDER BY id")
    #expect(pairs.map(\.0) == [1, 2] && pairs.map(\.1) == ["rock", "jazz"])
    #expect(throws: DatabaseError.self) {
      try music.db.fetch((Int, String).self, "SELECT id FROM Track")
    }
    #expect(throws: DatabaseError.self) {
      try music.db.fetch((Int, String).self, "SELECT id, title, genre FROM Track")
    }
    let error = #expect(throws: ColumnValueError.self) {
      try music.db.fetch((Int, String).self, "SELECT id, genre FROM Track ORDER BY id")
    }
    #expect(error?.column == "genre")
  }

  @Test("columns of a raw row are read by name, and a typed query takes a raw condition")
  func scalars() throws {
    let row = try #require(
      try music.db.row("SELECT max(plays) AS most, min(plays) AS least FROM \(Track.self)"))
    #expect(try row["most", as: Int.self] == 100)
    #expect(try row["least", as: Int.self] == 0)
    #expect(
      try music.db.fetch(Track.where { _ in SQLPredicate(sql: "plays > \(20)") }).map(\.id).sorted()
        == [1, 4])
  }
}

@Suite("A database without models")
struct RawDatabaseTests {
  @Test("raw tables can be written and read without a model")
  func raw() async throws {
    let db = try Specification.database()
    try await db.execute("CREATE TABLE animal (name TEXT, legs INTEGER)")
    try await db.execute("INSERT INTO animal VALUES (\("dog"), \(4)), (\("hen"), \(2))")
    let names = try await db.rows("SELECT name FROM animal ORDER BY legs").map {
      try $0["name", as: String.self]
    }
    #expect(names == ["hen", "dog"])
  }

  @Test("execute runs several statements, or none of them if one fails")
  func several() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE a (x); INSERT INTO a VALUES (\(1)); -- a comment; with a semicolon
      INSERT INTO a VALUES (\("two; 'quoted'"));
      """)
    #expect(try db.row("SELECT count(*) FROM a")?[0] == 2)
    #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO a VALUES (3); INSERT INTO nowhere VALUES (4)")
    }
    #expect(try db.row("SELECT count(*) FROM a")?[0] == 2)
  }

  @Test(
    "a synchronous transaction returns its closure's value, and rolls back if the closure throws")
  func transaction() throws {
    struct Stop: Error {}
    let db = try Specification.database()
    try db.execute("CREATE TABLE a (x)")
    let value = try db.write { connection in
      try connection.execute("INSERT INTO a VALUES (1)")
      return "done"
    }
    #expect(value == "done")
    #expect(throws: Stop.self) {
      try db.write { connection in
        try connection.execute("INSERT INTO a VALUES (2)")
        throw Stop()
      }
    }
    #expect(try db.rows("SELECT x FROM a").map { $0[0] } == [1])
  }

  @Test("a database in memory has the same operations, and shares nothing with another one")
  func inMemory() async throws {
    let db = try Database.inMemory(models: [Album.self])
    try await db.insert(Album(id: 1, name: "x"))
    #expect(try await db.count(Album.all) == 1)
    #expect(db.path == nil)
    let other = try Database.inMemory(models: [Album.self])
    #expect(try await other.count(Album.all) == 0)
  }
}
