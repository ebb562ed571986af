import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A model whose key is a text, by which a join may find several rows.
private struct PagedTag: Model {
  @PrimaryKey var name: String
  @Column var rank: Int
  var id: String { name }
}

private struct PagedNote: Model {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var tag: String
  @Column var price: Decimal
}

@Suite("Pages of joins and of Query { }")
struct QueryPageSpecification {
  typealias Place = (row: (String, String), cursor: PageCursor<(String, String)>)

  let music: Music

  init() throws {
    music = try Music()
    // Five more tracks. Some of them are equal in the order.
    try music.db.insert(
      (6...10).map { id in
        Track(
          id: id, title: "t\(id % 2)", genre: nil, rating: nil, plays: 7, price: 1, isLive: false,
          albumID: id % 2 + 1)
      })
  }

  @Test("a text key that is ordered by another collation does not break its own ties")
  func collatedKey() throws {
    let db = try Specification.database(models: [PagedTag.self])
    try db.insert(["a", "A", "b", "B", "c"].map { PagedTag(name: $0, rank: 1) })
    let query = Query { (tag: Columns<PagedTag>) in
      From(tag)
      OrderBy(tag.$name.collated(.noCase))
      Select(tag.$name)
    }
    var names: [String] = []
    var cursor: PageCursor<String>?
    repeat {
      let page = try db.fetch(query.limit(1).page(after: cursor))
      names += page.map(\.row)
      cursor = page.last?.cursor
    } while cursor != nil && names.count < 10
    #expect(names == ["A", "a", "B", "b", "c"])
  }

  @Test("a cursor of an order with another value is refused")
  func valueInOrder() throws {
    func query(around plays: Int) -> Query<String> {
      Query { (track: Columns<Track>) in
        From(track)
        OrderBy((track.$plays - plays).abs())
        Limit(2)
        Select(track.$title)
      }
    }
    let cursor = try #require(try music.db.fetch(query(around: 10).page()).last?.cursor)
    #expect(try music.db.fetch(query(around: 10).page(after: cursor)).count == 2)
    #expect(throws: QueryError.self) {
      try music.db.fetch(query(around: 11).page(after: cursor))
    }
  }

  /// Tracks with their albums.
  private var feed: Query<(String, String)> {
    Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id)
      OrderBy(album.$name)
      OrderBy(track.$plays)
      Select(track.$title, album.$name)
    }
  }

  /// Returns all pages of a query one after another.
  private func pages<Row>(
    _ query: Query<Row>, size: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Row] {
    var rows: [Row] = []
    var cursor: PageCursor<Row>?
    repeat {
      let page = try music.db.fetch(query.limit(size).page(after: cursor))
      rows += page.map(\.row)
      // The client sends the text back.
      cursor = try page.last.map { try PageCursor($0.cursor.description) }
      #expect((cursor == nil) == page.isEmpty, sourceLocation: sourceLocation)
    } while cursor != nil && rows.count < 100
    return rows
  }

  @Test("a page has the rows after a cursor in the order of the query, each with its cursor")
  func pages() throws {
    let first = feed.limit(3).page()
    #expect(
      try first.sql.text == """
        SELECT "Track"."title", "Album"."name", "Album"."name", "Track"."plays", "Track"."id" \
        FROM "Track" JOIN "Album" ON "Track"."albumID" IS "Album"."id" \
        ORDER BY "Album"."name", "Track"."plays", "Track"."id" LIMIT ?
        """)
    let page: [Place] = try music.db.fetch(first)
    #expect(page.map { "\($0.row.0) \($0.row.1)" } == ["t0 One", "t0 One", "t0 One"])
    let next = feed.limit(3).page(after: page.last?.cursor)
    #expect(
      try next.sql.text == """
        SELECT "Track"."title", "Album"."name", "Album"."name", "Track"."plays", "Track"."id" \
        FROM "Track" JOIN "Album" ON "Track"."albumID" IS "Album"."id" \
        WHERE ("Album"."name", "Track"."plays", "Track"."id") > (?, ?, ? COLLATE "BINARY") \
        ORDER BY "Album"."name", "Track"."plays", "Track"."id" LIMIT ?
        """)
    #expect(try next.sql.values.prefix(3) == ["One", 7, 10])
    #expect(
      try music.db.fetch(next).map { "\($0.row.0) \($0.row.1)" }
        == ["Beta One", "Alpha One", "gamma Two"])
    let whole = try music.db.fetch(feed.page()).map { "\($0.row.0) \($0.row.1)" }
    #expect(whole.count == 8)
    for size in 1...9 { #expect(try pages(feed, size: size).map { "\($0.0) \($0.1)" } == whole) }
  }

  @Test("the page before a cursor has the nearest row first")
  func backwards() throws {
    let page = try music.db.fetch(feed.page())
    let before = feed.limit(2).page(before: page[4].cursor)
    #expect(
      try before.sql.text.hasSuffix(
        """
         WHERE ("Album"."name", "Track"."plays", "Track"."id") < (?, ?, ? COLLATE "BINARY") \
        ORDER BY "Album"."name" DESC, "Track"."plays" DESC, "Track"."id" DESC LIMIT ?
        """))
    let rows = try music.db.fetch(before)
    #expect(rows.map(\.cursor) == [page[3].cursor, page[2].cursor])
    #expect(try music.db.first(feed.page(before: nil))?.cursor == page.last?.cursor)
    // The cursors of both directions are the same places.
    let again = try music.db.fetch(feed.limit(2).page(after: rows[1].cursor))
    #expect(again.map(\.cursor) == [page[3].cursor, page[4].cursor])
  }

  @Test("ties are broken by the keys of the tables, without those that a join determines")
  func keys() throws {
    func order(_ query: Query<some Any>) throws -> String {
      String(try query.sql.text.split(separator: " ORDER BY ", maxSplits: 1)[1])
    }
    // Each track has one album, whatever table comes first.
    let albumFirst = Query { (album: Columns<Album>, track: Columns<Track>) in
      From(album)
      Join(track, on: track.$albumID.equals(album.$id))
      Select(track.$title)
    }
    #expect(try order(albumFirst.page()) == #""Track"."id""#)
    // A track without an album is a row as well.
    let left = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      From(track)
      LeftJoin(album, on: track.$albumID == album.$id)
      OrderBy(album.$name, .descending)
      Select(track.$title, album.$name)
    }
    #expect(try order(left.page()) == #""Album"."name" DESC, "Track"."id" DESC"#)
    // An album has many tracks, and may have none.
    let children = Query { (album: Columns<Album>, track: OptionalColumns<Track>) in
      From(album)
      LeftJoin(track, on: track.$albumID == album.$id.optional)
      Select(album.$name, track.$title)
    }
    #expect(try order(children.page()) == #""Album"."id", "Track"."id""#)
    // Nothing is determined.
    let pairs = Query { (one: Columns<Album>, other: Columns<Album>) in
      From(one)
      CrossJoin(other)
      Where { one.$id <= other.$id }
      Select(one.$id, other.$id)
    }
    #expect(try order(pairs.page()) == #""Album"."id", "Album_2"."id""#)
    let all = try music.db.fetch(pairs.page()).map(\.row).map { $0.0 * 10 + $0.1 }
    #expect(all == [11, 12, 14, 22, 24, 44])
    #expect(try pages(pairs, size: 2).map { $0.0 * 10 + $0.1 } == all)
    #expect(try pages(left, size: 2).map(\.0) == music.db.fetch(left.page()).map(\.row.0))
    #expect(try pages(children, size: 2).map(\.1) == music.db.fetch(children.page()).map(\.row.1))
    // By a text key, a join finds several rows if the file compares it without case.
    let db = try Specification.database(models: [PagedNote.self, PagedTag.self])
    let tagged = Query { (note: Columns<PagedNote>, tag: Columns<PagedTag>) in
      From(note)
      Join(tag, on: note.$tag == tag.$name)
      OrderBy(note.$price)
      Select(note.$text, tag.$rank)
    }
    #expect(
      try order(tagged.page())
        == #""PagedNote"."price" COLLATE "decimal", "PagedNote"."id", "PagedTag"."name""#)
    try db.insert([PagedTag(name: "a", rank: 1)])
    try db.insert(
      (1...4).map { PagedNote(id: $0, text: "n\($0)", tag: "a", price: Decimal($0 % 2 + 9)) })
    let page = try db.fetch(tagged.limit(3).page())
    #expect(page.map(\.row.0) == ["n2", "n4", "n1"])
    #expect(try db.fetch(tagged.page(after: page[1].cursor)).map(\.row.0) == ["n1", "n3"])
  }

  @Test("an order by an expression, by a name, and by a column that is NULL has pages")
  func expressions() throws {
    let query = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      let length = track.$title.length().as("length")
      From(track)
      LeftJoin(album, on: track.$albumID == album.$id)
      OrderBy(length, .descending)
      OrderBy(album.$id, nulls: .last)
      Select(track.$id, length)
    }
    let page = try music.db.fetch(query.page())
    #expect(page.map(\.row.0) == [4, 5, 1, 3, 2, 6, 8, 10, 7, 9])
    let next = query.page(after: page[2].cursor)
    #expect(
      try next.sql.text.hasSuffix(
        """
         WHERE length("Track"."title") < ? OR length("Track"."title") IS NULL \
        OR length("Track"."title") = ? AND ("Album"."id" > ? OR "Album"."id" IS NULL \
        OR "Album"."id" = ? AND "Track"."id" > ?) ORDER BY length("Track"."title") DESC, \
        "Album"."id" NULLS LAST, "Track"."id"
        """))
    for size in 1...4 { #expect(try pages(query, size: size).map(\.0) == page.map(\.row.0)) }
    // One table, whole models, further conditions.
    let tracks = Query { (track: Columns<Track>) in
      From(track)
      OrderBy(track.$rating, .descending)
      Select(track)
    }
    .where { $0.$id < 8 }
    #expect(try pages(tracks, size: 2).map(\.id) == [1, 3, 4, 7, 6, 5, 2])
  }

  @Test("an index over the columns of one table serves the pages")
  func plan() throws {
    let query = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID.equals(album.$id))
      OrderBy(track.$plays, .descending)
      Select(track.$title, album.$name)
    }
    let page = try music.db.fetch(query.page())
    #expect(
      try music.plan(of: query.limit(3).page(after: page[0].cursor)) == [
        "SEARCH Track USING INDEX Track_on_plays ((plays,rowid)<(?,?))",
        "SEARCH Album USING INTEGER PRIMARY KEY (rowid=?)",
      ])
  }

  @Test("a query without places for its rows, and a cursor of another one, say so")
  func mistakes() throws {
    func message(_ query: Query<some Any>) -> String? {
      #expect(throws: QueryError.self) { try query.sql }?.message
    }
    let cursor = try #require(try music.db.first(feed.page())).cursor
    let another = """
      the cursor belongs to a query with another order or other tables; use it with the query \
      that made it, or begin with the first page
      """
    let byTitle = feed.order { (track: Columns<Track>) in track.$title }
    #expect(message(byTitle.page(after: cursor)) == another)
    // Conditions and the limit may change.
    let live = feed.where { (track: Columns<Track>) in track.$isLive == true }.limit(1)
    #expect(try music.db.fetch(live.page(after: cursor)).map(\.row.0) == ["Beta"])
    #expect(
      message(feed.offset(3).page())
        == "a page begins after its cursor; remove the offset of the query")
    let none = "has no pages; its rows have no keys of their own"
    #expect(message(feed.distinct().page()) == "a query with DISTINCT \(none)")
    #expect(
      message(feed.select { (track: Columns<Track>) in track.count() }.page())
        == "a query with aggregates or windows \(none)")
    #expect(
      message(
        feed.select { (track: Columns<Track>) in track.rowNumber().over(.order(by: track.$id)) }
          .page())
        == "a query with aggregates or windows \(none)")
    let groups = Query { (track: Columns<Track>) in
      From(track)
      GroupBy(track.$genre)
      Select(track.$genre)
    }
    #expect(message(groups.page()) == "a query with groups \(none)")
    #expect(
      message(feed.union(feed).query.page()) == "a query with UNION, INTERSECT or EXCEPT \(none)")
    let series = Query { (track: Columns<Track>, number: Columns<SeriesElement>) in
      From(track)
      Join(generateSeries(1, through: 2).as(number))
      Select(track.$id, number.$value)
    }
    #expect(
      message(series.page())?.hasPrefix("SeriesElement has no key; pages need one") == true)
    let byColumn = Query { (track: Columns<Track>) in
      From(track)
      Select(track.$id.as("n"))
    }
    #expect(message(byColumn.order(byColumn: "m").page())?.contains("ordered by m") == true)
    #expect(try pages(byColumn.order(byColumn: "n", .descending), size: 3).first == 10)
  }
}
