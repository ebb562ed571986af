import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

extension Columns<Track> {
  fileprivate var isPopular: SQLPredicate { self.$plays > 10 && self.$isLive.isFalse }
  fileprivate var score: SQLExpression<Int> { self.$plays * 2 }
  fileprivate var stars: SQLExpression<Int?> { self.$rating * 10 }
}

@Suite("Expressions of values and rows that may be missing")
struct OptionalMapSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("a function of a value that is never NULL is applied to an optional column")
  func value() throws {
    let upper = SQLFunction<String, String>("upper")
    try music.expect(
      #"CASE WHEN "genre" IS NOT NULL THEN "upper"("genre") END"#,
      ["ROCK", "JAZZ", nil, "ROCK", nil]
    ) { $0.$genre.map { upper($0) } }
    try music.expect(
      #"CASE WHEN "rating" IS NOT NULL THEN nullif("rating" - ?, ?) END"#,
      [4, nil, 2, nil, nil]
    ) { $0.$rating.flatMap { ($0 - 1).nullIf(0) } }
    try music.expect(
      Track.where { $0.$genre.map { $0.length() } == 4 }.select(\.$id).order(by: \.$id),
      """
      SELECT "id" FROM "Track" WHERE CASE WHEN "genre" IS NOT NULL THEN length("genre") END IS ? \
      ORDER BY "id"
      """, [1, 2, 4])
  }

  @Test("the properties of a model's columns are used where a join may find no row")
  func row() throws {
    try music.expect(
      Query { (album: Columns<Album>, track: OptionalColumns<Track>) in
        From(album)
        LeftJoin(track, on: track.$albumID == album.$id && track.$id < 5)
        OrderBy(album.$id)
        OrderBy(track.$id)
        Select(
          album.$name, track.satisfies { $0.isPopular }, track.map { $0.score },
          track.flatMap { $0.stars })
      },
      """
      SELECT "Album"."name", "Track"."id" IS NOT NULL AND "Track"."plays" > ? AND \
      "Track"."isLive" = 0, CASE WHEN "Track"."id" IS NOT NULL THEN "Track"."plays" * ? END, \
      CASE WHEN "Track"."id" IS NOT NULL THEN "Track"."rating" * ? END FROM "Album" \
      LEFT JOIN "Track" ON "Track"."albumID" IS "Album"."id" AND "Track"."id" < ? \
      ORDER BY "Album"."id", "Track"."id"
      """,
      [
        "One Optional(true) Optional(200) Optional(50)", "One Optional(false) Optional(40) nil",
        "Two Optional(false) Optional(0) Optional(30)", "Four Optional(false) nil nil",
      ]
    ) {
      "\($0.0) \(String(describing: $0.1)) \(String(describing: $0.2)) \(String(describing: $0.3))"
    }
  }

  @Test("hints for the planner change no rows")
  func hints() throws {
    try music.expect(where: #"(likely("plays" > ?)) AND "id" < ?"#, [1, 2, 4]) {
      ($0.$plays > 10).likely() && $0.$id < 5
    }
    try music.expect(where: #"unlikely("plays" > ?)"#, [1, 2, 4]) { ($0.$plays > 10).unlikely() }
    for (probability, text) in [(0, "0.000"), (0.05, "0.050"), (0.123_4, "0.123"), (1, "1.000")] {
      try music.expect(where: #"likelihood("plays" > ?, \#(text))"#, [1, 2, 4]) {
        ($0.$plays > 10).likelihood(probability)
      }
    }
    for wrong in [-0.1, 1.5, .nan, .infinity] {
      #expect(throws: QueryError.self) {
        try music.db.fetch(Track.where { ($0.$plays > 1).likelihood(wrong) })
      }
    }
  }
}
