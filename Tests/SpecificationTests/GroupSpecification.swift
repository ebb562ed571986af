import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Groups and orders by any expression")
struct GroupSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("rows are grouped by an expression, by several, or by columns, from the model on")
  func groups() throws {
    try music.expect(
      Track.group { $0.$title.length() }.select { ($0.$title.length(), $0.count()) }
        .order { $0.$title.length() },
      """
      SELECT length("title"), count(*) FROM "Track" GROUP BY length("title") \
      ORDER BY length("title")
      """,
      ["4 1", "5 2", "8 1", "10 1"]
    ) { "\($0.0) \($0.1)" }
    try music.expect(
      Track.group { ($0.$isLive, $0.$genre.ifNull("")) }.having { $0.count() > 1 }
        .select { $0.count() },
      """
      SELECT count(*) FROM "Track" GROUP BY "isLive", ifnull("genre", ?) HAVING count(*) > ?
      """, [2])
    try music.expect(
      Track.group(by: \.$isLive, \.$genre).select { $0.$plays.sum().ifNull(0) }
        .order(by: \.$isLive).order(by: \.$genre),
      """
      SELECT ifnull(sum("plays"), ?) FROM "Track" GROUP BY "isLive", "genre" \
      ORDER BY "isLive", "genre"
      """, [7, 100, 20, 50])
  }

  @Test("Where and Having take a predicate, or a closure of several")
  func predicates() throws {
    try music.expect(
      Query { (track: Columns<Track>) in
        From(track)
        Where(track.$plays > 5)
        GroupBy(track.$isLive)
        Having(track.$plays.count() > 1)
        OrderBy(track.$isLive)
        Select(track.$plays.count())
      },
      """
      SELECT count("plays") FROM "Track" WHERE "plays" > ? GROUP BY "isLive" \
      HAVING count("plays") > ? ORDER BY "isLive"
      """, [2, 2])
  }

  @Test("rows are ordered by an expression, from the model on")
  func orders() throws {
    try music.expect(
      Track.order { $0.$plays * -1 }.select(\.$id).limit(2),
      #"SELECT "id" FROM "Track" ORDER BY "plays" * ? LIMIT ?"#, [1, 4])
    try music.expect(
      Track.order(by: { $0.$title.length() }, .descending).order(by: \.$id).select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY length("title") DESC, "id""#, [4, 5, 1, 3, 2])
  }
}
