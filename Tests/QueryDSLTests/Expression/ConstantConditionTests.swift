import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Conditions without lines as values")
struct ConstantConditionTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("an empty AllOf or AnyOf in an order or a group does not mean a column of the result")
  func places() throws {
    // A number would be the place of a column: SQLite sorts by the first one, or finds none.
    let ordered = Track.order(by: { _ in SQLExpression<Bool?>(AllOf {}) }, .descending)
      .order(by: \.$plays).select(\.$id)
    #expect(try ordered.sql.text == #"SELECT "id" FROM "Track" ORDER BY 1 = 1 DESC, "plays""#)
    #expect(try music.db.fetch(ordered) == [3, 5, 2, 4, 1])
    let grouped = Track.group(by: { _ in SQLExpression<Bool?>(AnyOf {}) }).select { $0.count() }
    #expect(try grouped.sql.text == #"SELECT count(*) FROM "Track" GROUP BY 1 = 0"#)
    #expect(try music.db.fetch(grouped) == [5])
    // SQLite reads `a AND 0` as 0.
    let zero = Track.group(by: { SQLExpression<Bool?>($0.$plays > 50 && AnyOf {}) })
      .select { $0.count() }
    #expect(
      try zero.sql.text == #"SELECT count(*) FROM "Track" GROUP BY ("plays" > ? AND 0) = 1"#)
    #expect(try music.db.fetch(zero) == [5])
  }
}
