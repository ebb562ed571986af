import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Updates and deletions in the database")
struct UpdateTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("an update with expressions uses the old row, and returns the number of changed rows")
  func expressions() throws {
    let update = Track.update {
      $0.$plays += 1
      $0.$price *= 2
      $0.$rating = $0.$id.optional
    }.where { $0.$isLive == true }
    #expect(
      try update.sql.text == """
        UPDATE "Track" SET "plays" = "plays" + ?, "price" = "price" * ?, "rating" = "id" \
        WHERE "isLive" = 1
        """)
    #expect(try update.sql.values == [1, 2.0])
    #expect(try music.db.run(update) == 2)
    let track = try #require(try music.db.find(Track.self, 2))
    #expect(track.plays == 21 && track.price == 1 && track.rating == 2)
    #expect(try music.db.find(Track.self, 1) == Music.tracks[0])
  }

  @Test("an update sets a value, nil or an expression, and subtracts or divides in place")
  func set() throws {
    try music.db.run(
      Track.update {
        $0.$title = "x"
        $0.$genre = nil
        $0.$plays = $0.$id * 10
        $0.$price -= 1
      }.where { $0.$id == 4 })
    let track = try #require(try music.db.find(Track.self, 4))
    #expect(
      track.title == "x" && track.genre == nil && track.plays == 40 && track.price == -1)
    try music.db.run(Track.update { $0.$plays /= 3 })
    #expect(try music.db.fetch(Track.select(\.$plays).order(by: \.$id)) == [33, 6, 0, 13, 2])
  }

  @Test("an update assigns all columns at once, so that two can be swapped")
  func swap() throws {
    try music.db.run(
      Track.update {
        $0.$rating = $0.$albumID
        $0.$albumID = $0.$rating
      })
    let track = try #require(try music.db.find(Track.self, 1))
    #expect(track.rating == 1 && track.albumID == 5)
  }

  @Test("an update takes control flow, and throws if a column is assigned twice or none at all")
  func mistakes() throws {
    func update(_ title: String?) -> Update<Track> {
      Track.update { track in
        if let title { track.$title = title }
      }
    }
    #expect(try music.db.run(update("y")) == 5)
    #expect(throws: QueryError.self) { try music.db.run(update(nil)) }
    #expect(throws: QueryError.self) {
      try music.db.run(
        Track.update {
          $0.$plays += 1
          $0.$plays += 1
        })
    }
    #expect(throws: ColumnValueError.self) {
      try music.db.run(Track.update { $0.$price = .nan })
    }
  }

  @Test("an update that violates a constraint changes no row")
  func constraint() throws {
    #expect(throws: DatabaseError.self) {
      try music.db.run(Track.update { $0.$id = 9 })
    }
    #expect(try music.db.fetch(Track.all) == Music.tracks)
  }

  @Test("delete removes the matching rows, or all rows")
  func delete() throws {
    let some = Track.delete().where { $0.$genre == nil }
    #expect(try some.sql.text == #"DELETE FROM "Track" WHERE "genre" IS NULL"#)
    #expect(try music.db.run(some) == 2)
    #expect(try Track.delete().sql.text == #"DELETE FROM "Track""#)
    #expect(try music.db.run(Track.delete()) == 3)
    #expect(try music.db.count(Track.all) == 0)
    #expect(try music.db.run(Track.delete()) == 0)
  }

  @Test("conditions take isIn, between and blocks, and several where steps must all hold")
  func conditions() throws {
    #expect(
      try music.db.run(
        Track.update { $0.$plays = 1 }
          .where { $0.$genre.isIn(["rock", nil]) }
          .where { track in
            AnyOf {
              track.$id == 1
              track.$plays.between(0, and: 6)
            }
          }) == 2)
    #expect(try music.db.fetch(Track.select(\.$plays).order(by: \.$id)) == [1, 20, 1, 50, 7])
  }
}
