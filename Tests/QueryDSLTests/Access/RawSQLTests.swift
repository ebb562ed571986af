import Foundation
import QueryDSL
import SQLCore
import Testing

@Suite("Raw SQL into models and tuples")
struct RawSQLTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("columns are found by their names, without case, whatever their order")
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

  @Test("a name that comes twice: the first counts")
  func twice() throws {
    let albums = try music.db.fetch(
      Album.self,
      "SELECT a.*, b.* FROM Album AS a JOIN Album AS b ON b.id = a.id + 1 ORDER BY a.id")
    #expect(albums == [Music.albums[0]])
    let again = try music.db.fetch(
      Album.self, "SELECT name, id, 'other' AS name FROM Album WHERE id = \(4)")
    #expect(again == [Music.albums[2]])
  }

  @Test("a column that the statement lacks is named")
  func lacking() throws {
    let error = #expect(throws: DatabaseError.self) {
      try music.db.fetch(Album.self, "SELECT id FROM Album")
    }
    #expect(error?.code == .range)
    #expect(error?.message == #"the statement has no column "name", which Album needs"#)
  }

  @Test("the names of tables and columns are interpolated quoted, values are bound")
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

  @Test("RETURNING, in the order of the model's columns")
  func returning() throws {
    let made = try music.db.write { connection in
      try connection.fetch(
        Album.self, "INSERT INTO Album (id, name) VALUES (9, 'Nine') RETURNING *")
    }
    #expect(made == [Album(id: 9, name: "Nine")])
    #expect(try music.db.find(Album.self, 9) != nil)
  }

  @Test("tuples by position: too few and too many columns throw; a bad value names its column")
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

  @Test("B14-B16 scalars by name, a WHERE tail, and fragments in typed queries")
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

@Suite("B24–B27 a database without models")
struct RawDatabaseTests {
  @Test("B24 raw tables, read and written without a model")
  func raw() async throws {
    let db = try Database.temporary()
    try await db.execute("CREATE TABLE animal (name TEXT, legs INTEGER)")
    try await db.execute("INSERT INTO animal VALUES (\("dog"), \(4)), (\("hen"), \(2))")
    let names = try await db.rows("SELECT name FROM animal ORDER BY legs").map {
      try $0["name", as: String.self]
    }
    #expect(names == ["hen", "dog"])
  }

  @Test("B25 several statements at once: all, or none where one fails")
  func several() throws {
    let db = try Database.temporary()
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

  @Test("B26 a synchronous transaction: committed, rolled back, its value returned")
  func transaction() throws {
    struct Stop: Error {}
    let db = try Database.temporary()
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

  @Test("B27 in memory: the same verbs, gone with the value")
  func inMemory() async throws {
    let db = try Database.inMemory(models: [Album.self])
    try await db.insert(Album(id: 1, name: "x"))
    #expect(try await db.count(Album.all) == 1)
    #expect(db.path == nil)
    let other = try Database.inMemory(models: [Album.self])
    #expect(try await other.count(Album.all) == 0)
  }
}
