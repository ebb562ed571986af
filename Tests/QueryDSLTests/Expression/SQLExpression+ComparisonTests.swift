import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Comparisons")
struct ComparisonTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("== and != compare a column that is not optional")
  func equality() throws {
    try music.expect(where: #""plays" = ?"#, [2]) { $0.$plays == 20 }
    try music.expect(where: #""plays" <> ?"#, [1, 3, 4, 5]) { $0.$plays != 20 }
    try music.expect(where: #""isLive" = 1"#, [2, 4]) { $0.$isLive == true }
    try music.expect(where: #""title" = ?"#, [3]) { $0.$title == "gamma" }
    try music.expect(where: #""title" = ?"#, []) { $0.$title == "Gamma" }
  }

  @Test("== and != on an optional column agree with Swift: nil equals only nil")
  func optionals() throws {
    try music.expect(where: #""genre" IS ?"#, [1, 4]) { $0.$genre == "rock" }
    try music.expect(where: #""genre" IS NULL"#, [3, 5]) { $0.$genre == nil }
    try music.expect(where: #""genre" IS NOT ?"#, [2, 3, 5]) { $0.$genre != "rock" }
    try music.expect(where: #""genre" IS NOT NULL"#, [1, 2, 4]) { $0.$genre != nil }
    for value in [nil, "rock", "jazz", "none"] {
      let query = Track.where { $0.$genre == value }
      let expected = Music.tracks.filter { $0.genre == value }
      #expect(try music.db.fetch(query) == expected)
      let others = Track.where { $0.$genre != value }
      #expect(try music.db.fetch(others) == Music.tracks.filter { $0.genre != value })
    }
  }

  @Test("two columns are compared null-safely if both are optional or made so by .optional")
  func columns() throws {
    try music.expect(where: #""rating" IS "albumID""#, []) { $0.$rating == $0.$albumID }
    try music.expect(where: #""rating" IS NOT "albumID""#, [1, 2, 3, 4, 5]) {
      $0.$rating != $0.$albumID
    }
    try music.expect(where: #""id" IS "albumID""#, [1]) { $0.$id.optional == $0.$albumID }
    try music.expect(where: #""albumID" IS "id""#, [1]) { $0.$albumID == $0.$id.optional }
    try music.expect(where: #""id" = "plays""#, []) { $0.$id == $0.$plays }
    try music.expect(where: #""id" <> "plays""#, [1, 2, 3, 4, 5]) { $0.$id != $0.$plays }
  }

  @Test("two columns that are both NULL are equal")
  func bothNull() throws {
    try music.db.run(Track.update { $0.$rating = nil }.where { $0.$id == 4 })
    // Track 4 now has neither a rating nor an album.
    try music.expect(where: #""rating" IS "albumID""#, [4]) { $0.$rating == $0.$albumID }
    try music.expect(where: #""rating" IS NOT "albumID""#, [1, 2, 3, 5]) {
      $0.$rating != $0.$albumID
    }
  }

  @Test("< > <= >= compare with a value and with a column")
  func order() throws {
    try music.expect(where: #""plays" < ?"#, [3, 5]) { $0.$plays < 20 }
    try music.expect(where: #""plays" > ?"#, [1, 4]) { $0.$plays > 20 }
    try music.expect(where: #""plays" <= ?"#, [2, 3, 5]) { $0.$plays <= 20 }
    try music.expect(where: #""plays" >= ?"#, [1, 2, 4]) { $0.$plays >= 20 }
    try music.expect(where: #""plays" < "id""#, [3]) { $0.$plays < $0.$id }
    try music.expect(where: #""plays" > "id""#, [1, 2, 4, 5]) { $0.$plays > $0.$id }
    try music.expect(where: #""id" <= "id""#, [1, 2, 3, 4, 5]) { $0.$id <= $0.$id }
    try music.expect(where: #""id" >= "plays""#, [3]) { $0.$id >= $0.$plays }
    try music.expect(where: #""title" < ?"#, [1, 2]) { $0.$title < "Delta" }
    try music.expect(where: #""price" > ?"#, [1, 2, 3]) { $0.$price > 0 }
  }

  @Test("an order comparison with NULL is unknown, and so is its negation")
  func orderOfNull() throws {
    try music.expect(where: #""rating" > ?"#, [1, 3]) { $0.$rating > 1 }
    try music.expect(where: #"NOT "rating" > ?"#, [4]) { !($0.$rating > 1) }
    try music.expect(where: #""rating" > ?"#, []) { $0.$rating > nil }
  }

  @Test("between includes both bounds")
  func between() throws {
    try music.expect(where: #""plays" BETWEEN ? AND ?"#, [2, 4, 5]) {
      $0.$plays.between(7, and: 50)
    }
    try music.expect(where: #""plays" BETWEEN ? AND ?"#, []) { $0.$plays.between(50, and: 7) }
    try music.expect(where: #""plays" BETWEEN ? AND ? AND "isLive" = 1"#, [2, 4]) {
      $0.$plays.between(7, and: 50) && $0.$isLive == true
    }
    try music.expect(where: #"NOT "rating" BETWEEN ? AND ?"#, [1]) {
      !$0.$rating.between(1, and: 3)
    }
  }

  @Test("like ignores ASCII case, knows % and _ and an escape character, and is unknown for NULL")
  func like() throws {
    try music.expect(where: #""title" LIKE ?"#, [3]) { $0.$title.like("GAM%") }
    try music.expect(where: #""title" LIKE ?"#, [2]) { $0.$title.like("_eta") }
    try music.expect(where: #""title" LIKE ? ESCAPE ?"#, [4]) {
      $0.$title.like(#"%\%"#, escape: "\\")
    }
    try music.expect(where: #""title" LIKE ? ESCAPE ?"#, [5]) {
      $0.$title.like("%!_", escape: "!")
    }
    try music.expect(where: #""genre" LIKE ?"#, [1, 4]) { $0.$genre.like("r%") }
    try music.expect(where: #"NOT "genre" LIKE ?"#, [2]) { !$0.$genre.like("r%") }
    #expect(throws: DatabaseError.self) {
      try music.db.fetch(Track.where { $0.$title.like("x", escape: "e\u{301}") })
    }
  }

  @Test("== nil uses the index")
  func indexed() throws {
    for plan in [
      try music.plan(of: Track.where { $0.$genre == nil }),
      try music.plan(of: Track.where { $0.$genre == "rock" }),
    ] {
      #expect(plan == ["SEARCH Track USING INDEX Track_on_genre (genre=?)"])
    }
  }

  @Test("a value that cannot be stored throws when it is bound, and no statement runs")
  func unstorable() throws {
    let query = Track.where { $0.$price == .nan }
    #expect(try query.sql.text.hasSuffix(#"WHERE "price" = ?"#))
    #expect(throws: ColumnValueError.self) { try query.sql.values }
    #expect(throws: ColumnValueError.self) { try music.db.fetch(query) }
    #expect(throws: ColumnValueError.self) {
      try music.db.fetch(Track.where { $0.$price.isIn([1, .nan]) })
    }
    // The prepared statement went back to the cache, and the connection still works.
    #expect(try music.db.count(Track.all) == 5)
  }
}
