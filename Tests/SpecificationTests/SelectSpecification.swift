import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Selected rows and their order")
struct SelectSpecification {
  struct Headline: ResultRow, Equatable {
    @Column var id: Int
    @Column var title: String
  }

  struct Total: ResultRow, Equatable {
    @Column var genre: String?
    @Column var plays: Int
    @Column var tracks: Int
  }

  let music: Music

  init() throws { music = try Music() }

  @Test("a tuple can contain models, columns and expressions")
  func tuple() throws {
    let query = Query { (album: Columns<Album>, track: Columns<Track>) in
      From(album)
      Join(track, on: track.$albumID == album.$id.optional)
      Where { album.$id == 1 }
      OrderBy(track.$id)
      Select(album, track.$title, track.$plays * 2, track.$rating)
    }
    let rows: [(Album, String, Int, Int?)] = try music.db.fetch(query)
    #expect(rows.map(\.0) == [Music.albums[0], Music.albums[0]])
    #expect(rows.map(\.1) == ["Alpha", "Beta"])
    #expect(rows.map(\.2) == [200, 40])
    #expect(rows.map(\.3) == [5, nil])
  }

  @Test("a struct is filled by name from the columns of one table")
  func structOfModel() throws {
    try music.expect(
      Track.where { $0.$plays > 10 }.order(by: \.$id).select(into: Headline.self),
      """
      SELECT "id" AS "id", "title" AS "title" FROM "Track" WHERE "plays" > ? ORDER BY "id"
      """,
      [
        Headline(id: 1, title: "Alpha"), Headline(id: 2, title: "Beta"),
        Headline(id: 4, title: "Delta 100%"),
      ])
    #expect(try music.db.first(Track.select(into: Headline.self).order(by: \.$id))?.id == 1)
  }

  @Test("a struct is filled by name from expressions in any order")
  func structOfExpressions() throws {
    let query = Query { (track: Columns<Track>) in
      From(track)
      GroupBy(track.$genre)
      OrderBy(track.$genre)
      Select(
        track.count().as("tracks"), track.$genre, track.$plays.sum().ifNull(0).as("plays"),
        into: Total.self)
    }
    try music.expect(
      query,
      """
      SELECT "genre" AS "genre", ifnull(sum("plays"), ?) AS "plays", count(*) AS "tracks" \
      FROM "Track" GROUP BY "genre" ORDER BY "genre"
      """,
      [
        Total(genre: nil, plays: 7, tracks: 2), Total(genre: "jazz", plays: 20, tracks: 1),
        Total(genre: "rock", plays: 150, tracks: 2),
      ])
  }

  @Test("columns that do not fit the struct throw an error that names the property")
  func mismatches() throws {
    struct Wrong: ResultRow { @Column var title: Int }
    struct Unknown: ResultRow { @Column var colour: String }
    struct NotNull: ResultRow { @Column var genre: String }
    struct Bare: ResultRow { var id: Int }
    struct Empty: ResultRow {}
    func message(_ query: some Fetchable) -> String? {
      let error = #expect(throws: QueryError.self) { try query.sql }
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
      return error?.message
    }
    #expect(
      message(Track.select(into: Wrong.self))
        == "Wrong: title is Int, but the selected column is String")
    #expect(
      message(Track.select(into: Unknown.self))
        == "Unknown: no selected column has the name of its property colour")
    #expect(
      message(Track.select(into: NotNull.self))
        == "NotNull: genre is String, but the selected column may be NULL; select it with "
        + "ifNull(…) or nonOptional(), or declare the property as String?")
    #expect(message(Track.select(into: Bare.self))?.contains("id: Int is not a column") == true)
    #expect(message(Track.select(into: Empty.self))?.contains("at least one @Column") == true)
    func query(_ select: @escaping (Columns<Track>) -> SelectClause<Headline>) -> Query<Headline> {
      Query { (track: Columns<Track>) in
        From(track)
        select(track)
      }
    }
    #expect(
      message(query { Select($0.$id, $0.$title, $0.$plays, into: Headline.self) })
        == "Headline: it has no property for the selected column plays")
    #expect(
      message(query { Select($0.$id, $0.$title.lower(), into: Headline.self) })?
        .contains("no selected column has the name") == true)
    #expect(
      message(
        query { Select($0.$id, $0.$title, $0.$title.lower().as("TITLE"), into: Headline.self) })
        == "Headline: two selected columns have the name title")
  }

  @Test("DISTINCT returns each row once")
  func distinct() throws {
    try music.expect(
      Track.all.distinct().select(\.$genre).order(by: \.$genre),
      #"SELECT DISTINCT "genre" FROM "Track" ORDER BY "genre""#, [nil, "jazz", "rock"])
  }

  @Test("NULL comes first or last as requested, whatever the direction")
  func nulls() throws {
    try music.expect(
      Track.order(by: \.$rating, nulls: .last).order(by: \.$id).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "rating" NULLS LAST, "id""#, [4, 3, 1, 2, 5])
    try music.expect(
      Track.order(by: \.$rating, .descending, nulls: .first).order(by: \.$id).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "rating" DESC NULLS FIRST, "id""#, [2, 5, 1, 3, 4])
    let query = Query { (track: Columns<Track>) in
      From(track)
      OrderBy(track.$rating, .descending, nulls: .last)
      OrderBy(track.$id)
      Select(track.$id)
    }
    try music.expect(
      query, #"SELECT "id" FROM "Track" ORDER BY "rating" DESC NULLS LAST, "id""#, [1, 3, 4, 2, 5])
  }

  @Test("ORDER BY takes the name of a selected column, and another name throws")
  func orderByName() throws {
    let query = Query { (track: Columns<Track>) in
      let plays = track.$plays.sum().as("total")
      From(track)
      GroupBy(track.$genre)
      OrderBy(plays, .descending)
      Select(track.$genre, plays)
    }
    try music.expect(
      query,
      """
      SELECT "genre", sum("plays") AS "total" FROM "Track" GROUP BY "genre" ORDER BY "total" DESC
      """, ["rock", "jazz", nil], by: \.0)
    try music.expect(
      Track.select { ($0.$id, ($0.$plays - $0.$id).as("rest")) }.order(byColumn: "rest"),
      #"SELECT "id", "plays" - "id" AS "rest" FROM "Track" ORDER BY "rest""#, [3, 5, 2, 4, 1],
      by: \.0)
    let unknown = Track.select { $0.$plays.as("total") }.order(byColumn: "totl")
    let error = #expect(throws: QueryError.self) { try unknown.sql }
    #expect(error?.message == "ORDER BY totl: no selected column has that name")
    #expect(throws: QueryError.self) { try music.db.fetch(unknown) }
  }

  @Test("a query can be grouped by several columns and filter its groups")
  func groups() throws {
    try music.expect(
      Track.all.group(by: \.$genre, \.$isLive).having { $0.count() == 1 }
        .select { ($0.$genre, $0.$isLive) }.order(by: \.$genre),
      """
      SELECT "genre", "isLive" FROM "Track" GROUP BY "genre", "isLive" HAVING count(*) = ? \
      ORDER BY "genre"
      """, ["jazz true", "rock false", "rock true"].sorted()
    ) { "\($0.0 ?? "-") \($0.1)" }
  }
}
