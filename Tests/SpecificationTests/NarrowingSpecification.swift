import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Narrowing a query that exists")
struct NarrowingSpecification {
  let music: Music

  init() throws { music = try Music() }

  struct Shelf: Model {
    enum Kind: String, ColumnValue { case tall, wide }

    @PrimaryKey var id: Int
    @Column var name: String
    @Column var kind: Kind
  }

  private let albums = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
    From(track)
    LeftJoin(album, on: track.$albumID == album.$id)
    OrderBy(track.$plays, .descending)
    Limit(4)
    Select(track.$title, album.$name)
  }
  private let join = """
    SELECT "Track"."title", "Album"."name" FROM "Track" LEFT JOIN "Album" \
    ON "Track"."albumID" IS "Album"."id"
    """

  @Test("a later limit or offset replaces an earlier one, and nil removes it")
  func limits() throws {
    try music.expect(
      Track.order(by: \.$id).limit(1).limit(2).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "id" LIMIT ?"#, [1, 2])
    try music.expect(
      Track.order(by: \.$id).limit(1).limit(nil).offset(1).offset(3).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "id" LIMIT -1 OFFSET ?"#, [4, 5])
    try music.expect(
      Track.order(by: \.$id).offset(3).offset(nil).limit(2).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "id" LIMIT ?"#, [1, 2])
    try music.expect(
      albums.limit(1), #"\#(join) ORDER BY "Track"."plays" DESC LIMIT ?"#, ["Alpha"]
    ) { $0.0 }
    try music.expect(
      albums.limit(nil), #"\#(join) ORDER BY "Track"."plays" DESC"#,
      ["Alpha", "Delta 100%", "Beta", "Epsilon_", "gamma"]
    ) { $0.0 }
    try music.expect(
      albums.limit(nil).offset(3), #"\#(join) ORDER BY "Track"."plays" DESC LIMIT -1 OFFSET ?"#,
      ["Epsilon_", "gamma"]
    ) { $0.0 }
  }

  @Test("where adds conditions on the tables of a join, which the closure names by their models")
  func conditions() throws {
    try music.expect(
      albums.where { (track: Columns<Track>) in track.$plays < 60 }
        .where { (album: OptionalColumns<Album>) in album.$name != nil },
      """
      \(join) WHERE "Track"."plays" < ? AND "Album"."name" IS NOT NULL \
      ORDER BY "Track"."plays" DESC LIMIT ?
      """, ["Beta", "gamma"]
    ) { $0.0 }
    try music.expect(
      albums.where { (album: OptionalColumns<Album>, track: Columns<Track>) in
        album.$name == "One"
        track.$plays > 50
      },
      """
      \(join) WHERE "Album"."name" IS ? AND "Track"."plays" > ? \
      ORDER BY "Track"."plays" DESC LIMIT ?
      """, ["Alpha"]
    ) { $0.0 }
  }

  @Test("two parameters of a model are its first and its second table")
  func twins() throws {
    let pairs = Query { (one: Columns<Album>, other: Columns<Album>) in
      From(one)
      Join(other, on: one.$id < other.$id)
      Select(one.$id * 10 + other.$id)
    }
    try music.expect(
      pairs.where { (one: Columns<Album>, other: Columns<Album>) in
        one.$id == 2
        other.$id == 4
      },
      """
      SELECT "Album"."id" * ? + "Album_2"."id" FROM "Album" JOIN "Album" AS "Album_2" \
      ON "Album"."id" < "Album_2"."id" WHERE "Album"."id" = ? AND "Album_2"."id" = ?
      """, [24])
  }

  @Test("a query of models is narrowed by the columns of the model")
  func models() throws {
    let tracks = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Select(track)
    }
    let query = tracks.where { $0.$plays > 10 }.order(by: \.$id, .descending)
    #expect(
      try query.sql.text.hasSuffix(
        #" WHERE "Track"."plays" > ? ORDER BY "Track"."id" DESC"#))
    #expect(try music.db.fetch(query) == [Music.tracks[1], Music.tracks[0]])
    // In the join, both tables have a column `id`.
    #expect(try music.db.fetch(tracks.order(byColumn: "ID")).map(\.id) == [1, 2, 3])
  }

  @Test("order, having and distinct are added")
  func others() throws {
    let genres = Query { (track: Columns<Track>) in
      From(track)
      GroupBy(track.$genre)
      Select(track.$genre, track.count().as("tracks"))
    }
    try music.expect(
      genres.having { (track: Columns<Track>) in track.count() > 1 }
        .order(byColumn: "tracks").order { (track: Columns<Track>) in track.$genre }.distinct(),
      """
      SELECT DISTINCT "genre", count(*) AS "tracks" FROM "Track" GROUP BY "genre" \
      HAVING count(*) > ? ORDER BY "tracks", "genre"
      """, [nil, "rock"]
    ) { $0.0 }
    try music.expect(
      genres.order(by: { (track: Columns<Track>) in track.$genre }, .descending, nulls: .first),
      """
      SELECT "genre", count(*) AS "tracks" FROM "Track" GROUP BY "genre" \
      ORDER BY "genre" DESC NULLS FIRST
      """, [nil, "rock", "jazz"]
    ) { $0.0 }
  }

  @Test("select and selectAlso change what a query selects")
  func selections() throws {
    try music.expect(
      albums.limit(nil).select { (track: Columns<Track>) in track.$id }
        .where { (track: Columns<Track>) in track.$id < 3 },
      """
      SELECT "Track"."id" FROM "Track" LEFT JOIN "Album" ON "Track"."albumID" IS "Album"."id" \
      WHERE "Track"."id" < ? ORDER BY "Track"."plays" DESC
      """, [1, 2])
    let longer = albums.limit(1).selectAlso { (album: OptionalColumns<Album>) in album }
      .selectAlso { (track: Columns<Track>) in (track.$plays, track.$price) }
    let rows: [(String, String?, Album?, Int, Double)] = try music.db.fetch(longer)
    #expect(
      try longer.sql.text == """
        SELECT "Track"."title", "Album"."name", "Album"."id", "Album"."name", "Track"."plays", \
        "Track"."price" FROM "Track" LEFT JOIN "Album" ON "Track"."albumID" IS "Album"."id" \
        ORDER BY "Track"."plays" DESC LIMIT ?
        """)
    #expect(rows.count == 1)
    #expect(rows[0].0 == "Alpha" && rows[0].1 == "One" && rows[0].2 == Music.albums[0])
    #expect(rows[0].3 == 100 && rows[0].4 == 1.5)
  }

  @Test("selectAlso makes the rows of a one-table query longer tuples")
  func selectAlso() throws {
    try music.expect(
      Track.select(\.$isLive).selectAlso(\.$price).selectAlso { ($0.$id * 2, $0.$genre) }
        .where { $0.$id > 3 },
      #"SELECT "isLive", "price", "id" * ?, "genre" FROM "Track" WHERE "id" > ?"#,
      ["true 0.0 8 rock", "false -1.25 10 nil"]
    ) { "\($0.0) \($0.1) \($0.2) \($0.3 ?? "nil")" }
    let rows: [(Track, Int, String)] = try music.db.fetch(
      Track.order(by: \.$id).selectAlso { $0.$plays + 1 }.selectAlso(\.$title))
    #expect(rows.map(\.0) == Music.tracks)
    #expect(rows.map(\.1) == Music.tracks.map { $0.plays + 1 })
    #expect(rows.map(\.2) == Music.tracks.map(\.title))
    // The heading of a printed result has all columns.
    let table = try music.db.table(Track.select(\.$isLive).selectAlso(\.$price)).description
    #expect(table.contains("isLive") && table.contains("price"))
  }

  @Test("items stand on lines of their own, in a tuple, or after `return`")
  func lines() throws {
    let sql = #"SELECT "id", "plays" * ?, "title" FROM "Track" WHERE "id" = ?"#
    let lines = Track.where { $0.$id == 2 }.select {
      $0.$id
      ($0.$plays * 2, $0.$title)
    }
    let returned = Track.where { $0.$id == 2 }.select { track in
      let doubled = track.$plays * 2
      return (track.$id, doubled, track.$title)
    }
    let more = Track.select(\.$id).where { $0.$id == 2 }.selectAlso {
      $0.$plays * 2
      $0.$title
    }
    let row = (2, Music.tracks[1].plays * 2, Music.tracks[1].title)
    for query in [lines, returned, more] {
      #expect(try query.sql.text == sql)
      #expect(try music.db.fetch(query).map { $0 == row } == [true])
    }
    let doubled = Track.where { $0.$id == 2 }.select { track in
      let doubled = track.$plays * 2
      return doubled
    }
    #expect(try music.db.fetch(doubled) == [row.1])
    let deleted = try music.db.fetch(
      Track.delete().where { $0.$id == 2 }.returning {
        $0.$id
        $0.$plays * 2
        $0.$title
      })
    #expect(deleted.map { $0 == row } == [true])
  }

  @Test("rows have the labels that the program expects")
  func labels() throws {
    let query = Track.where { $0.$id == 2 }
    let rows: [(title: String, double: Int)] = try music.db.fetch(
      query.select { ($0.$title, $0.$plays * 2 + 1 - 1) })
    #expect(rows.map(\.title) == [Music.tracks[1].title])
    #expect(rows.map(\.double) == [Music.tracks[1].plays * 2])
    let row: (title: String, double: Int)? = try music.db.first(
      query.select {
        $0.$title
        $0.$plays * 2
      })
    #expect(row?.double == Music.tracks[1].plays * 2)
    let deleted: [(id: Int, plays: Int)] = try music.db.fetch(
      Track.delete().where { $0.$id == 2 }.returning { ($0.$id, $0.$plays * 2) })
    #expect(deleted.map(\.plays) == [Music.tracks[1].plays * 2])
  }

  @Test("a value that cannot be read names its column, also in an earlier part of the tuple")
  func badRow() throws {
    try music.db.migrate([Shelf.self])
    try music.db.execute("INSERT INTO Shelf VALUES (1, 'A', 'round')")
    let query = Shelf.select(\.$id, \.$kind).selectAlso(\.$name)
    let error = #expect(throws: ColumnValueError.self) { try music.db.fetch(query) }
    #expect(error?.description.contains("kind") == true)
  }

  @Test("order, limit and offset apply to a whole compound, and where makes it a table")
  func compounds() throws {
    let both = Album.where { $0.$id < 3 }.union(Album.where { $0.$id > 1 })
    let inner = """
      SELECT "Album_2"."id", "Album_2"."name" FROM "Album" AS "Album_2" WHERE "Album_2"."id" < ? \
      UNION SELECT "Album_2"."id", "Album_2"."name" FROM "Album" AS "Album_2" \
      WHERE "Album_2"."id" > ?
      """
    try music.expect(
      both.order(by: \.$name).limit(1).where { $0.$id != 4 }.where { $0.$name != "" }.limit(2),
      """
      SELECT "id", "name" FROM (\(inner)) AS "Album" WHERE "id" <> ? AND "name" <> ? \
      ORDER BY "name" LIMIT ?
      """, [Music.albums[0], Music.albums[1]])
    let again = both.where { $0.$id == 1 }.union(Album.where { $0.$id == 2 })
    #expect(try music.db.count(again) == 2)
    #expect(try music.db.count(both.limit(1).limit(nil)) == 3)
    try music.expect(
      Album.select(\.$id).union(Album.select(\.$id)).query.order(byColumn: "id").limit(2),
      #"SELECT "id" FROM "Album" UNION SELECT "id" FROM "Album" ORDER BY "id" LIMIT ?"#, [1, 2])
  }

  @Test("a parameter for a table that the query lacks, or may find no row of, throws an error")
  func mistakes() throws {
    func message(_ query: some Fetchable) -> String? {
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
      return #expect(throws: QueryError.self) { try query.sql }?.message
    }
    #expect(
      message(albums.where { (album: Columns<Album>) in album.$id == 1 }) == """
        a join of the query may find no row of Album: the parameter must be OptionalColumns<Album>
        """)
    #expect(
      message(albums.where { (one: Columns<Track>, other: Columns<Track>) in one.$id < other.$id })
        == """
        a closure has more parameters for Track than the query has tables of it in its From and \
        joins
        """)
    let compound = Album.select(\.$id).union(Album.select(\.$id)).query
    #expect(
      message(compound.where { (album: Columns<Album>) in album.$id == 1 })?
        .hasPrefix("a UNION, INTERSECT or EXCEPT has no tables of its own") == true)
    #expect(message(compound.distinct())?.contains("use `union`") == true)
    #expect(message(albums.limit(-1)) == "LIMIT is negative: -1")
    #expect(message(albums.offset(-1)) == "OFFSET is negative: -1")
    #expect(message(albums.order(byColumn: "nothing"))?.contains("nothing") == true)
  }
}
