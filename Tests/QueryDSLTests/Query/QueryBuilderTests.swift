import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Joins in the query builder")
struct QueryBuilderTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("a join qualifies its columns, and its row type is that of Select")
  func join() throws {
    let query = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Where { track.$plays > 0 }
      OrderBy(track.$plays, .descending)
      Select(track.$title, album.$name)
    }
    #expect(
      try query.sql.text == """
        SELECT "Track"."title", "Album"."name" FROM "Track" JOIN "Album" \
        ON "Track"."albumID" IS "Album"."id" WHERE "Track"."plays" > ? \
        ORDER BY "Track"."plays" DESC
        """)
    let rows: [(String, String)] = try music.db.fetch(query)
    #expect(rows.map(\.0) == ["Alpha", "Beta"])
    #expect(rows.map(\.1) == ["One", "One"])
    #expect(try music.db.count(query) == 2)
    #expect(try music.db.exists(query))
    #expect(try music.db.first(query)?.0 == "Alpha")
  }

  @Test("the columns on the right side of a left join are optional")
  func leftJoin() throws {
    let query = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      From(track)
      LeftJoin(album, on: track.$albumID == album.$id)
      OrderBy(track.$id)
      Select(track.$id, album.$name)
    }
    #expect(
      try query.sql.text == """
        SELECT "Track"."id", "Album"."name" FROM "Track" LEFT JOIN "Album" \
        ON "Track"."albumID" IS "Album"."id" ORDER BY "Track"."id"
        """)
    let rows: [(Int, String?)] = try music.db.fetch(query)
    #expect(rows.map(\.1) == ["One", "One", "Two", nil, nil])
  }

  @Test("a whole model on the right side of a left join is nil where the join found no row")
  func leftJoinOfModels() throws {
    let query = Query { (album: Columns<Album>, track: OptionalColumns<Track>) in
      From(album)
      LeftJoin(track, on: track.$albumID == album.$id.optional)
      OrderBy(album.$id)
      OrderBy(track.$id)
      Select(album.$name, track, track.$plays, album)
    }
    let rows: [(String, Track?, Int?, Album)] = try music.db.fetch(query)
    #expect(rows.map(\.0) == ["One", "One", "Two", "Four"])
    #expect(rows.map(\.1?.id) == [1, 2, 3, nil])
    #expect(rows[0].1 == Music.tracks[0])
    #expect(rows.map(\.2) == [100, 20, 0, nil])
    #expect(rows.map(\.3) == [0, 0, 1, 2].map { Music.albums[$0] })
  }

  @Test("an optional column on the right side of a left join is optional only once")
  func optionalOfOptional() throws {
    let query = Query { (album: Columns<Album>, track: OptionalColumns<Track>) in
      From(album)
      LeftJoin(track, on: track.$albumID == album.$id.optional)
      Where { track.$genre == nil }
      OrderBy(album.$id)
      Select(album.$id, track.$genre)
    }
    let rows: [(Int, String?)] = try music.db.fetch(query)
    #expect(rows.map(\.0) == [2, 4])
  }

  @Test("the same model twice is two parameters, and the second has an alias")
  func selfJoin() throws {
    let query = Query { (one: Columns<Track>, other: Columns<Track>) in
      From(one)
      Join(other, on: one.$genre == other.$genre && one.$id < other.$id)
      Where { one.$genre != nil }
      Select(one.$id, other.$id)
    }
    #expect(
      try query.sql.text == """
        SELECT "Track"."id", "Track_2"."id" FROM "Track" JOIN "Track" AS "Track_2" \
        ON "Track"."genre" IS "Track_2"."genre" AND "Track"."id" < "Track_2"."id" \
        WHERE "Track"."genre" IS NOT NULL
        """)
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == [1] && rows.map(\.1) == [4])
  }

  @Test("a model can be joined three times, and no alias equals the name of a joined table")
  func aliases() throws {
    struct Track_2: Model {
      @PrimaryKey var id: Int
    }
    try music.db.migrate([Track_2.self])
    try music.db.insert(Track_2(id: 3))
    let query = Query {
      (a: Columns<Track>, b: Columns<Track>, c: Columns<Track>, d: Columns<Track_2>) in
      From(a)
      Join(b, on: b.$id == a.$id + 1)
      Join(c, on: c.$id == b.$id + 1)
      Join(d, on: d.$id == b.$id)
      Select(a.$id, b.$id, c.$id, d.$id)
    }
    let text = try query.sql.text
    #expect(text.contains(#"JOIN "Track" AS "Track_3" ON "Track_3"."id" = "Track"."id" + ?"#))
    #expect(text.contains(#"JOIN "Track" AS "Track_4""#))
    let row = try #require(try music.db.first(query))
    #expect(row == (2, 3, 4, 3))
  }

  @Test("columns of the same name stay separate")
  func sameNames() throws {
    let query = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Where { track.$id == 2 }
      Select(track.$id, album.$id, track, album)
    }
    let row = try #require(try music.db.first(query))
    #expect(row.0 == 2 && row.1 == 1 && row.2 == Music.tracks[1] && row.3 == Music.albums[0])
    // Counting, too, uses a subquery with both columns.
    let limited = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      Select(track, album)
      Limit(2)
    }
    #expect(try music.db.count(limited) == 2)
  }

  @Test("a query groups its rows, filters groups with HAVING and computes aggregates")
  func groups() throws {
    let query = Query { (track: Columns<Track>) in
      From(track)
      GroupBy(track.$genre)
      Having { track.count() > 1 }
      OrderBy(track.$plays.sum(), .descending)
      Select(
        track.$genre, track.count(), track.$plays.sum(), track.$price.min(), track.$rating.max(),
        track.$plays.avg())
    }
    #expect(
      try query.sql.text == """
        SELECT "genre", count(*), sum("plays"), min("price"), max("rating"), avg("plays") \
        FROM "Track" GROUP BY "genre" HAVING count(*) > ? ORDER BY sum("plays") DESC
        """)
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == ["rock", nil])
    #expect(rows.map(\.1) == [2, 2])
    #expect(rows.map(\.2) == [150, 7])
    #expect(rows.map(\.3) == [0, -1.25])
    #expect(rows.map(\.4) == [5, 3])
    #expect(rows.map(\.5) == [75, 3.5])
    #expect(try music.db.count(query) == 2)
  }

  @Test("a join can be grouped by several columns")
  func groupedJoin() throws {
    let query = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(album)
      Join(track, on: track.$albumID == album.$id.optional)
      GroupBy(album.$id, track.$isLive)
      OrderBy(album.$id)
      OrderBy(track.$isLive)
      Select(album.$name, track.$isLive, track.count())
    }
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == ["One", "One", "Two"])
    #expect(rows.map(\.1) == [false, true, false])
    #expect(rows.map(\.2) == [1, 1, 1])
  }
}
