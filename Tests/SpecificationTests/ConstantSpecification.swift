import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Constants, and SELECT without FROM")
struct ConstantSpecification {
  let music: Music

  init() throws { music = try Music() }

  struct Number: ResultRow, Equatable {
    @Column var n: Int
  }

  struct Line: ResultRow, Equatable {
    @Column var n: Int
    @Column var text: String
  }

  enum Kind: String, ColumnValue { case one, two }

  @Test("a query without parameters selects values, and binds them")
  func values() throws {
    try music.expect(Query { Select(1, "a") }, "SELECT ?, ?", ["1 a"]) { "\($0.0) \($0.1)" }
    try music.expect(Query { Select(SQLExpression(2) + 3) }, "SELECT ? + ?", [5])
    let missing: String? = nil
    let query = Query { Select(1.5, true, Data([1, 2]), UInt8(7), missing, "x" as String?) }
    let rows: [(Double, Bool, Data, UInt8, String?, String?)] = try music.db.fetch(query)
    #expect(rows.count == 1)
    #expect(rows[0] == (1.5, true, Data([1, 2]), 7, nil, "x"))
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let dates: [(Date, UUID?)] = try music.db.fetch(Query { Select(date, nil as UUID?) })
    #expect(dates.map(\.0) == [date])
    #expect(try music.db.exists(Query { Select(1) }))
    #expect(try music.db.first(Query { Select(7) }) == 7)
  }

  @Test("WHERE, ORDER BY and LIMIT apply to the one row")
  func clauses() throws {
    let none: Query<Int> = Query {
      Where { SQLExpression(1) > 2 }
      Limit(3)
      Select(1)
    }
    try music.expect(none, "SELECT ? WHERE ? > ? LIMIT ?", [])
    #expect(try music.db.count(Query { Select(1) }.where { SQLExpression(1) < 2 }) == 1)
  }

  @Test("constants stand beside columns, with a name if one is given")
  func constants() throws {
    try music.expect(
      Query { (album: Columns<Album>) in
        From(album)
        OrderBy(album.$id)
        Select(album.$name, 1, "x".as("kind"))
      },
      #"SELECT "name", ?, ? AS "kind" FROM "Album" ORDER BY "id""#,
      ["One 1 x", "Two 1 x", "Four 1 x"]
    ) { "\($0.0) \($0.1) \($0.2)" }
    try music.expect(
      Album.select { ($0.$id, "album") }
        .union(Track.where { $0.$id > 4 }.select { ($0.$id, "track") }),
      #"SELECT "id", ? FROM "Album" UNION SELECT "id", ? FROM "Track" WHERE "id" > ?"#,
      ["1 album", "2 album", "4 album", "5 track"]
    ) { "\($0.0) \($0.1)" }
    try music.expect(
      Query { Select(1.as("n"), "one".as("text"), into: Line.self) },
      #"SELECT ? AS "n", ? AS "text""#, [Line(n: 1, text: "one")])
  }

  @Test("a value of a type of the program is selected directly")
  func ownType() throws {
    try music.expect(
      Album.limit(1).select { ($0.$id, Kind.two) }, #"SELECT "id", ? FROM "Album" LIMIT ?"#,
      [Kind.two]
    ) { $0.1 }
    try music.expect(
      Album.limit(1).select { ($0.$id, nil as Kind?, Kind.two.as("kind")) },
      #"SELECT "id", ?, ? AS "kind" FROM "Album" LIMIT ?"#, [Kind.two]
    ) { $0.1 ?? $0.2 }
    try music.expect(Query { Select(Kind.two) }, "SELECT ?", [Kind.two])
  }

  @Test("a condition is selected as a value, which is nil if it is unknown")
  func conditions() throws {
    try music.expect(
      Track.select { ($0.$id, $0.$rating > 2) }.order(by: \.$id),
      #"SELECT "id", "rating" > ? FROM "Track" ORDER BY "id""#, [true, nil, true, false, nil]
    ) { $0.1 }
    try music.expect(
      Track.select { $0.$plays > 50 }.order(by: \.$id),
      #"SELECT "plays" > ? FROM "Track" ORDER BY "id""#, [true, false, false, false, false])
  }

  @Test("constants are combined by UNION, and are used as a table")
  func compounds() throws {
    let one = Query { Select(1.as("n"), into: Number.self) }
    let two = Query { Select(2.as("n"), into: Number.self) }
    try music.expect(
      one.unionAll(two).order(by: \.$n, .descending),
      #"SELECT ? AS "n" UNION ALL SELECT ? AS "n" ORDER BY "n" DESC"#, [Number(n: 2), Number(n: 1)])
    try music.expect(
      Query { (number: Columns<Number>, album: Columns<Album>) in
        From(album)
        Join(one.unionAll(two).as(number), on: number.$n == album.$id)
        OrderBy(album.$id)
        Select(album.$name)
      },
      """
      SELECT "Album"."name" FROM "Album" JOIN (SELECT ? AS "n" UNION ALL SELECT ? AS "n") AS \
      "Number" ON "Number"."n" = "Album"."id" ORDER BY "Album"."id"
      """, ["One", "Two"])
  }

  @Test("recursion starts from constants")
  func recursion() throws {
    let numbers = CommonTable(
      "numbers", startingWith: Query { Select(1.as("n"), into: Number.self) }
    ) { numbers in
      Query { (number: Columns<Number>) in
        From(numbers.as(number))
        Where { number.$n < 5 }
        Select((number.$n + 1).as("n"), into: Number.self)
      }
    }
    try music.expect(
      Query { (number: Columns<Number>) in
        With(numbers)
        From(numbers.as(number))
        Select(number.$n)
      },
      """
      WITH RECURSIVE "numbers"("n") AS (SELECT ? AS "n" UNION ALL SELECT "n" + ? AS "n" \
      FROM "numbers" WHERE "n" < ?) SELECT "n" FROM "numbers"
      """, [1, 2, 3, 4, 5])
  }

  @Test("a query without From in another refers to the tables of the other")
  func correlated() throws {
    try music.expect(
      Album.order(by: \.$id).select { album in
        (album.$id, Query { Select(album.$id * 2) }.subquery())
      },
      #"SELECT "id", (SELECT "Album"."id" * ?) FROM "Album" ORDER BY "id""#,
      [2, 4, 8]
    ) { $0.1 ?? 0 }
  }

  @Test("a query that selects nothing throws an error")
  func noItems() throws {
    let error = #expect(throws: QueryError.self) { try Query { Select() }.sql }
    #expect(error?.message.hasPrefix("a query selects nothing") == true)
  }

  @Test("a join without From, and a column without its table, throw an error")
  func mistakes() throws {
    let album = Columns<Album>()
    let join = Query {
      Join(album, on: album.$id == 1)
      Select(1)
    }
    #expect(
      #expect(throws: QueryError.self) { try join.sql }?.message == "the query has no From(…)")
    let column = Query { Select(album.$id) }
    #expect(
      #expect(throws: QueryError.self) { try column.sql }?.message
        == "the table Album is used, but it is not in FROM or a join")
  }
}
