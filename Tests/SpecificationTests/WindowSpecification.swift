import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Window functions")
struct WindowSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("an aggregate over a window takes partitions and an order")
  func aggregate() throws {
    try music.expect(#"sum("plays") OVER (PARTITION BY "genre")"#, [150, 20, 7, 150, 7]) {
      $0.$plays.sum().over(.partition(by: $0.$genre))
    }
    try music.expect(#"sum("plays") OVER (ORDER BY "id")"#, [100, 120, 120, 170, 177]) {
      $0.$plays.sum().over(.order(by: $0.$id))
    }
    try music.expect(
      #"count(*) OVER (PARTITION BY "genre", "isLive" ORDER BY "plays" DESC NULLS LAST, "id")"#,
      [1, 1, 2, 1, 1]
    ) {
      $0.count().over(
        .partition(by: $0.$genre, $0.$isLive).order(by: $0.$plays, .descending, nulls: .last)
          .order(by: $0.$id))
    }
    try music.expect("count(*) OVER ()", [5, 5, 5, 5, 5]) { $0.count().over(.all) }
    try music.expect(#"count(*) FILTER (WHERE "plays" > ?) OVER ()"#, [3, 3, 3, 3, 3]) {
      $0.count().filter($0.$plays > 10).over(.all)
    }
    try music.expect(#"max("plays") OVER () - "plays""#, [0, 80, 100, 50, 93]) {
      $0.$plays.max().over(.all) - $0.$plays.optional
    }
  }

  @Test("a frame takes ROWS, RANGE or GROUPS with bounds and exclusions")
  func frames() throws {
    try music.expect(
      #"sum("plays") OVER (ORDER BY "id" ROWS BETWEEN ? PRECEDING AND ? FOLLOWING)"#,
      [120, 120, 70, 57, 57]
    ) { $0.$plays.sum().over(.order(by: $0.$id).rows(.preceding(1), .following(1))) }
    try music.expect(
      #"sum("plays") OVER (ORDER BY "id" ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"#,
      [100, 120, 120, 170, 177]
    ) { $0.$plays.sum().over(.order(by: $0.$id).rows(.unboundedPreceding, .currentRow)) }
    try music.expect(
      #"count(*) OVER (ORDER BY "plays" RANGE BETWEEN ? PRECEDING AND ? FOLLOWING)"#,
      [1, 1, 2, 1, 3]
    ) { $0.count().over(.order(by: $0.$plays).range(.preceding(10), .following(13))) }
    try music.expect(
      """
      count(*) OVER (ORDER BY "genre" GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
      """, [2, 3, 5, 2, 5]
    ) { $0.count().over(.order(by: $0.$genre).groups(.currentRow, .unboundedFollowing)) }
    let whole = Window.all.rows(.unboundedPreceding, .unboundedFollowing)
    let frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    try music.expect("count(*) OVER (\(frame) EXCLUDE CURRENT ROW)", [4, 4, 4, 4, 4]) {
      $0.count().over(whole.exclude(.currentRow))
    }
    try music.expect(
      #"count(*) OVER (ORDER BY "genre" \#(frame) EXCLUDE GROUP)"#, [3, 4, 3, 3, 3]
    ) {
      $0.count().over(
        .order(by: $0.$genre).rows(.unboundedPreceding, .unboundedFollowing).exclude(.group))
    }
    try music.expect(
      #"count(*) OVER (PARTITION BY "genre" \#(frame) EXCLUDE TIES)"#, [1, 1, 1, 1, 1]
    ) {
      $0.count().over(
        .partition(by: $0.$genre).rows(.unboundedPreceding, .unboundedFollowing).exclude(.ties))
    }
  }

  @Test(
    "row_number, rank, dense_rank, percent_rank, cume_dist and ntile number the rows of a window")
  func places() throws {
    let order = #"OVER (ORDER BY "genre")"#
    try music.expect(#"row_number() OVER (ORDER BY "plays")"#, [5, 3, 1, 4, 2]) {
      $0.rowNumber().over(.order(by: $0.$plays))
    }
    try music.expect("rank() \(order)", [4, 3, 1, 4, 1]) { $0.rank().over(.order(by: $0.$genre)) }
    try music.expect("dense_rank() \(order)", [3, 2, 1, 3, 1]) {
      $0.denseRank().over(.order(by: $0.$genre))
    }
    try music.expect("percent_rank() \(order)", [0.75, 0.5, 0, 0.75, 0]) {
      $0.percentRank().over(.order(by: $0.$genre))
    }
    try music.expect("cume_dist() \(order)", [1, 0.6, 0.4, 1, 0.4]) {
      $0.cumeDist().over(.order(by: $0.$genre))
    }
    try music.expect(#"ntile(?) OVER (ORDER BY "id")"#, [1, 1, 1, 2, 2]) {
      $0.ntile(2).over(.order(by: $0.$id))
    }
  }

  @Test("lag, lead, first_value, last_value and nth_value read other rows of a window")
  func others() throws {
    let order = #"OVER (ORDER BY "id")"#
    try music.expect(#"lag("plays", ?) \#(order)"#, [nil, 100, 20, 0, 50]) {
      $0.$plays.lag().over(.order(by: $0.$id))
    }
    try music.expect(#"lag("rating", ?) \#(order)"#, [nil, nil, 5, nil, 3]) {
      $0.$rating.lag(2).over(.order(by: $0.$id))
    }
    try music.expect(#"lag("plays", ?, ?) \#(order)"#, [-1, 100, 20, 0, 50]) {
      $0.$plays.lag(default: -1).over(.order(by: $0.$id))
    }
    try music.expect(#"lead("plays", ?) \#(order)"#, [20, 0, 50, 7, nil]) {
      $0.$plays.lead().over(.order(by: $0.$id))
    }
    try music.expect(#"lead("genre", ?) \#(order)"#, ["jazz", nil, "rock", nil, nil]) {
      $0.$genre.lead().over(.order(by: $0.$id))
    }
    try music.expect(#"lead("title", ?, ?) \#(order)"#, ["Epsilon_", "", "", "", ""]) {
      $0.$title.lead(4, default: "").over(.order(by: $0.$id))
    }
    try music.expect(#"first_value("title") \#(order)"#, Array(repeating: "Alpha", count: 5)) {
      $0.$title.firstValue().over(.order(by: $0.$id))
    }
    try music.expect(#"last_value("rating") \#(order)"#, [5, nil, 3, 1, nil]) {
      $0.$rating.lastValue().over(.order(by: $0.$id))
    }
    try music.expect(#"nth_value("plays", ?) \#(order)"#, [nil, 20, 20, 20, 20]) {
      $0.$plays.nthValue(2).over(.order(by: $0.$id))
    }
    try music.expect(#"first_value("rating") \#(order)"#, [5, 5, 5, 5, 5]) {
      $0.$rating.firstValue().over(.order(by: $0.$id))
    }
    try music.expect(#"last_value("plays") \#(order)"#, [100, 20, 0, 50, 7]) {
      $0.$plays.lastValue().over(.order(by: $0.$id))
    }
    try music.expect(#"nth_value("rating", ?) \#(order)"#, [nil, nil, 3, 3, 3]) {
      $0.$rating.nthValue(3).over(.order(by: $0.$id))
    }
  }

  @Test("a named window can be used twice, and an unknown or duplicate name throws")
  func named() throws {
    let query = Query { (track: Columns<Track>) in
      From(track)
      NamedWindow("byGenre", .partition(by: track.$genre).order(by: track.$id))
      OrderBy(track.$id)
      Select(
        track.$plays.sum().over(named: "byGenre"), track.rowNumber().over(named: "byGenre"))
    }
    try music.expect(
      query,
      """
      SELECT sum("plays") OVER "byGenre", row_number() OVER "byGenre" FROM "Track" \
      WINDOW "byGenre" AS (PARTITION BY "genre" ORDER BY "id") ORDER BY "id"
      """, ["100 1", "20 1", "0 1", "150 2", "7 2"]
    ) { "\($0.0 ?? -1) \($0.1)" }
    let unknown = Query { (track: Columns<Track>) in
      From(track)
      NamedWindow("a", .all)
      Select(track.count().over(named: "b"))
    }
    #expect(
      #expect(throws: QueryError.self) { try unknown.sql }?.message
        == "OVER b: the query has no NamedWindow of that name")
    let twice = Query { (track: Columns<Track>) in
      From(track)
      NamedWindow("a", .all)
      NamedWindow("A", .all)
      Select(track.count().over(named: "a"))
    }
    #expect(
      #expect(throws: QueryError.self) { try twice.sql }?.message == "the window A is given twice")
  }
}
