import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Joins of every kind")
struct JoinSpecification {
  struct Total: ResultRow, Equatable {
    @Column var albumID: Int?
    @Column var plays: Int
  }

  let music: Music

  init() throws { music = try Music() }

  private func text(_ row: (String?, String?)) -> String { "\(row.0 ?? "-") \(row.1 ?? "-")" }

  @Test("an inner join takes a nullable key and further conditions")
  func inner() throws {
    try music.expect(
      Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        Join(album, on: track.$albumID == album.$id.optional && track.$plays > 10)
        OrderBy(track.$id)
        Select(track.$title, album.$name)
      },
      """
      SELECT "Track"."title", "Album"."name" FROM "Track" JOIN "Album" \
      ON "Track"."albumID" IS "Album"."id" AND "Track"."plays" > ? ORDER BY "Track"."id"
      """, ["Alpha One", "Beta One"]
    ) { "\($0.0) \($0.1)" }
  }

  @Test("a left join keeps rows without a row on the right side")
  func left() throws {
    try music.expect(
      Query { (album: Columns<Album>, track: OptionalColumns<Track>) in
        From(album)
        LeftJoin(track, on: track.$albumID == album.$id.optional)
        OrderBy(album.$id)
        OrderBy(track.$id)
        Select(album.$name.optional, track.$title)
      },
      """
      SELECT "Album"."name", "Track"."title" FROM "Album" LEFT JOIN "Track" \
      ON "Track"."albumID" IS "Album"."id" ORDER BY "Album"."id", "Track"."id"
      """, ["One Alpha", "One Beta", "Two gamma", "Four -"], by: text)
  }

  @Test("a right join keeps rows without a row on the left side")
  func right() throws {
    try music.expect(
      Query { (track: OptionalColumns<Track>, album: Columns<Album>) in
        From(track)
        RightJoin(album, on: track.$albumID == album.$id.optional)
        OrderBy(album.$id)
        OrderBy(track.$id)
        Select(album.$name.optional, track.$title)
      },
      """
      SELECT "Album"."name", "Track"."title" FROM "Track" RIGHT JOIN "Album" \
      ON "Track"."albumID" IS "Album"."id" ORDER BY "Album"."id", "Track"."id"
      """, ["One Alpha", "One Beta", "Two gamma", "Four -"], by: text)
  }

  @Test("a full join keeps rows of both sides, also as whole models")
  func full() throws {
    let query = Query { (track: OptionalColumns<Track>, album: OptionalColumns<Album>) in
      From(track)
      FullJoin(album, on: track.$albumID == album.$id)
      OrderBy(album.$id, nulls: .last)
      OrderBy(track.$id)
      Select(track, album)
    }
    #expect(try query.sql.text.contains(#"FROM "Track" FULL JOIN "Album" ON"#))
    let rows: [(Track?, Album?)] = try music.db.fetch(query)
    #expect(rows.map(\.0?.id) == [1, 2, 3, nil, 4, 5])
    #expect(rows.map(\.1?.id) == [1, 1, 2, 4, nil, nil])
  }

  @Test("a cross join returns every pair")
  func cross() throws {
    let query = Query { (one: Columns<Album>, other: Columns<Album>) in
      From(one)
      CrossJoin(other)
      OrderBy(one.$id)
      OrderBy(other.$id)
      Select(one.$id * 10 + other.$id)
    }
    try music.expect(
      query,
      """
      SELECT "Album"."id" * ? + "Album_2"."id" FROM "Album" CROSS JOIN "Album" AS "Album_2" \
      ORDER BY "Album"."id", "Album_2"."id"
      """, [11, 12, 14, 21, 22, 24, 41, 42, 44])
  }

  @Test("a table whose row may be missing needs optional columns, or the error names it")
  func nullableSide() throws {
    let right = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      RightJoin(album, on: track.$albumID == album.$id.optional)
      Select(track.$title)
    }
    let full = Query {
      (track: OptionalColumns<Track>, album: Columns<Album>, other: OptionalColumns<Album>) in
      From(track)
      Join(album, on: track.$albumID == album.$id.optional)
      FullJoin(other, on: other.$id == album.$id.optional)
      Select(track.$title)
    }
    #expect(
      #expect(throws: QueryError.self) { try right.sql }?.message == """
        the RIGHT JOIN of Album may find no row of Track: its parameter must be \
        OptionalColumns<Track>
        """)
    #expect(
      #expect(throws: QueryError.self) { try music.db.fetch(full) }?.message == """
        the FULL JOIN of Album may find no row of Album: its parameter must be \
        OptionalColumns<Album>
        """)
  }

  @Test(
    "using the columns of a table whose conditional join is missing throws an error that names it")
  func joinUnderIf() throws {
    func query(joined: Bool) -> Query<String> {
      Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        if joined {
          Join(album, on: track.$albumID == album.$id.optional)
        }
        OrderBy(track.$id)
        Select(album.$name)
      }
    }
    #expect(try music.db.fetch(query(joined: true)) == ["One", "One", "Two"])
    let error = #expect(throws: QueryError.self) { try music.db.fetch(query(joined: false)) }
    #expect(error?.message == "the table Album is used, but it is not in FROM or a join")
  }

  @Test("a subquery can be a table and be joined")
  func derived() throws {
    let totals = Query { (track: Columns<Track>) in
      From(track)
      GroupBy(track.$albumID)
      Having { track.count() < 2 }
      Select(track.$albumID, track.$plays.sum().ifNull(0).as("plays"), into: Total.self)
    }
    try music.expect(
      Query { (album: Columns<Album>, total: OptionalColumns<Total>) in
        From(album)
        LeftJoin(totals.as(total), on: total.$albumID == album.$id.optional)
        Where { album.$id > 1 }
        OrderBy(album.$id)
        Select(album.$name.optional, total.$plays.cast(to: String.self))
      },
      """
      SELECT "Album"."name", CAST("Total"."plays" AS TEXT) FROM "Album" LEFT JOIN \
      (SELECT "Track"."albumID" AS "albumID", ifnull(sum("Track"."plays"), ?) AS "plays" \
      FROM "Track" GROUP BY "Track"."albumID" HAVING count(*) < ?) AS "Total" \
      ON "Total"."albumID" IS "Album"."id" WHERE "Album"."id" > ? ORDER BY "Album"."id"
      """, ["Two 0", "Four -"], by: text)
    // The whole row is nil where the join found none.
    let rows = try music.db.fetch(
      Query { (album: Columns<Album>, total: OptionalColumns<Total>) in
        From(album)
        LeftJoin(totals.as(total), on: total.$albumID == album.$id.optional)
        OrderBy(album.$id)
        Select(album.$id, total)
      })
    #expect(rows.map(\.0) == [1, 2, 4])
    #expect(rows.map(\.1) == [nil, Total(albumID: 2, plays: 0), nil])
    // The same subquery twice, one of them in FROM.
    try music.expect(
      Query { (one: Columns<Total>, other: Columns<Total>) in
        From(totals.as(one))
        Join(totals.as(other), on: one.$plays < other.$plays)
        OrderBy(one.$plays)
        OrderBy(other.$plays)
        Select(one.$plays, other.$plays)
      },
      """
      SELECT "Total"."plays", "Total_2"."plays" FROM \
      (SELECT "Track"."albumID" AS "albumID", ifnull(sum("Track"."plays"), ?) AS "plays" \
      FROM "Track" GROUP BY "Track"."albumID" HAVING count(*) < ?) AS "Total" JOIN \
      (SELECT "Track"."albumID" AS "albumID", ifnull(sum("Track"."plays"), ?) AS "plays" \
      FROM "Track" GROUP BY "Track"."albumID" HAVING count(*) < ?) AS "Total_2" \
      ON "Total"."plays" < "Total_2"."plays" ORDER BY "Total"."plays", "Total_2"."plays"
      """, ["0 7", "0 50", "7 50"]
    ) { "\($0.0) \($0.1)" }
  }

  @Test("a subquery in a join cannot use the other tables' columns, and the error names the table")
  func notLateral() throws {
    let query = Query { (album: Columns<Album>, track: Columns<Track>) in
      From(album)
      Join(
        Track.where { $0.$albumID == album.$id.optional }.as(track),
        on: track.$albumID == album.$id.optional)
      Select(track)
    }
    let error = #expect(throws: QueryError.self) { try music.db.fetch(query) }
    #expect(error?.message == "the table Album is used, but it is not in FROM or a join")
  }
}
