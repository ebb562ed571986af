import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Aggregates")
struct AggregateTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("count, sum, min, max and avg cover all rows")
  func overAll() throws {
    let query = Track.select {
      ($0.count(), $0.$rating.count(), $0.$plays.sum(), $0.$plays.min(), $0.$plays.max())
    }
    #expect(
      try query.sql.text == """
        SELECT count(*), count("rating"), sum("plays"), min("plays"), max("plays") FROM "Track"
        """)
    let row = try #require(try music.db.first(query))
    #expect(row.0 == 5 && row.1 == 3)
    #expect(row.2 == 177 && row.3 == 0 && row.4 == 100)
    #expect(try music.db.fetch(Track.select { $0.$plays.avg() }) == [35.4])
  }

  @Test("aggregates of an optional column ignore NULL, and are optional only once")
  func optionals() throws {
    let sum: [Int?] = try music.db.fetch(Track.select { $0.$rating.sum() })
    let average: [Double?] = try music.db.fetch(Track.select { $0.$rating.avg() })
    let least: [Int?] = try music.db.fetch(Track.select { $0.$rating.min() })
    let greatest: [String?] = try music.db.fetch(Track.select { $0.$genre.max() })
    #expect(sum == [9] && average == [3] && least == [1] && greatest == ["rock"])
  }

  @Test("over no rows a count is 0 and the other aggregates are nil")
  func overNone() throws {
    let none = Track.where { $0.$id > 99 }
    #expect(try music.db.fetch(none.select { $0.count() }) == [0])
    #expect(try music.db.fetch(none.select { $0.$plays.sum() }) == [nil])
    #expect(try music.db.fetch(none.select { $0.$plays.avg() }) == [nil])
    #expect(try music.db.fetch(none.select { $0.$plays.max() }) == [nil])
    #expect(try music.db.fetch(none.select { $0.$title.min() }) == [nil])
  }

  @Test("a query of an aggregate has one row, even if no row matches")
  func counting() throws {
    let none = Track.where { $0.$id > 99 }
    #expect(try music.db.count(none.select { $0.count() }) == 1)
    #expect(try music.db.exists(none.select { $0.$plays.max() }))
    #expect(try music.db.first(none.select { $0.count() }) == 0)
  }

  @Test("a grouped query has one row for each value")
  func grouped() throws {
    let query = Track.select { ($0.$genre, $0.count(), $0.$plays.sum()) }
      .group(by: \.$genre).order(by: \.$genre)
    #expect(
      try query.sql.text == """
        SELECT "genre", count(*), sum("plays") FROM "Track" GROUP BY "genre" ORDER BY "genre"
        """)
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == [nil, "jazz", "rock"])
    #expect(rows.map(\.1) == [2, 1, 2])
    #expect(rows.map(\.2) == [7, 20, 150])
    #expect(try music.db.count(query) == 3)
  }

  @Test("a sum of integers that overflows 64 bits throws SQLite's error")
  func overflow() throws {
    try music.db.run(Track.update { $0.$plays = .max })
    #expect(throws: DatabaseError.self) {
      try music.db.fetch(Track.select { $0.$plays.sum() })
    }
  }
}
