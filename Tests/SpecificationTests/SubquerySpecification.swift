import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Subqueries")
struct SubquerySpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("a subquery is a value, may use the outer row, and is NULL if it has no row")
  func value() throws {
    try music.expect(
      Album.select { album in
        (
          album.$name,
          Track.where { $0.$albumID == album.$id.optional }.select { $0.$plays.max() }.subquery()
        )
      }.order(by: \.$id),
      """
      SELECT "name", (SELECT max("Track"."plays") FROM "Track" \
      WHERE "Track"."albumID" IS "Album"."id") FROM "Album" ORDER BY "id"
      """, ["One 100", "Two 0", "Four -"]
    ) { "\($0.0) \($0.1.map(String.init) ?? "-")" }
    let mean = Track.select { $0.$plays.avg() }.subquery()
    try music.expect(
      Track.where { $0.$plays.cast(to: Double.self).optional > mean }.order(by: \.$id)
        .select(\.$id),
      """
      SELECT "id" FROM "Track" WHERE CAST("plays" AS REAL) > \
      (SELECT avg("Track_2"."plays") FROM "Track" AS "Track_2") ORDER BY "id"
      """, [1, 4])
    try music.expect(
      Track.where { $0.$plays.optional == Album.where { $0.$id == 99 }.select(\.$id).subquery() }
        .select(\.$id),
      """
      SELECT "id" FROM "Track" WHERE "plays" IS (SELECT "Album"."id" FROM "Album" \
      WHERE "Album"."id" = ?)
      """, [])
  }

  @Test("the rows of a query are counted as an expression, which is never NULL")
  func count() throws {
    try music.expect(
      Album.select { album in
        (album.$name, Track.where { $0.$albumID.equals(album.$id) }.order(by: \.$title).count())
      }.order(by: \.$id),
      """
      SELECT "name", (SELECT count(*) FROM "Track" WHERE "Track"."albumID" = "Album"."id") \
      FROM "Album" ORDER BY "id"
      """, ["One 2", "Two 1", "Four 0"]
    ) { "\($0.0) \($0.1)" }
    let genres = Track.select(\.$genre).distinct()
    try music.expect(
      Query { Select(genres.count(), Track.where { $0.$plays > 10 }.limit(2).count()) },
      """
      SELECT (SELECT count(*) FROM (SELECT DISTINCT "Track"."genre" FROM "Track")), \
      (SELECT count(*) FROM (SELECT "Track"."id", "Track"."title", "Track"."genre", \
      "Track"."rating", "Track"."plays", "Track"."price", "Track"."isLive", "Track"."albumID" \
      FROM "Track" WHERE "Track"."plays" > ? LIMIT ?))
      """, ["3 2"]
    ) { "\($0.0) \($0.1)" }
    try music.expect(
      Album.where { album in Track.where { $0.$albumID.equals(album.$id) }.count() > 1 }
        .select(\.$name),
      """
      SELECT "name" FROM "Album" WHERE (SELECT count(*) FROM "Track" WHERE "Track"."albumID" = \
      "Album"."id") > ?
      """, ["One"])
  }

  @Test("a subquery that is never NULL is assigned to a column that cannot be NULL")
  func nonOptional() throws {
    let plays = Track.where { $0.$id == 1 }.select(\.$plays).subquery().nonOptional()
    let update = Track.update { $0.$plays = plays }.where { $0.$id == 2 }
    #expect(
      try update.sql.text == """
        UPDATE "Track" SET "plays" = (SELECT "Track_2"."plays" FROM "Track" AS "Track_2" WHERE \
        "Track_2"."id" = ?) WHERE "id" = ?
        """)
    #expect(try music.db.run(update) == 1)
    #expect(try music.db.find(Track.self, 2)?.plays == 100)
    let none = Track.where { $0.$id == 99 }.select(\.$plays).subquery().nonOptional()
    let error = #expect(throws: DatabaseError.self) {
      try music.db.run(Track.update { $0.$plays = none })
    }
    #expect(error?.constraint?.kind == .notNull)
    #expect(throws: ColumnValueError.self) { try music.db.fetch(Query { Select(none) }) }
  }

  @Test("EXISTS takes a query over another model or the same one")
  func exists() throws {
    try music.expect(
      Album.where { album in !Track.where { $0.$albumID == album.$id.optional }.exists() }
        .select(\.$name),
      """
      SELECT "name" FROM "Album" WHERE NOT EXISTS (SELECT "Track"."id", "Track"."title", \
      "Track"."genre", "Track"."rating", "Track"."plays", "Track"."price", "Track"."isLive", \
      "Track"."albumID" FROM "Track" WHERE "Track"."albumID" IS "Album"."id")
      """, ["Four"])
    try music.expect(
      Track.where { track in
        Track.where { $0.$genre == track.$genre && $0.$plays > track.$plays }.select(\.$id).exists()
      }.select(\.$id),
      """
      SELECT "id" FROM "Track" WHERE EXISTS (SELECT "Track_2"."id" FROM "Track" AS "Track_2" \
      WHERE "Track_2"."genre" IS "Track"."genre" AND "Track_2"."plays" > "Track"."plays")
      """, [3, 4])
  }

  @Test("IN takes a subquery of a column without NULL")
  func isIn() throws {
    try music.expect(
      Album.where { $0.$id.isIn(Track.where { $0.$plays > 10 }.select { $0.$albumID.ifNull(0) }) }
        .select(\.$id),
      """
      SELECT "id" FROM "Album" WHERE "id" IN (SELECT ifnull("Track"."albumID", ?) FROM "Track" \
      WHERE "Track"."plays" > ?)
      """, [1])
  }

  @Test("NULL is IN a subquery only if the subquery has a NULL, and NOT IN is the exact opposite")
  func isInNullable() throws {
    let some = Track.where { $0.$id.isIn([1, 2]) }.select(\.$albumID)
    let all = Track.select(\.$albumID)
    try music.expect(
      Track.where { $0.$albumID.isIn(some) }.order(by: \.$id).select(\.$id),
      """
      SELECT "id" FROM "Track" WHERE "albumID" IS NOT NULL AND "albumID" IN (SELECT "value" FROM \
      (SELECT "Track_2"."albumID" AS "value" FROM "Track" AS "Track_2" WHERE "Track_2"."id" IN \
      (SELECT value FROM apus_array(?))) WHERE "value" IS NOT NULL) OR "albumID" IS NULL AND \
      EXISTS (SELECT "value" FROM (SELECT "Track_2"."albumID" AS "value" FROM "Track" AS "Track_2" \
      WHERE "Track_2"."id" IN (SELECT value FROM apus_array(?))) WHERE "value" IS NULL) \
      ORDER BY "id"
      """, [1, 2])
    func ids(_ query: TableQuery<Track, Track>) throws -> [Int] {
      try music.db.fetch(query.order(by: \.$id).select(\.$id))
    }
    #expect(try ids(Track.where { !$0.$albumID.isIn(some) }) == [3, 4, 5])
    #expect(try ids(Track.where { $0.$albumID.isIn(all) }) == [1, 2, 3, 4, 5])
    #expect(try ids(Track.where { !$0.$albumID.isIn(all) }) == [])
    #expect(try ids(Track.where { !$0.$rating.isIn(all) }) == [1])
    let both = Track.where { $0.$id == 1 }.select(\.$albumID)
      .union(Track.where { $0.$id == 4 }.select(\.$albumID))
    #expect(try ids(Track.where { $0.$albumID.isIn(both) }) == [1, 2, 4])
    #expect(try ids(Track.where { !$0.$albumID.isIn(both) }) == [3, 5])
  }

  @Test("a query built outside can be narrowed inside a closure, and uses both tables")
  func extendedInside() throws {
    let base = Track.where { $0.$plays > 0 }
    try music.expect(
      Track.where { track in
        base.where { $0.$genre == track.$genre && $0.$id != track.$id }.exists()
      }.order(by: \.$id).select(\.$id),
      """
      SELECT "id" FROM "Track" WHERE EXISTS (SELECT "Track_2"."id", "Track_2"."title", \
      "Track_2"."genre", "Track_2"."rating", "Track_2"."plays", "Track_2"."price", \
      "Track_2"."isLive", "Track_2"."albumID" FROM "Track" AS "Track_2" WHERE "Track_2"."plays" > ? \
      AND "Track_2"."genre" IS "Track"."genre" AND "Track_2"."id" <> "Track"."id") ORDER BY "id"
      """, [1, 3, 4])
  }

  @Test("a query inside itself throws, because its tables cannot be distinguished")
  func insideItself() throws {
    let base = Track.where { $0.$plays > 0 }
    let query = base.where { track in base.where { $0.$id == track.$id }.exists() }
    // A statement in which only the inner table's columns are compared does not stand for it.
    let other = base.where { _ in
      Track.where { $0.$plays > 0 }.where { $0.$id == $0.$id }.exists()
    }
    #expect(try music.db.fetch(other).count == 4)
    let error = #expect(throws: QueryError.self) { try music.db.fetch(query) }
    #expect(error?.message.contains("a query over Track contains itself") == true)
  }

  @Test("updates and deletions take subqueries")
  func writes() throws {
    let update = Track.update { track in
      let albumID = track.$albumID
      track.$plays =
        Album.where { $0.$id.optional == albumID }.select { $0.count() }.subquery().ifNull(-1)
    }.where { track in Album.where { $0.$id.optional == track.$albumID }.exists() }
    #expect(
      try update.sql.text == """
        UPDATE "Track" SET "plays" = ifnull((SELECT count(*) FROM "Album" WHERE "Album"."id" IS \
        "Track"."albumID"), ?) WHERE EXISTS (SELECT "Album"."id", "Album"."name" FROM "Album" \
        WHERE "Album"."id" IS "Track"."albumID")
        """)
    #expect(try music.db.run(update) == 3)
    #expect(try music.db.fetch(Track.select(\.$plays).order(by: \.$id)) == [1, 1, 1, 50, 7])
    let delete = Track.delete().where { track in
      Track.where { $0.$id > track.$id }.exists()
    }
    #expect(
      try delete.sql.text.contains(
        #"FROM "Track" AS "Track_2" WHERE "Track_2"."id" > "Track"."id""#))
    #expect(try music.db.run(delete) == 4)
  }
}
