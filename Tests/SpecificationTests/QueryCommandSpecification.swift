import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Commands made from a query")
struct QueryCommandSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("an update takes the conditions of the query")
  func update() throws {
    let live = Track.where { $0.$isLive.isTrue }
    let update = live.where { $0.$plays < 50 }.order(by: \.$title).update { $0.$plays += 1 }
    #expect(
      try update.sql.text
        == #"UPDATE "Track" SET "plays" = "plays" + ? WHERE "isLive" = 1 AND "plays" < ?"#)
    #expect(try music.db.run(update) == 1)
    // The command can be restricted and returned like any other.
    let rows = try music.db.fetch(
      live.update { $0.$rating = 4 }.where { $0.$id > 2 }.returning(\.$id))
    #expect(rows == [4])
    #expect(try music.db.find(Track.self, 2)?.plays == 21)
  }

  @Test("a deletion takes the conditions, the order and the limit of the query")
  func delete() throws {
    let least = Track.where { $0.$plays > 0 }.order(by: \.$plays).limit(2)
    #expect(try music.db.fetch(least.select(\.$id)) == [5, 2])
    let delete = least.delete()
    #expect(
      try delete.sql.text == """
        DELETE FROM "Track" WHERE "id" IN (SELECT "id" FROM "Track" WHERE "plays" > ? \
        ORDER BY "plays" LIMIT ?)
        """)
    #expect(try music.db.run(delete) == 2)
    #expect(try music.db.fetch(Track.select(\.$id).order(by: \.$id)) == [1, 3, 4])
    #expect(try music.db.run(Track.all.delete()) == 3)
  }

  @Test("the order of the query counts for a limit that the command gets later")
  func laterLimit() throws {
    let few = Track.order(by: \.$plays, .descending)
    let expected = try Track.delete().order(by: \.$plays, .descending).limit(2).sql.text
    #expect(try few.delete().limit(2).sql.text == expected)
    #expect(try few.limit(2).delete().sql.text == expected)
    let most = try music.db.fetch(few.limit(2).select(\.$id))
    #expect(try music.db.fetch(few.update { $0.$rating = 5 }.limit(2).returning(\.$id)).count == 2)
    #expect(try music.db.run(few.delete().limit(2)) == 2)
    #expect(try music.db.count(Track.where { $0.$id.isIn(most) }) == 0)
    // Without a limit, all rows are deleted, in whatever order.
    #expect(try music.db.run(few.delete()) == 3)
  }

  @Test("a query of other rows than those of the table throws")
  func refused() throws {
    let query = Track.where { $0.$plays > 0 }
    let compound = query.union(Track.all).where { $0.$plays > 1 }
    #expect(try music.db.fetch(compound).count == 4)
    for command in [
      query.distinct().delete(), query.group(by: \.$genre).delete(),
      query.having { $0.count() > 1 }.delete(),
    ] {
      let error = #expect(throws: QueryError.self) { try music.db.run(command) }
      #expect(error?.message.contains("cannot have groups") == true)
    }
    let error = #expect(throws: QueryError.self) {
      try music.db.run(query.limit(-1).update { $0.$plays = 0 })
    }
    #expect(error?.message.contains("negative") == true)
    #expect(try music.db.count(Track.all) == 5)
  }
}
