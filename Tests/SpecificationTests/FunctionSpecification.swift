import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Aggregates, custom functions and raw fragments")
struct FunctionSpecification {
  let music: Music

  init() throws { music = try Music() }

  private func expectOne<Value: ColumnValue & Equatable>(
    _ sql: String, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation,
    _ expression: (Columns<Track>) -> SQLExpression<Value>
  ) throws {
    try music.expect(
      Track.select(expression), #"SELECT \#(sql) FROM "Track""#, [value],
      sourceLocation: sourceLocation)
  }

  @Test("aggregates cover all rows, and with DISTINCT each value once")
  func aggregates() throws {
    try expectOne("count(*)", 5) { $0.count() }
    try expectOne(#"count("genre")"#, 3) { $0.$genre.count() }
    try expectOne(#"count(DISTINCT "genre")"#, 2) { $0.$genre.count(distinct: true) }
    try expectOne(#"count(DISTINCT "albumID")"#, 3) { $0.count(distinct: $0.$albumID) }
    try expectOne(#"sum("plays")"#, 177) { $0.$plays.sum() }
    try expectOne(#"sum(DISTINCT "albumID")"#, 6) { $0.$albumID.sum(distinct: true) }
    try expectOne(#"avg("rating")"#, 3.0) { $0.$rating.avg() }
    try expectOne(#"avg(DISTINCT "albumID")"#, 2.0) { $0.$albumID.avg(distinct: true) }
    try expectOne(#"total("rating")"#, 9.0) { $0.$rating.total() }
    try expectOne(#"min("title")"#, "Alpha") { $0.$title.min() }
    try expectOne(#"max("rating")"#, 5) { $0.$rating.max() }
    try expectOne(#"group_concat("title", ?)"#, "Alpha+Beta+gamma+Delta 100%+Epsilon_") {
      $0.$title.groupConcat("+")
    }
    try expectOne(
      #"group_concat("title", substr("title", ?, ?))"#,
      "AlphaBBetaggammaDDelta 100%EEpsilon_"
    ) { $0.$title.groupConcat($0.$title.substr(1, 1)) }
    let genres = try music.db.first(
      Track.select { $0.$genre.jsonGroupArray(distinct: true).filter($0.$genre != nil) })
    #expect(genres?.value.compactMap { $0 }.sorted() == ["jazz", "rock"])
    try expectOne(#"group_concat(DISTINCT substr("title", ?, ?))"#, "A,B,g,D,E") {
      $0.$title.substr(1, 1).groupConcatDistinct()
    }
  }

  @Test("FILTER limits an aggregate to matching rows, and two filters must both match")
  func filter() throws {
    try expectOne(#"count(*) FILTER (WHERE "isLive" = 1)"#, 2) {
      $0.count().filter($0.$isLive == true)
    }
    try expectOne(#"sum("plays") FILTER (WHERE "rating" > ? AND "id" < ?)"#, 100) {
      $0.$plays.sum().filter($0.$rating > 1).filter($0.$id < 3)
    }
    try expectOne(#"count(DISTINCT "genre") FILTER (WHERE "plays" > ?) + ?"#, 2) {
      $0.$genre.count(distinct: true).filter($0.$plays > 30) + 1
    }
  }

  @Test("FILTER and OVER are only valid on aggregates and window functions")
  func misplaced() throws {
    let wrong: [TableQuery<Track, Int>] = [
      Track.select { $0.$id.filter($0.$id > 1) },
      Track.select { $0.$id.over(.all) },
      Track.select { ($0.count() + 1).over(.all) },
      Track.select { $0.$title.length().filter($0.$id > 1) },
      Track.select { $0.count().over(.all).over(.all) },
      Track.select { $0.count().over(.all).filter($0.$id > 1) },
      Track.select { $0.rowNumber() },
      Track.select { $0.rowNumber().filter($0.$id > 1).over(.all) },
      Track.select { $0.$id.count(distinct: true).over(.all) },
      Track.select { $0.count().over(.order(by: $0.$id).rows(.currentRow, .preceding(1))) },
      Track.select { $0.count().over(.order(by: $0.$id).rows(.preceding(-1), .currentRow)) },
      Track.select { $0.count().over(.all.exclude(.ties)) },
      Track.select { $0.count().over(named: "w") },
    ]
    for query in wrong {
      #expect(throws: QueryError.self) { try query.sql }
      #expect(throws: QueryError.self) { try music.db.fetch(query) }
    }
  }

  @Test("one line declares a function or an aggregate, whose name is quoted")
  func declared() throws {
    let printf = SQLFunction<String, String, Int>("printf")
    let concat = SQLAggregate<String?, String>("group_concat")
    let version = SQLFunction<String>("sqlite_version")
    try music.expect(#""printf"(?, "plays")"#, ["<100>", "<20>", "<0>", "<50>", "<7>"]) {
      printf(SQLExpression("<%d>"), $0.$plays)
    }
    try expectOne(#""group_concat"("title") FILTER (WHERE "id" < ?)"#, "Alpha,Beta") {
      concat($0.$title).filter($0.$id < 3)
    }
    #expect(try music.db.first(Track.select { _ in version() })?.hasPrefix("3.") == true)
    let hostile = SQLFunction<Int>("x\"(); DROP TABLE Track; --")
    let error = #expect(throws: DatabaseError.self) {
      try music.db.fetch(Track.select { _ in hostile() })
    }
    #expect(error?.message.contains("no such function") == true)
  }

  @Test("functions and aggregates written in Swift are called like SQL's own")
  func own() throws {
    try music.db.function("turned") { (text: String) in String(text.reversed()) }
    try music.db.aggregate("longest", initial: 0) { (longest: inout Int, text: String) in
      longest = max(longest, text.count)
    } result: {
      $0
    }
    let turned = SQLFunction<String, String>("turned")
    let longest = SQLAggregate<Int, String>("longest")
    try music.expect(
      Track.where { turned($0.$title) == "ateB" }.select { turned($0.$title.lower()) },
      #"SELECT "turned"(lower("title")) FROM "Track" WHERE "turned"("title") = ?"#, ["ateb"])
    try expectOne(#""longest"("title") FILTER (WHERE "plays" < ?)"#, 8) {
      longest($0.$title).filter($0.$plays < 50)
    }
  }

  @Test("a raw fragment works wherever an expression does, and its values are bound in place")
  func fragments() throws {
    let query = Track.where { track in
      SQLPredicate(sql: "\(track.$plays) > \(5) AND \(track.$rating == nil)")
      SQLExpression<Int>(sql: "length(\(track.$title))") < 9
    }
    .order { SQLExpression<Int>(sql: "-\($0.$id)") }
    .select { SQLExpression<Int>(sql: "\($0.$id + 1) * \(10)") }
    try music.expect(
      query,
      """
      SELECT ("id" + ?) * ? FROM "Track" WHERE ("plays" > ? AND ("rating" IS NULL)) AND \
      (length("title")) < ? ORDER BY -"id"
      """, [60, 30])
    #expect(try query.sql.values == [1, 10, 5, 9])
    // The columns of a fragment in a join are qualified, too.
    let joined = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: SQLPredicate(sql: "\(track.$albumID) = \(album.$id)"))
      GroupBy(SQLExpression<String>(sql: "upper(\(album.$name))"))
      OrderBy(SQLExpression<String>(sql: "upper(\(album.$name))"), .descending)
      Select(SQLExpression<String>(sql: "upper(\(album.$name))"), track.$plays.sum())
    }
    try music.expect(
      joined,
      """
      SELECT upper("Album"."name"), sum("Track"."plays") FROM "Track" JOIN "Album" \
      ON "Track"."albumID" = "Album"."id" GROUP BY upper("Album"."name") \
      ORDER BY upper("Album"."name") DESC
      """, ["TWO", "ONE"], by: \.0)
    #expect(
      try music.db.run(
        Track.update { $0.$plays = SQLExpression(sql: "abs(\($0.$id) - \(3))") }
          .where { SQLPredicate(sql: "\($0.$id) IN (\(1), \(5))") }) == 2)
    #expect(try music.db.fetch(Track.select(\.$plays).order(by: \.$id)) == [2, 20, 0, 50, 2])
  }

  @Test("a fragment takes SQL, a table, an identifier, unsafe text and nil")
  func pieces() throws {
    let piece: SQL = "plays + \(1)"
    let name: String? = nil
    let query = Track.where { _ in
      SQLPredicate(
        sql: """
          \(unsafe: "1 = 1") AND (\(piece)) > \(50) AND \(identifier: "id") IN \
          (SELECT id FROM \(Track.self)) AND \(name) IS NULL AND \(DatabaseValue.integer(1)) = 1
          """)
    }
    #expect(try music.db.fetch(query).map(\.id) == [1, 4])
    #expect(try query.sql.values == [1, 50, nil, 1])
    let whole = SQLExpression<Int>(sql: piece)
    try music.expect("plays + ?", [101, 21, 1, 51, 8]) { _ in whole }
  }
}
