import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

private struct Score: ResultRow, Equatable {
  @Column var track: Int
  @Column var points: Int
  @Column var note: String?
}

private struct Number: ResultRow, Equatable {
  @Column var number: Int
}

private struct Mixed: ResultRow, Equatable {
  @Column var real: Double
  @Column var data: Data
  @Column var flag: Bool?
  @Column var moment: Date
  @Column var key: UUID
  @Column var price: Decimal
  @Column var list: JSON<[String]>

  static var schema: Schema<Mixed> {
    Stored(\.$moment, as: .iso8601)
    Stored(\.$key, as: .bytes)
  }
}

@Suite("Rows of Swift values as a table")
struct ValuesSpecification {
  let music: Music
  private let scores = [
    Score(track: 1, points: 5, note: "a"), Score(track: 4, points: -2, note: nil),
    Score(track: 9, points: 7, note: "c"),
  ]

  init() throws { music = try Music() }

  private static let table = """
    (SELECT "apus_array"."value" AS "track", "apus_array_2"."value" AS "points", \
    "apus_array_3"."value" AS "note" FROM "apus_array"(?) JOIN "apus_array"(?) AS "apus_array_2" \
    ON "apus_array_2"."rowid" = "apus_array"."rowid" JOIN "apus_array"(?) AS "apus_array_3" \
    ON "apus_array_3"."rowid" = "apus_array"."rowid") AS "Score"
    """

  @Test("the rows are a query, and the SQL is the same for any number of them")
  func rows() throws {
    #expect(try music.db.fetch(Values(scores)) == scores)
    #expect(try music.db.fetch(Values([Score]())) == [])
    #expect(try Values(scores).sql.text == Values([Score]()).sql.text)
    #expect(
      try Values([Number(number: 1)]).sql.text
        == #"SELECT "value" AS "number" FROM "apus_array"(?)"#)
    try music.expect(
      Values(scores).where { $0.$points > 0 }.order(by: \.$points, .descending),
      """
      SELECT "track", "points", "note" FROM \(Self.table) WHERE "points" > ? ORDER BY "points" DESC
      """, [scores[2], scores[0]])
  }

  @Test("each type is read back as it was, in its stored form")
  func types() throws {
    let flags: [Bool?] = [nil, true, false]
    let rows = (0..<50).map { index -> Mixed in
      let number = Double(index)
      return Mixed(
        real: number / 3, data: Data([UInt8(index)]), flag: flags[index % 3],
        moment: Date(timeIntervalSince1970: number + 0.5), key: UUID(), price: Decimal(index) / 8,
        list: ["\(index)"])
    }
    #expect(try music.db.fetch(Values(rows)) == rows)
    #expect(
      try music.db.fetch(Values(rows).where { $0.$price > 5 && $0.$key == rows[45].key })
        == [rows[45]])
    #expect(try music.db.fetch(Values(Music.tracks)) == Music.tracks)
  }

  @Test("they are joined with tables, also in an outer join")
  func joins() throws {
    try music.expect(
      Query { (score: Columns<Score>, track: OptionalColumns<Track>) in
        From(Values(scores).as(score))
        LeftJoin(track, on: track.$id == score.$track)
        OrderBy(score.$track)
        Select(score.$points, track.$title)
      },
      """
      SELECT "Score"."points", "Track"."title" FROM \(Self.table) LEFT JOIN "Track" ON \
      "Track"."id" IS "Score"."track" ORDER BY "Score"."track"
      """, ["5 Alpha", "-2 Delta 100%", "7 -"]
    ) { "\($0.0) \($0.1 ?? "-")" }
    let unknown = Values(scores).where { score in
      !Track.where { $0.$id == score.$track }.exists()
    }
    #expect(try music.db.fetch(unknown) == [scores[2]])
    let query = Query { (track: Columns<Track>, score: Columns<Score>) in
      From(track)
      Join(Values(scores).as(score), on: track.$id == score.$track)
      Select(track.$id)
    }
    let plan = try music.plan(of: query)
    #expect(plan.contains { $0.contains("Track USING INTEGER PRIMARY KEY") }, "\(plan)")
  }

  @Test("one statement updates many rows, each with its own values")
  func update() throws {
    let update = Track.update(from: Values(scores)) { track, score in
      track.$plays += score.$points
      track.$genre = score.$note
    } where: { track, score in
      track.$id == score.$track
    }
    #expect(
      try update.sql.text == """
        UPDATE "Track" SET "plays" = "Track"."plays" + "Score"."points", "genre" = \
        "Score"."note" FROM \(Self.table) WHERE "Track"."id" = "Score"."track"
        """)
    #expect(try music.db.run(update) == 2)
    let rows = try music.db.fetch(Track.where { $0.$id.isIn([1, 4]) }.order(by: \.$id))
    #expect(rows.map(\.plays) == [105, 48] && rows.map(\.genre) == ["a", nil])
  }

  @Test("they are inserted, combined with other queries, and start a recursion")
  func others() throws {
    let insert = Album.insert(
      \.$id, \.$name,
      from: Values(scores).where { $0.$note != nil }
        .select { ($0.$track * 10, $0.$note.ifNull("")) })
    #expect(try music.db.run(insert) == 2)
    #expect(try music.db.fetch(Album.where { $0.$id > 4 }.select(\.$name)) == ["a", "c"])
    let numbers = [1, 5].map(Number.init)
    let both = Values(numbers).unionAll(Values([Number(number: 3)])).order(by: \.$number)
    #expect(try music.db.fetch(both).map(\.number) == [1, 3, 5])
    let steps = CommonTable("steps", startingWith: Values(numbers)) { steps in
      Query { (step: Columns<Number>) in
        From(steps.as(step))
        Where { step.$number < 20 }
        Select((step.$number * 3).as("number"), into: Number.self)
      }
    }
    let found = try music.db.fetch(
      Query { (step: Columns<Number>) in
        With(steps)
        From(steps.as(step))
        OrderBy(step.$number)
        Select(step.$number)
      })
    #expect(found == [1, 3, 5, 9, 15, 27, 45])
  }

  @Test("a value that cannot be stored throws when the query runs")
  func unstorable() throws {
    let rows = [
      Mixed(
        real: .nan, data: Data(), flag: nil, moment: Date(timeIntervalSince1970: 0), key: UUID(),
        price: 1, list: [])
    ]
    #expect(throws: ColumnValueError.self) { try music.db.fetch(Values(rows)) }
  }
}
