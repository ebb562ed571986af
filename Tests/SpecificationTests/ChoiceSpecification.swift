import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Moment: Model {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var micro: Date
  @Column var iso: Date
  @Column var key: UUID
  @Column var raw: UUID?

  static var schema: Schema<Moment> {
    Stored(\.$iso, as: .datetime)
    Stored(\.$raw, as: .bytes)
  }
}

@Suite("NULL handling, choices and conversions")
struct ChoiceSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("ifnull, coalesce and nullif take values and columns")
  func null() throws {
    try music.expect(#"ifnull("rating", ?)"#, [5, 0, 3, 1, 0]) { $0.$rating.ifNull(0) }
    try music.expect(#"ifnull("rating", "plays")"#, [5, 20, 3, 1, 7]) {
      $0.$rating.ifNull($0.$plays)
    }
    try music.expect(#"coalesce("rating", "albumID")"#, [5, 1, 3, 1, 3]) {
      $0.$rating.coalesce($0.$albumID)
    }
    try music.expect(#"ifnull(coalesce("albumID", "rating"), ?)"#, [1, 1, 2, 1, 3]) {
      $0.$albumID.coalesce($0.$rating).ifNull(-1)
    }
    try music.expect(#"nullif("plays", ?)"#, [100, 20, nil, 50, 7]) { $0.$plays.nullIf(0) }
    try music.expect(#"nullif("genre", ?)"#, [nil, "jazz", nil, nil, nil]) {
      $0.$genre.nullIf("rock")
    }
    try music.expect(#"nullif("albumID", "rating")"#, [1, 1, 2, nil, 3]) {
      $0.$albumID.nullIf($0.$rating)
    }
    try music.expect(#"nullif("plays", "id")"#, [100, 20, 0, 50, 7]) { $0.$plays.nullIf($0.$id) }
  }

  @Test("min and max compare several values of one row")
  func extremes() throws {
    try music.expect(#"min("plays", "id")"#, [1, 2, 0, 4, 5]) { $0.$plays.min(with: $0.$id) }
    try music.expect(#"max("plays", "id", "id" * ?)"#, [100, 40, 60, 80, 100]) {
      $0.$plays.max(with: $0.$id, $0.$id * 20)
    }
    try music.expect(#"max("plays", ?)"#, [100, 20, 10, 50, 10]) { $0.$plays.max(with: 10) }
    try music.expect(#"min("rating", ?)"#, [2, nil, 2, 1, nil]) { $0.$rating.min(with: 2) }
    try music.expect(#"min("rating", "albumID")"#, [1, nil, 2, nil, nil]) {
      $0.$rating.min(with: $0.$albumID)
    }
  }

  @Test("iif returns one of two values depending on a condition")
  func iff() throws {
    try music.expect(#"iif("plays" > ?, ?, ?)"#, ["hit", "miss", "miss", "hit", "miss"]) {
      iif($0.$plays > 20, "hit", "miss")
    }
    try music.expect(#"iif("rating" > ?, "plays", "id")"#, [100, 2, 0, 4, 5]) {
      iif($0.$rating > 2, $0.$plays, $0.$id)
    }
  }

  @Test("CASE takes conditions, with and without ELSE")
  func searchedCase() throws {
    try music.expect(
      #"CASE WHEN "plays" > ? THEN ? WHEN "plays" > ? THEN ? ELSE ? END"#,
      ["hot", "warm", "cold", "warm", "cold"]
    ) { Case(when: $0.$plays > 50, then: "hot").when($0.$plays > 10, then: "warm").else("cold") }
    try music.expect(
      #"CASE WHEN "isLive" = 1 THEN "plays" WHEN "rating" IS NULL THEN "id" END"#,
      [nil, 20, nil, 50, 5]
    ) {
      Case(when: $0.$isLive == true, then: $0.$plays).when($0.$rating == nil, then: $0.$id).orNull
    }
    try music.expect(#"CASE WHEN "plays" > ? THEN ? ELSE "id" END + ?"#, [2, 3, 4, 5, 6]) {
      Case(when: $0.$plays > 1_000, then: 0).else($0.$id) + 1
    }
  }

  @Test("CASE compares a value, and NULL takes the ELSE")
  func simpleCase() throws {
    try music.expect(#"CASE "genre" WHEN ? THEN ? WHEN ? THEN ? ELSE ? END"#, [1, 2, 0, 1, 0]) {
      $0.$genre.case("rock", then: 1).when("jazz", then: 2).else(0)
    }
    try music.expect(#"CASE "id" + ? WHEN ? THEN "title" END"#, [nil, "Beta", nil, nil, nil]) {
      ($0.$id + 1).case(3, then: $0.$title).orNull
    }
  }

  @Test("CAST converts to each storage class, and NULL stays NULL")
  func cast() throws {
    try music.expect(#"CAST("price" AS INTEGER)"#, [1, 0, 2, 0, -1]) {
      $0.$price.cast(to: Int.self)
    }
    try music.expect(#"CAST("plays" AS REAL)"#, [100.0, 20, 0, 50, 7]) {
      $0.$plays.cast(to: Double.self)
    }
    try music.expect(#"CAST("rating" AS TEXT)"#, ["5", nil, "3", "1", nil]) {
      $0.$rating.cast(to: String.self)
    }
    try music.expect(
      #"CAST("title" AS BLOB)"#, Music.tracks.map { Array($0.title.utf8) }
    ) { $0.$title.cast(to: [UInt8].self) }
    try music.expect(#"CAST("title" AS INTEGER)"#, [0, 0, 0, 0, 0]) { $0.$title.cast(to: Int.self) }
    try music.expect(#"typeof("rating")"#, ["integer", "null", "integer", "integer", "null"]) {
      $0.$rating.typeof()
    }
  }

  @Test("a cast to a date or a UUID keeps it, or is refused")
  func castOfDates() throws {
    let db = try Specification.database(models: [Moment.self])
    let key = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let date = Date(timeIntervalSince1970: 1_588_748_889)
    try db.insert(
      Moment(id: 1, text: key.uuidString, micro: date, iso: date, key: key, raw: key))
    #expect(try db.fetch(Moment.select { $0.$micro.cast(to: Date.self) }) == [date])
    #expect(try db.fetch(Moment.select { $0.$iso.cast(to: Date.self) }) == [date])
    #expect(try db.fetch(Moment.select { $0.$raw.cast(to: UUID.self) }) == [key])
    #expect(try db.count(Moment.where { $0.$iso.cast(to: Date.self) == date }) == 1)
    #expect(try db.count(Moment.where { $0.$text.cast(to: UUID.self) == key }) == 1)
    #expect(
      try Moment.select { $0.$text.cast(to: UUID.self) }.sql.text
        == #"SELECT lower("text") FROM "Moment""#)
    #expect(
      try db.fetch(Moment.select { $0.$micro.cast(to: Int.self) }) == [1_588_748_889_000_000])
    #expect(
      try db.fetch(Moment.select { $0.$iso.cast(to: String.self) }) == ["2020-05-06 07:08:09.000"])
    #expect(
      try db.fetch(Moment.select { $0.$key.cast(to: String.self) })
        == [key.uuidString.lowercased()])
    func refused<Value: ColumnValue>(
      _ cast: (Columns<Moment>) -> SQLExpression<Value>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(throws: QueryError.self, sourceLocation: sourceLocation) {
        try Moment.select(cast).sql
      }
    }
    refused { $0.$text.cast(to: Date.self) }
    refused { $0.$id.cast(to: Date.self) }
    refused { $0.$iso.cast(to: Int.self) }
    refused { $0.$iso.cast(to: Decimal.self) }
    refused { $0.$micro.cast(to: String.self) }
    refused { $0.$id.cast(to: UUID.self) }
    refused { $0.$key.cast(to: Int.self) }
    refused { $0.$raw.cast(to: String.self) }
  }

  @Test("a condition can be selected as true, false or NULL")
  func condition() throws {
    try music.expect(#""rating" > ?"#, [true, nil, true, false, nil]) {
      SQLExpression($0.$rating > 2)
    }
  }

  @Test("expressions of different stored forms cannot be combined")
  func forms() throws {
    let error = #expect(throws: QueryError.self) {
      try Tour.select { $0.$announced.ifNull($0.$begin) }.sql
    }
    #expect(error?.message.contains(".iso8601 and .standard") == true)
    #expect(throws: QueryError.self) {
      try Tour.select { Case(when: $0.$id > 1, then: $0.$begin).else($0.$end) }.sql
    }
    #expect(throws: QueryError.self) {
      try Tour.select { iif($0.$id > 1, $0.$begin, $0.$end) }.sql
    }
    #expect(throws: QueryError.self) { try Tour.select { $0.$begin.max(with: $0.$end) }.sql }
    #expect(throws: QueryError.self) { try Tour.select { $0.$begin.nullIf($0.$end) }.sql }
    #expect(throws: QueryError.self) {
      try Tour.where { $0.$begin.between($0.$begin, and: $0.$end) }.sql
    }
  }
}
