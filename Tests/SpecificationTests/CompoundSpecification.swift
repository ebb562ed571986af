import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("UNION, INTERSECT and EXCEPT")
struct CompoundSpecification {
  let music: Music

  init() throws { music = try Music() }

  private let rock = Track.where { $0.$genre == "rock" }.select(\.$albumID)
  private let loud = Track.where { $0.$plays > 10 }.select(\.$albumID)
  private let select = #"SELECT "albumID" FROM "Track" WHERE"#

  @Test("UNION, UNION ALL, INTERSECT and EXCEPT combine queries of a column, and NULL equals NULL")
  func operations() throws {
    try music.expect(
      rock.union(loud).order(byColumn: "albumID"),
      #"\#(select) "genre" IS ? UNION \#(select) "plays" > ? ORDER BY "albumID""#, [nil, 1])
    try music.expect(
      rock.unionAll(loud).order(byColumn: "albumID", .descending, nulls: .first),
      """
      \(select) "genre" IS ? UNION ALL \(select) "plays" > ? ORDER BY "albumID" DESC NULLS FIRST
      """, [nil, nil, 1, 1, 1])
    try music.expect(
      loud.intersect(rock).order(byColumn: "albumID"),
      #"\#(select) "plays" > ? INTERSECT \#(select) "genre" IS ? ORDER BY "albumID""#, [nil, 1])
    try music.expect(
      Track.select(\.$albumID).except(rock).order(byColumn: "albumID").limit(5),
      """
      SELECT "albumID" FROM "Track" EXCEPT \(select) "genre" IS ? ORDER BY "albumID" LIMIT ?
      """, [2, 3])
  }

  @Test("a compound of models can be ordered and limited, and works with exists and first")
  func models() throws {
    let query = Album.where { $0.$id == 1 }.union(Album.where { $0.$id > 1 })
      .order(by: \.$name, .descending).limit(2).offset(1)
    try music.expect(
      query,
      """
      SELECT "id", "name" FROM "Album" WHERE "id" = ? UNION SELECT "id", "name" FROM "Album" \
      WHERE "id" > ? ORDER BY "name" DESC LIMIT ? OFFSET ?
      """, [Music.albums[0], Music.albums[2]])
    #expect(try music.db.exists(query))
    #expect(try music.db.first(query) == Music.albums[0])
    #expect(try music.db.table(query).description.contains("2 rows"))
  }

  @Test("compounds evaluate from left to right, and operands with own clauses become subqueries")
  func nesting() throws {
    let one = Album.where { $0.$id == 1 }.select(\.$id)
    let top = Album.order(by: \.$id, .descending).limit(1).select(\.$id)
    let all = Album.select(\.$id)
    try music.expect(
      one.union(top).except(one).order(byColumn: "id"),
      """
      SELECT "id" FROM "Album" WHERE "id" = ? UNION SELECT * FROM (SELECT "id" FROM "Album" \
      ORDER BY "id" DESC LIMIT ?) EXCEPT SELECT "id" FROM "Album" WHERE "id" = ? ORDER BY "id"
      """, [4])
    try music.expect(
      all.except(one.union(top)),
      """
      SELECT "id" FROM "Album" EXCEPT SELECT * FROM (SELECT "id" FROM "Album" WHERE "id" = ? \
      UNION SELECT * FROM (SELECT "id" FROM "Album" ORDER BY "id" DESC LIMIT ?))
      """, [2])
    try music.expect(
      one.union(top).order(byColumn: "id").limit(1).unionAll(one),
      """
      SELECT * FROM (SELECT "id" FROM "Album" WHERE "id" = ? UNION SELECT * FROM (SELECT "id" \
      FROM "Album" ORDER BY "id" DESC LIMIT ?) ORDER BY "id" LIMIT ?) UNION ALL SELECT "id" \
      FROM "Album" WHERE "id" = ?
      """, [1, 1])
  }

  /// Without a subquery around the FULL JOIN, SQLite 3.40 loses the WHERE of the first query.
  @Test("a query with a FULL JOIN becomes a subquery in a UNION ALL")
  func fullJoin() throws {
    struct Title: ResultRow, Equatable { @Column var title: String? }
    let joined = Query { (track: OptionalColumns<Track>, album: OptionalColumns<Album>) in
      From(track)
      FullJoin(album, on: track.$albumID == album.$id)
      Where { track.$plays < 0 }
      Select(track.$title.as("title"), into: Title.self)
    }
    let rows = Query { (track: Columns<Track>) in
      From(track)
      Where { track.$title == "none" }
      Select(track.$title.optional.as("title"), into: Title.self)
    }
    let outer = Query { (title: Columns<Title>) in
      From(rows.unionAll(joined).as(title))
      Select(title.$title)
    }
    try music.expect(
      outer,
      """
      SELECT "title" FROM (SELECT "Track"."title" AS "title" FROM "Track" WHERE "Track"."title" = ? \
      UNION ALL SELECT * FROM (SELECT "Track"."title" AS "title" FROM "Track" FULL JOIN "Album" \
      ON "Track"."albumID" IS "Album"."id" WHERE "Track"."plays" < ?)) AS "Title"
      """, [])
  }

  @Test("a compound query can be a table or be used in EXISTS")
  func inside() throws {
    let ids = Album.where { $0.$id == 1 }.union(Album.where { $0.$id == 4 })
    try music.expect(
      Query { (album: Columns<Album>) in
        From(ids.as(album))
        OrderBy(album.$id)
        Select(album.$name)
      },
      """
      SELECT "name" FROM (SELECT "Album_2"."id", "Album_2"."name" FROM "Album" AS "Album_2" \
      WHERE "Album_2"."id" = ? UNION SELECT "Album_2"."id", "Album_2"."name" FROM "Album" AS \
      "Album_2" WHERE "Album_2"."id" = ?) AS "Album" ORDER BY "id"
      """, ["One", "Four"])
    #expect(
      try music.db.count(Track.where { _ in ids.exists() }) == 5)
  }

  @Test("a compound of different stored forms, and wrong or repeated clauses, throw")
  func mistakes() throws {
    let forms = Tour.select(\.$begin).union(Tour.select(\.$end))
    let error = #expect(throws: QueryError.self) { try forms.sql }
    #expect(error?.message.contains("in different forms, .standard and .iso8601") == true)
    #expect(throws: QueryError.self) {
      try rock.union(loud).order(byColumn: "nothing").sql
    }
    #expect(throws: QueryError.self) { try rock.limit(-1).union(loud).sql }
    #expect(throws: QueryError.self) { try rock.union(loud).limit(-1).sql }
  }
}
