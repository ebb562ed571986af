import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Queries over one table")
struct TableQueryTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("a query has all rows, or is limited by order, limit and offset")
  func clauses() throws {
    try music.expect(Track.all, "", [1, 2, 3, 4, 5])
    try music.expect(Track.limit(2), " LIMIT ?", [1, 2])
    try music.expect(Track.limit(0), " LIMIT ?", [])
    try music.expect(Track.all.limit(2).offset(1), " LIMIT ? OFFSET ?", [2, 3])
    try music.expect(Track.all.offset(3), " LIMIT -1 OFFSET ?", [4, 5])
    try music.expect(
      Track.order(by: \.$plays, .descending).limit(2), #" ORDER BY "plays" DESC LIMIT ?"#, [1, 4])
    let ordered = Track.order(by: \.$isLive).order(by: { $0.$plays + $0.$id }, .descending)
    #expect(
      try ordered.sql.text.hasSuffix(#" FROM "Track" ORDER BY "isLive", "plays" + "id" DESC"#))
    #expect(try music.db.fetch(ordered).map(\.id) == [1, 5, 3, 4, 2])
  }

  @Test("the name of a column orders by the column of the table, also in updates and deletions")
  func orderByName() throws {
    try music.expect(
      Track.all.order(byColumn: "Plays", .descending).limit(2), #" ORDER BY "plays" DESC LIMIT ?"#,
      [1, 4])
    let least = Track.all.order(byColumn: "plays")
    let found = try music.db.run(least.limit(2).delete())
    #expect(found == 2)
    let found2 = try music.db.fetch(Track.order(by: \.$id)).map(\.id)
    #expect(found2 == [1, 2, 4])
    let found3 = try music.db.run(least.limit(1).update { $0.$plays += 1 })
    #expect(found3 == 1)
    let found4 = try music.db.fetch(least).map(\.plays)
    #expect(found4 == [21, 50, 100])
    // An alias comes before a column of the same name.
    let alias = Track.select { ($0.$id, ($0.$plays * -1).as("plays")) }.order(byColumn: "plays")
    let found5 = try music.db.fetch(alias).map(\.0)
    #expect(found5 == [1, 4, 2])
    #expect(throws: QueryError.self) { try Track.all.order(byColumn: "nothing").sql }
  }

  @Test("NULL comes first in ascending and last in descending order")
  func orderOfNull() throws {
    #expect(
      try music.db.fetch(Track.order(by: \.$rating).order(by: \.$id)).map(\.id) == [2, 5, 4, 3, 1])
    #expect(
      try music.db.fetch(Track.order(by: \.$rating, .descending).order(by: \.$id)).map(\.id)
        == [1, 3, 4, 2, 5])
  }

  @Test("a query selects one or several columns, expressions, or the whole table")
  func selections() throws {
    let titles = Track.select(\.$title).order(by: \.$id)
    #expect(try titles.sql.text == #"SELECT "title" FROM "Track" ORDER BY "id""#)
    #expect(try music.db.fetch(titles).first == "Alpha")

    let pairs = Track.select(\.$id, \.$genre).order(by: \.$id)
    #expect(try pairs.sql.text == #"SELECT "id", "genre" FROM "Track" ORDER BY "id""#)
    let rows: [(Int, String?)] = try music.db.fetch(pairs)
    #expect(rows.map(\.0) == [1, 2, 3, 4, 5])
    #expect(rows.map(\.1) == ["rock", "jazz", nil, "rock", nil])

    let doubled = Track.where { $0.$id < 3 }.select { $0.$plays * 2 }
    #expect(try doubled.sql.text == #"SELECT "plays" * ? FROM "Track" WHERE "id" < ?"#)
    #expect(try doubled.sql.values == [2, 3])
    #expect(try music.db.fetch(doubled) == [200, 40])

    let mixed = Track.select { ($0.$id, $0, $0.$plays + 1) }.where { $0.$id == 2 }
    let row = try #require(try music.db.first(mixed))
    #expect(row.0 == 2 && row.1 == Music.tracks[1] && row.2 == 21)
  }

  @Test("distinct returns each value once")
  func distinct() throws {
    let genres = Track.select(\.$genre).distinct().order(by: \.$genre)
    #expect(try genres.sql.text == #"SELECT DISTINCT "genre" FROM "Track" ORDER BY "genre""#)
    #expect(try music.db.fetch(genres) == [nil, "jazz", "rock"])
    #expect(try music.db.count(genres) == 3)
  }

  @Test("first returns one row, also of a query with a limit, an offset or no rows")
  func first() throws {
    let ordered = Track.order(by: \.$plays, .descending)
    #expect(try music.db.first(ordered)?.id == 1)
    #expect(try music.db.first(ordered.limit(3))?.id == 1)
    #expect(try music.db.first(ordered.limit(0)) == nil)
    #expect(try music.db.first(ordered.offset(1))?.id == 4)
    #expect(try music.db.first(ordered.limit(1).offset(9)) == nil)
    #expect(try music.db.first(Track.where { $0.$id > 99 }) == nil)
    // A row whose value is nil is still a row: a nil inside an optional.
    #expect(
      try music.db.first(Track.select(\.$genre).where { $0.$id == 3 }) == .some(String?.none))
  }

  @Test("count and exists respect limit and offset")
  func counting() throws {
    #expect(try music.db.count(Track.all) == 5)
    #expect(try music.db.count(Track.limit(3)) == 3)
    #expect(try music.db.count(Track.limit(99)) == 5)
    #expect(try music.db.count(Track.all.offset(4)) == 1)
    #expect(try music.db.count(Track.order(by: \.$id).limit(0)) == 0)
    #expect(try music.db.exists(Track.limit(1)))
    #expect(try !music.db.exists(Track.limit(0)))
    #expect(try !music.db.exists(Track.all.offset(5)))
  }

  @Test("each step returns a new query and leaves the previous one unchanged")
  func values() throws {
    let all = Track.all
    let loud = all.where { $0.$plays > 20 }
    let few = loud.limit(1)
    #expect(try music.db.count(all) == 5)
    #expect(try music.db.count(loud) == 2)
    #expect(try music.db.count(few) == 1)
  }

  @Test("a negative number throws a QueryError before any SQL runs")
  func mistakes() throws {
    for query in [Track.limit(-1), Track.all.offset(-1)] {
      #expect(throws: QueryError.self) { try query.sql }
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
      #expect(throws: QueryError.self) { try music.db.first(query) }
      #expect(throws: QueryError.self) { try music.db.count(query) }
      #expect(throws: QueryError.self) { try music.db.exists(query) }
    }
  }

  @Test("an invalid model throws an error and does not trap")
  func noColumn() throws {
    struct Loose: Model {
      @PrimaryKey var id: Int
      var plain = 0
    }
    #expect(throws: QueryError.self) { try Loose.where { $0.$id == 1 }.sql }
    #expect(throws: ModelError.self) { try music.db.find(Loose.self, 1) }
    #expect(throws: ModelError.self) { try Database.inMemory(models: [Loose.self]) }
  }
}
