import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A model whose indexes serve the orders of the tests.
struct PagedEntry: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var views: Int
  @Column var rating: Int?
  @Column var price: Decimal
  @Column var day: Date

  static var schema: Schema<PagedEntry> {
    Index(\.$views)
    Index(\.$rating)
    Index(name: "PagedEntry_mixed") {
      $0.$title.descending
      $0.$views
    }
    Stored(\.$day, as: .iso8601)
  }
}

/// A model with a key of two columns, in a table without rowids.
struct PagedSeat: Model, Equatable {
  struct ID: Hashable, Sendable {
    var hall: String
    var number: Int
  }
  @PrimaryKey var hall: String
  @PrimaryKey var number: Int
  @Column var row: Double?
  var id: ID { ID(hall: hall, number: number) }

  static var schema: Schema<PagedSeat> { WithoutRowID() }
}

@Suite("Pages without OFFSET")
struct PageSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [PagedEntry.self, PagedSeat.self, Album.self])
    try db.insert((1...9).map(Self.entry))
  }

  private static func entry(_ id: Int) -> PagedEntry {
    let rating: Int? = id % 4 == 0 ? nil : id % 4
    return PagedEntry(
      id: id, title: ["a", "b", "c"][id % 3], views: id / 2, rating: rating,
      price: Decimal(id % 5) / 2, day: Date(timeIntervalSince1970: Double(id / 3) * 86_400))
  }

  /// Returns the text after FROM and the table, for the page after the row of a key.
  private func text(
    _ order: PageOrder<PagedEntry>, after id: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let row = try #require(try db.find(PagedEntry.self, id), sourceLocation: sourceLocation)
    let query = PagedEntry.page(after: try order.cursor(after: row), by: order)
    // The statement runs.
    _ = try db.fetch(query)
    return String(try query.sql.text.split(separator: #" FROM "PagedEntry""#, maxSplits: 1)[1])
  }

  @Test("the first page has the order and the key; the next begins after a cursor")
  func pages() throws {
    let popular = PageOrder<PagedEntry>.descending(\.$views)
    let first = PagedEntry.where { $0.$id < 8 }.page(by: popular).limit(3)
    #expect(
      try first.sql.text.hasSuffix(
        #" FROM "PagedEntry" WHERE "id" < ? ORDER BY "views" DESC, "id" DESC LIMIT ?"#))
    let rows = try db.fetch(first)
    #expect(rows.map(\.id) == [7, 6, 5])
    let cursor = try #require(try rows.last.map { try popular.cursor(after: $0) })
    let next = PagedEntry.where { $0.$id < 8 }.page(after: cursor, by: popular).limit(3)
    #expect(
      try next.sql.text.hasSuffix(
        """
         FROM "PagedEntry" WHERE "id" < ? AND ("views", "id") < (?, ? COLLATE "BINARY") \
        ORDER BY "views" DESC, "id" DESC LIMIT ?
        """))
    #expect(try db.fetch(next).map(\.id) == [4, 3, 2])
    // The place of a row that is gone is still a place.
    try db.delete(rows[2])
    #expect(try db.fetch(next).map(\.id) == [4, 3, 2])
    // The page before a row.
    let back = try PagedEntry.page(
      after: popular.reversed.cursor(after: db.fetch(next)[0]), by: popular.reversed
    ).limit(2)
    #expect(try db.fetch(back).map(\.id) == [6, 7])
  }

  @Test("equal directions are compared as a row value, others one by one within a bound")
  func conditions() throws {
    #expect(try text(.key, after: 3) == #" WHERE "id" > ? ORDER BY "id""#)
    #expect(
      try text(.ascending(\.$title).ascending(\.$views), after: 3) == """
         WHERE ("title", "views", "id") > (?, ?, ? COLLATE "BINARY") \
        ORDER BY "title", "views", "id"
        """)
    #expect(
      try text(.descending(\.$title).ascending(\.$views), after: 3) == """
         WHERE "title" <= ? AND ("title" < ? OR "title" = ? AND \
        ("views", "id") > (?, ? COLLATE "BINARY")) \
        ORDER BY "title" DESC, "views", "id"
        """)
    #expect(
      try text(.ascending(\.$views).ascending(\.$title).descending(\.$id), after: 3) == """
         WHERE ("views", "title") >= (?, ?) AND ("views" > ? OR "views" = ? AND \
        ("title" > ? OR "title" = ? AND "id" < ?)) ORDER BY "views", "title", "id" DESC
        """)
    #expect(
      try text(.ascending(\.$price), after: 3) == """
         WHERE ("price" COLLATE "decimal", "id") > (?, ? COLLATE "BINARY") \
        ORDER BY "price" COLLATE "decimal", "id"
        """)
  }

  @Test("NULL is where SQLite sorts it, or where the order says")
  func nulls() throws {
    // NULL comes first: no NULL follows a value, and after NULL come the others and all values.
    #expect(
      try text(.ascending(\.$rating), after: 3) == """
         WHERE ("rating", "id") > (?, ? COLLATE "BINARY") ORDER BY "rating", "id"
        """)
    #expect(
      try text(.ascending(\.$rating), after: 4) == """
         WHERE "rating" IS NOT NULL OR "rating" IS NULL AND "id" > ? ORDER BY "rating", "id"
        """)
    // NULL comes last.
    #expect(
      try text(.descending(\.$rating), after: 3) == """
         WHERE "rating" < ? OR "rating" IS NULL OR "rating" = ? AND "id" < ? \
        ORDER BY "rating" DESC, "id" DESC
        """)
    #expect(
      try text(.descending(\.$rating), after: 4) == """
         WHERE "rating" IS NULL AND "id" < ? ORDER BY "rating" DESC, "id" DESC
        """)
    #expect(
      try text(.descending(\.$rating, nulls: .first), after: 3) == """
         WHERE ("rating", "id") < (?, ? COLLATE "BINARY") \
        ORDER BY "rating" DESC NULLS FIRST, "id" DESC
        """)
  }

  @Test("an index serves the pages, from the cursor on and without sorting")
  func plans() throws {
    func plan(_ order: PageOrder<PagedEntry>, after id: Int) throws -> String {
      let row = try #require(try db.find(PagedEntry.self, id))
      return try db.explain(
        PagedEntry.page(after: try order.cursor(after: row), by: order).limit(3)
      ).description
    }
    #expect(
      try plan(.descending(\.$views), after: 3)
        == "SEARCH PagedEntry USING INDEX PagedEntry_on_views ((views,rowid)<(?,?))")
    #expect(try plan(.key, after: 3) == "SEARCH PagedEntry USING INTEGER PRIMARY KEY (rowid>?)")
    #expect(
      try plan(.descending(\.$title).ascending(\.$views), after: 3)
        == "SEARCH PagedEntry USING INDEX PagedEntry_mixed (title<?)")
    #expect(
      try plan(.ascending(\.$rating), after: 3)
        == "SEARCH PagedEntry USING INDEX PagedEntry_on_rating ((rating,rowid)>(?,?))")
    #expect(
      try plan(.descending(\.$rating), after: 4)
        == "SEARCH PagedEntry USING INDEX PagedEntry_on_rating (rating=? AND rowid<?)")
    // Newer versions of SQLite read three ranges of the index, and sort their rows.
    let nullable = try plan(.descending(\.$rating), after: 3)
    #expect(
      nullable == "SCAN PagedEntry USING INDEX PagedEntry_on_rating"
        || nullable.hasPrefix("MULTI-INDEX OR") && !nullable.contains("SCAN"))
  }

  @Test("a key of several columns breaks ties by all of them")
  func compositeKey() throws {
    try db.insert(
      ["x", "y"].flatMap { hall in (1...3).map { PagedSeat(hall: hall, number: $0, row: nil) } })
    let order = PageOrder<PagedSeat>.descending(\.$number)
    #expect(
      try PagedSeat.page(by: order).sql.text.hasSuffix(#" ORDER BY "number" DESC, "hall" DESC"#))
    let first = try db.fetch(PagedSeat.page(by: order).limit(4))
    let cursor = try order.cursor(after: first[3])
    let next = PagedSeat.page(after: cursor, by: order)
    #expect(try next.sql.text.contains(#"WHERE ("number", "hall") < (?, ?)"#))
    #expect(try db.fetch(next).map(\.hall) == ["y", "x"])
  }

  @Test("a page of selected columns has a cursor from a struct with the columns of the order")
  func structs() throws {
    struct Line: ResultRow, Equatable {
      @Column var id: Int
      @Column var views: Int
      @Column var title: String
    }
    struct Title: ResultRow { @Column var title: String }
    let order = PageOrder<PagedEntry>.ascending(\.$views)
    let lines = try db.fetch(PagedEntry.select(into: Line.self).page(by: order).limit(4))
    let cursor = try order.cursor(after: lines[3])
    #expect(
      try db.fetch(PagedEntry.select(\.$id).page(after: cursor, by: order)) == [5, 6, 7, 8, 9])
    let titles = try db.fetch(PagedEntry.select(into: Title.self))
    #expect(throws: QueryError.self) { try order.cursor(after: titles[0]) }
  }

  @Test("a cursor is text for URLs and JSON, and holds its values")
  func text() throws {
    let order = PageOrder<PagedEntry>.descending(\.$title).ascending(\.$rating).descending(\.$day)
    for row in try db.fetch(PagedEntry.all) {
      let cursor = try order.cursor(after: row)
      let text = cursor.description
      let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      #expect(Set(text).isSubset(of: Set(alphabet)))
      #expect(try PageCursor(text) == cursor)
      let json = try JSONEncoder().encode(["next": cursor])
      #expect(json == Data(#"{"next":"\#(text)"}"#.utf8))
      let decoded = try JSONDecoder().decode([String: PageCursor<PagedEntry>].self, from: json)
      #expect(decoded == ["next": cursor])
      // No part of a cursor is one, and no change of its text traps.
      for length in 0..<text.utf8.count {
        // Reading the text throws, or the cursor lacks values of the order.
        #expect(throws: QueryError.self) {
          let part = try PageCursor<PagedEntry>(String(text.prefix(length)))
          #expect(part != cursor)
          _ = try PagedEntry.page(after: part, by: order).sql
        }
      }
    }
    for text in ["", "A", "!", "AQ", "ÄÖ", "AQAAAAAAAAAAAw__________"] {
      let error = #expect(throws: QueryError.self) { try PageCursor<PagedEntry>(text) }
      #expect(error?.message.contains("begin with the first page") == true)
      // Cursors of queries of several tables throw as well.
      #expect(throws: QueryError.self) { try PageCursor<(String, String)>(text) }
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([PageCursor<PagedEntry>].self, from: Data(#"["!"]"#.utf8))
    }
  }

  @Test(
    "a cursor of another order, an ordered or grouped query, and a row without a key throw errors")
  func mistakes() throws {
    let row = try #require(try db.find(PagedEntry.self, 1))
    let cursor = try PageOrder<PagedEntry>.ascending(\.$views).cursor(after: row)
    func message(_ query: TableQuery<PagedEntry, PagedEntry>) -> String? {
      #expect(throws: QueryError.self) { try db.fetch(query) }
      return #expect(throws: QueryError.self) { try query.sql }?.message
    }
    for order in [
      PageOrder<PagedEntry>.descending(\.$views), .ascending(\.$title), .key,
      .ascending(\.$views).descending(\.$title),
    ] {
      #expect(
        message(PagedEntry.page(after: cursor, by: order)) == """
          the cursor belongs to another order of PagedEntry; use it with the order that made it, \
          or begin with the first page
          """)
    }
    #expect(
      message(PagedEntry.order(by: \.$id).page(by: .key))
        == "a page of PagedEntry has the order of `page(by:)`; remove the other order")
    #expect(message(PagedEntry.group(by: \.$title).page(by: .key))?.contains("groups") == true)
    // Each page would skip rows, which would be on no page.
    #expect(
      message(PagedEntry.offset(1).page(by: .key))
        == "a page begins after its cursor; remove the offset of the query")
    // A new row whose key the database assigns has no place yet.
    struct Draft: Model {
      @PrimaryKey var id: Int64?
      @Column var text: String
    }
    #expect(throws: QueryError.self) {
      try PageOrder<Draft>.ascending(\.$text).cursor(after: Draft(id: nil, text: "x"))
    }
  }
}
