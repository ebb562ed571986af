import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// An aggregate makes one row of all rows. The order of the query that it counts is left out.
@Suite("Aggregates over an ordered query")
struct AggregateOrderSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("an aggregate without groups has no ORDER BY")
  func oneRow() throws {
    let best = Track.order(by: \.$plays, .descending)
    try music.expect(best.select { $0.count() }, #"SELECT count(*) FROM "Track""#, [5])
    try music.expect(
      best.select { $0.$plays.sum().ifNull(0) + 1 },
      #"SELECT ifnull(sum("plays"), ?) + ? FROM "Track""#, [178])
    try music.expect(
      best.select { ($0.$plays.max(), $0.$plays.min()) },
      #"SELECT max("plays"), min("plays") FROM "Track""#, ["100 0"]
    ) { "\($0.0 ?? -1) \($0.1 ?? -1)" }
    let feed = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID.equals(album.$id))
      OrderBy(album.$name)
      Limit(2)
      Select(track.$title, album.$name)
    }
    try music.expect(
      feed.limit(nil).select { (track: Columns<Track>) in track.count() },
      #"SELECT count(*) FROM "Track" JOIN "Album" ON "Track"."albumID" = "Album"."id""#, [3])
  }

  @Test("groups, windows, subqueries and single rows keep their order")
  func kept() throws {
    try music.expect(
      Track.order(by: \.$genre).group(by: \.$genre).select { $0.count() },
      #"SELECT count(*) FROM "Track" GROUP BY "genre" ORDER BY "genre""#, [2, 1, 2])
    try music.expect(
      Track.order(by: \.$id).select { $0.count().over(.partition(by: $0.$isLive)) },
      #"SELECT count(*) OVER (PARTITION BY "isLive") FROM "Track" ORDER BY "id""#, [3, 2, 3, 2, 3])
    try music.expect(
      Album.order(by: \.$id, .descending).select { _ in
        Track.all.select { $0.count() }.subquery().ifNull(0)
      },
      #"SELECT ifnull((SELECT count(*) FROM "Track"), ?) FROM "Album" ORDER BY "id" DESC"#,
      [5, 5, 5])
    try music.expect(
      Track.order(by: \.$plays).limit(2).select(\.$plays),
      #"SELECT "plays" FROM "Track" ORDER BY "plays" LIMIT ?"#, [0, 7])
  }

  @Test("a limit counts the row of the aggregate")
  func limit() throws {
    try music.expect(
      Track.order(by: \.$plays).limit(2).select { $0.count() },
      #"SELECT count(*) FROM "Track" LIMIT ?"#, [5])
  }
}
