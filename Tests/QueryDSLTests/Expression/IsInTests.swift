import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("isIn")
struct IsInTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("a list of any length is one bound array, with the same SQL")
  func counts() throws {
    let sql = #""plays" IN (SELECT value FROM apus_array(?))"#
    try music.expect(where: sql, []) { $0.$plays.isIn([]) }
    try music.expect(where: sql, [2]) { $0.$plays.isIn([20]) }
    try music.expect(where: sql, [1, 2]) { $0.$plays.isIn([20, 100, 100, 3]) }
    try music.expect(where: sql, [1, 2, 3, 4, 5]) { $0.$plays.isIn(Array(0..<100_000)) }
    try music.expect(where: "NOT \(sql)", [1, 2, 3, 4, 5]) { !$0.$plays.isIn([]) }
    try music.expect(where: "NOT \(sql)", [1, 3, 4, 5]) { !$0.$plays.isIn(Set([20])) }
  }

  @Test("a range becomes a comparison; NULL is in no range, and so its negation holds")
  func ranges() throws {
    try music.expect(where: #""plays" BETWEEN ? AND ?"#, [2, 4, 5]) { $0.$plays.isIn(7...50) }
    try music.expect(where: #""plays" >= ? AND "plays" < ?"#, [2, 5]) { $0.$plays.isIn(7..<50) }
    try music.expect(where: #"NOT "plays" BETWEEN ? AND ?"#, [1, 3]) { !$0.$plays.isIn(7...50) }
    try music.expect(where: #""rating" IS NOT NULL AND "rating" BETWEEN ? AND ?"#, [3, 4]) {
      $0.$rating.isIn(1...3)
    }
    try music.expect(
      where: #"NOT ("rating" IS NOT NULL AND "rating" BETWEEN ? AND ?)"#, [1, 2, 5]
    ) { !$0.$rating.isIn(1...3) }
    try music.expect(
      where: #"NOT ("rating" IS NOT NULL AND "rating" >= ? AND "rating" < ?)"#, [1, 2, 3, 5]
    ) { !$0.$rating.isIn(1..<3) }
    try music.expect(where: #""plays" BETWEEN "id" AND "id" * ?"#, [2, 4, 5]) {
      $0.$plays.between($0.$id, and: $0.$id * 15)
    }
  }

  @Test("100,000 values use the same statement as none")
  func oneStatement() throws {
    try music.db.read { connection in
      _ = try connection.count(Track.where { $0.$plays.isIn([]) })
      let before = try connection.statementCacheStatistics
      for count in [1, 10, 33_000] {
        _ = try connection.count(Track.where { $0.$plays.isIn(Array(0..<count)) })
      }
      let after = try connection.statementCacheStatistics
      #expect(after.misses == before.misses)
      #expect(after.hits == before.hits + 3)
    }
  }

  @Test(
    "isIn of an optional column agrees with Swift's contains: nil matches if the list holds nil")
  func nullRule() throws {
    let values: [String?] = [nil, "rock", "jazz", "none"]
    // Every list over the four values.
    for bits in 0..<(1 << values.count) {
      let list = values.indices.filter { bits & (1 << $0) != 0 }.map { values[$0] }
      let inside = Music.tracks.filter { list.contains($0.genre) }.map(\.id)
      let outside = Music.tracks.filter { !list.contains($0.genre) }.map(\.id)
      let sql = """
        "genre" IS NOT NULL AND "genre" IN (SELECT value FROM apus_array(?)) \
        OR "genre" IS NULL AND ?
        """
      try music.expect(where: sql, inside) { $0.$genre.isIn(list) }
      try music.expect(where: "NOT (\(sql))", outside) { !$0.$genre.isIn(list) }
      try music.expect(where: #"("# + sql + #") AND "id" > ?"#, inside) {
        $0.$genre.isIn(list)
        $0.$id > 0
      }
      try music.expect(where: #"("# + sql + #") AND "id" > ?"#, inside) { track in
        AnyOf { track.$genre.isIn(list) }
        track.$id > 0
      }
    }
  }

  @Test("isIn uses the index")
  func indexed() throws {
    let plan = try music.plan(of: Track.where { $0.$plays.isIn([1, 2]) })
    #expect(plan.first == "SEARCH Track USING INDEX Track_on_plays (plays=?)")
  }

  @Test("isIn uses the index of an optional column for both parts of its condition")
  func indexedOptional() throws {
    let plan = try music.plan(of: Track.where { $0.$genre.isIn(["rock", nil]) })
    #expect(plan.contains("MULTI-INDEX OR"))
    #expect(
      plan.filter { $0 == "SEARCH Track USING INDEX Track_on_genre (genre=?)" }.count == 2)
    #expect(!plan.contains { $0.hasPrefix("SCAN Track") })
  }
}
