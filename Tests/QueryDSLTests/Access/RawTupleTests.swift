import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Raw SQL read into tuples of models")
struct RawTupleTests {
  private let music: Music

  init() throws { music = try Music() }

  struct TrackCount: ResultRow, Equatable {
    @Column var tracks: Int
  }

  /// A model whose columns may all be NULL.
  struct Note: TableModel, Equatable {
    @Column var text: String?
    @Column var stars: Int?
  }

  private static let left: SQL = """
    SELECT \(columnsOf: Album.self), \(columnsOf: Track.self, tableAlias: "t")
    FROM Album LEFT JOIN Track AS t ON t.albumID = Album.id AND t.plays > \(10)
    ORDER BY Album.id, t.id
    """

  @Test("the columns of a model are written with their table or its alias")
  func columns() {
    let sql: SQL =
      "SELECT \(columnsOf: Album.self), \(columnsOf: Album.self, tableAlias: "a \"b\"")"
    #expect(
      sql.text == #"SELECT "Album"."id", "Album"."name", "a ""b"""."id", "a ""b"""."name""#)
  }

  @Test("a model of a left join is nil if there is no row")
  func leftJoin() throws {
    let (one, two, four) = (Music.albums[0], Music.albums[1], Music.albums[2])
    let (alpha, beta) = (Music.tracks[0], Music.tracks[1])
    let rows = try music.db.fetch((Album, Track?).self, Self.left)
    #expect(rows.map(\.0) == [one, one, two, four])
    #expect(rows.map(\.1) == [alpha, beta, nil, nil])
  }

  @Test("sync, async, and in transactions")
  func places() async throws {
    let titles = ["Alpha", "Beta", nil, nil]
    let db = music.db
    #expect(try await db.fetch((Album, Track?).self, Self.left).map { $1?.title } == titles)
    #expect(
      try await db.read { try $0.fetch((Album, Track?).self, Self.left) }.map { $1?.title }
        == titles)
    #expect(
      try await db.write { try $0.fetch((Album, Track?).self, Self.left) }.map { $1?.title }
        == titles)
  }

  @Test("three and four parts, among them a model twice and values")
  func moreParts() throws {
    let sql: SQL = """
      SELECT \(columnsOf: Album.self, tableAlias: "a"), \(columnsOf: Album.self, tableAlias: "b"),
        (SELECT count(*) FROM Track WHERE albumID = a.id) AS tracks
      FROM Album AS a LEFT JOIN Album AS b ON b.id = a.id + 1 ORDER BY a.id
      """
    let rows = try music.db.fetch((Album, Album?, TrackCount).self, sql)
    #expect(rows.map(\.0.id) == [1, 2, 4] && rows.map { $0.1?.id } == [2, nil, nil])
    #expect(rows.map(\.2.tracks) == [2, 1, 0])
    let four: SQL = """
      SELECT 1 AS tracks, 2 AS tracks, 3 AS tracks, \(columnsOf: Album.self) FROM Album WHERE id = 4
      """
    let wide = try music.db.fetch((TrackCount, TrackCount, TrackCount?, Album).self, four)
    #expect(wide.map(\.0.tracks) == [1] && wide.map { $0.2?.tracks } == [3])
    #expect(wide.map(\.3) == [Music.albums[2]])
  }

  @Test("asynchronous code reads three and four parts")
  func morePartsAsynchronously() async throws {
    let three = try await music.db.fetch(
      (TrackCount, TrackCount, TrackCount?).self, "SELECT 1 AS tracks, 2 AS tracks, 3 AS tracks")
    #expect(three.map(\.1.tracks) == [2] && three.map { $0.2?.tracks } == [3])
    let four = try await music.db.fetch(
      (TrackCount, TrackCount, TrackCount?, TrackCount).self,
      "SELECT 1 AS tracks, 2 AS tracks, NULL AS tracks, 4 AS tracks")
    #expect(four.map(\.3.tracks) == [4] && four.map { $0.2?.tracks } == [nil])
  }

  @Test("without a key, a part is nil if its required columns are NULL, or all of them")
  func noKey() throws {
    let db = try Specification.database(models: [Note.self])
    let row: SQL = "SELECT 1 AS tracks, NULL AS text, 5 AS stars"
    #expect(try db.fetch((TrackCount, Note?).self, row).map(\.1) == [Note(text: nil, stars: 5)])
    let none: SQL = "SELECT NULL AS tracks, NULL AS text, NULL AS stars"
    let rows = try db.fetch((TrackCount?, Note?).self, none)
    #expect(rows.map(\.0) == [nil] && rows.map(\.1) == [nil])
  }

  @Test(
    "other columns throw, with the position of the first one",
    arguments: [
      (
        "SELECT name, id, 1 AS tracks FROM Album",
        #"column 1 of the result must be "id", but is "name""#
      ),
      ("SELECT id, name FROM Album", #"column 3 of the result must be "tracks", but there are 2"#),
      (
        "SELECT id, name, 1 AS tracks, 2 FROM Album",
        "the models have 3 columns, the result 4"
      ),
    ])
  func otherColumns(text: String, problem: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try music.db.fetch((Album, TrackCount).self, SQL(unsafe: text))
    }
    #expect(error?.code == .range)
    #expect(
      error?.message == problem
        + #"; `SELECT \(columnsOf: Author.self), …` writes the columns of each model"#)
  }

  @Test("a value that cannot be read is an error that names its table, column and row")
  func badValue() throws {
    let error = #expect(throws: ColumnValueError.self) {
      try music.db.fetch(
        (TrackCount, Album).self,
        "SELECT 1 AS tracks, id, CASE id WHEN 2 THEN NULL ELSE name END AS name FROM Album ORDER BY id"
      )
    }
    #expect(error?.table == "Album" && error?.column == "name" && error?.row == 1)
  }

  @Test("a statement that writes is checked before it changes anything")
  func writing() throws {
    let db = music.db
    try db.write { tx in
      #expect(throws: DatabaseError.self) {
        try tx.fetch((Album, TrackCount).self, "DELETE FROM Album RETURNING id, name")
      }
      #expect(try tx.count(Album.all) == 3)
      let deleted = try tx.fetch(
        (Album, TrackCount).self, "DELETE FROM Album RETURNING id, name, id * 2 AS tracks")
      #expect(deleted.map(\.0).sorted { $0.id < $1.id } == Music.albums)
      #expect(deleted.map(\.1.tracks).sorted() == [2, 4, 8])
    }
  }

  @Test("the columns are compared again after the schema changed")
  func schemaChange() throws {
    let db = try Specification.database()
    try db.execute("CREATE TABLE Album (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try db.execute("INSERT INTO Album VALUES (1, 'One')")
    let sql: SQL = "SELECT 5 AS tracks, * FROM Album"
    for _ in 0..<2 {
      #expect(try db.fetch((TrackCount, Album).self, sql).map(\.1.name) == ["One"])
    }
    try db.execute("DROP TABLE Album")
    try db.execute("CREATE TABLE Album (name TEXT NOT NULL, id INTEGER PRIMARY KEY)")
    for _ in 0..<2 {
      #expect(throws: DatabaseError.self) { try db.fetch((TrackCount, Album).self, sql) }
    }
  }
}
