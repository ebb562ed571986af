import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Entry: Sendable, Equatable {
  var track: Track
  var album: String?
}

private struct Odd: Error {}

private struct CachedNote: Model {
  @PrimaryKey var id: Int
  @Column var text: String

  static var schema: Schema<CachedNote> { CachedResults() }
}

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

  @Test("a stream runs the closure, also if its rows have the type of the model")
  func sameModel() async throws {
    let loud = Track.order(by: \.$id).map { track -> Track in
      var track = track
      track.title = track.title.uppercased()
      return track
    }
    var titles: [String] = []
    for try await track in music.db.stream(loud) { titles.append(track.title) }
    #expect(titles == Music.tracks.map { $0.title.uppercased() })
    let rows = try await music.db.fetch(loud)
    #expect(rows.map(\.title) == titles)
  }

  @Test("queries of different closures share no cached result, also with `page` or `selectAlso`")
  func cached() throws {
    let db = try Database.temporary(models: [CachedNote.self])
    try db.insert(CachedNote(id: 1, text: "One"))
    let texts = CachedNote.order(by: \.$id).limit(5).select(\.$text).query
    // The cache begins to keep results with the first write after a read.
    _ = try db.fetch(texts)
    try db.insert(CachedNote(id: 2, text: "Two"))
    _ = try db.fetch(texts)
    for _ in 0..<2 {
      let rows = try db.fetch(texts.page()).map(\.row)
      #expect(rows == ["One", "Two"])
    }
    let found = try db.resultCacheStatistics(of: CachedNote.self).hits
    #expect(found > 0)
    let upper = texts.map { $0.uppercased() }
    let lower = texts.map { $0.lowercased() }
    let found2 = try db.fetch(upper.page()).map(\.row)
    #expect(found2 == ["ONE", "TWO"])
    let found3 = try db.fetch(lower.page()).map(\.row)
    #expect(found3 == ["one", "two"])
    let upperWithID = upper.selectAlso { (note: Columns<CachedNote>) in note.$id }
    let lowerWithID = lower.selectAlso { (note: Columns<CachedNote>) in note.$id }
    let found4 = try db.fetch(upperWithID).map(\.0)
    #expect(found4 == ["ONE", "TWO"])
    let found5 = try db.fetch(lowerWithID).map(\.0)
    #expect(found5 == ["one", "two"])
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
    let longer = titles.selectAlso { (track: Columns<Track>) in track.$plays }
    expectRefusal { try longer.union(Track.select(\.$title, \.$plays)).sql }
    expectRefusal { try Track.where { RowValue($0.$title, $0.$plays).isIn(longer) }.sql }
    expectRefusal { try Track.insert(\.$title, \.$plays, from: longer).sql }
    expectRefusal { try titles.page().union(titles.page()).sql }
    #expect(try music.db.fetch(Query { Select(titles.count()) }) == [5])
  }
}

extension Query where Row == String {
  fileprivate var jsonGroupArraySQL: SQL {
    get throws { try Query<JSON<[String]>> { Select(jsonGroupArray()) }.sql }
  }
}
