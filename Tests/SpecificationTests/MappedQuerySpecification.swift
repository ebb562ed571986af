import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

private struct Entry: Sendable, Equatable {
  var track: Track
  var album: String?
}

private struct Odd: Error {}

@Suite("Rows that a closure makes")
struct MappedQuerySpecification {
  let music: Music

  init() throws { music = try Music() }

  private var entries: Query<Entry> {
    Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      From(track)
      LeftJoin(album, on: track.$albumID.equals(album.$id))
      OrderBy(track.$id)
      Select(track, album.$name)
    }.map { Entry(track: $0, album: $1) }
  }

  @Test("a query with `map` has the same SQL and returns what the closure makes")
  func rows() throws {
    let expected = zip(Music.tracks, ["One", "One", "Two", nil, nil]).map {
      Entry(track: $0, album: $1)
    }
    try music.expect(
      entries,
      """
      SELECT "Track"."id", "Track"."title", "Track"."genre", "Track"."rating", "Track"."plays", \
      "Track"."price", "Track"."isLive", "Track"."albumID", "Album"."name" FROM "Track" \
      LEFT JOIN "Album" ON "Track"."albumID" = "Album"."id" ORDER BY "Track"."id"
      """, expected)
    #expect(try music.db.first(entries.offset(1)) == expected[1])
    #expect(try music.db.count(entries) == 5)
    let titles = Track.order(by: \.$id).select(\.$title).map { $0.count }
    #expect(try music.db.fetch(titles) == [5, 4, 5, 10, 8])
    #expect(try music.db.fetch(titles.map { $0 * 2 }.limit(1)) == [10])
  }

  @Test("it can be narrowed, streamed and prepared")
  func narrowed() async throws {
    let live = entries.where { (track: Columns<Track>) in track.$isLive.isTrue }
    let rows = try await music.db.fetch(live)
    #expect(rows.map(\.track.id) == [2, 4])
    var streamed: [Entry] = []
    for try await entry in music.db.stream(live) { streamed.append(entry) }
    #expect(streamed == rows)
    let plays = try await music.db.fetch(
      live.select { (track: Columns<Track>) in track.$plays })
    #expect(plays == [20, 50])
    let prepared = try await music.db.prepare { (plays: SQLParameter<Int>) in
      Track.where { $0.$plays > plays }.order(by: \.$id).map { $0.title }
    }
    let titles = try await music.db.fetch(prepared(20))
    #expect(titles == ["Alpha", "Delta 100%"])
    let isAny = try await music.db.first(Query { Select(SQLExpression(live.exists())) })
    #expect(isAny == true)
  }

  @Test("an error of the closure is that of fetch")
  func failure() throws {
    let query = Track.all.map { track -> Int in
      guard track.id != 3 else { throw Odd() }
      return track.id
    }
    #expect(throws: Odd.self) { try music.db.fetch(query) }
    #expect(try music.db.first(query) == 1)
    // The connection is free again.
    #expect(try music.db.count(query) == 5)
  }

  @Test("inside another query it throws, because SQL has only the columns")
  func nested() throws {
    let titles = Track.select(\.$title).map { $0 + "!" }
    let albums = Album.select(\.$id, \.$name).map { Album(id: $0, name: $1) }
    func expectRefusal(_ sql: () throws -> SQL, _ location: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: QueryError.self, sourceLocation: location) { try sql() }
      #expect(error?.message.contains("`map`") == true, sourceLocation: location)
    }
    expectRefusal { try Query { Select(titles.subquery()) }.sql }
    expectRefusal { try Track.where { $0.$title.isIn(titles) }.sql }
    expectRefusal { try titles.union(Track.select(\.$title)).sql }
    expectRefusal { try Track.select(\.$title).union(titles).sql }
    expectRefusal { try titles.jsonGroupArraySQL }
    expectRefusal { try Album.insert(from: albums).sql }
    expectRefusal {
      try Query { (album: Columns<Album>) in
        From(albums.as(album))
        Select(album)
      }.sql
    }
    expectRefusal {
      try Query { (album: Columns<Album>) in
        With(CommonTable("a", albums))
        From(CommonTable("a", albums).as(album))
        Select(album)
      }.sql
    }
    #expect(try music.db.fetch(Query { Select(titles.count()) }) == [5])
  }
}

extension Query where Row == String {
  fileprivate var jsonGroupArraySQL: SQL {
    get throws { try Query<JSON<[String]>> { Select(jsonGroupArray()) }.sql }
  }
}
