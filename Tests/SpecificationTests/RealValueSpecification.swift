import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// Each test has an expression in Swift, its SQL, and its values over the five tracks.
@Suite("Integers beside values of Double")
struct RealValueSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("an integer column beside a real value gives a real number, on either side")
  func values() throws {
    try music.expect(#""plays" + ?"#, [100.5, 20.5, 0.5, 50.5, 7.5]) { $0.$plays + 0.5 }
    try music.expect(#"? + "plays""#, [100.5, 20.5, 0.5, 50.5, 7.5]) { 0.5 + $0.$plays }
    try music.expect(#""plays" - ?"#, [99.5, 19.5, -0.5, 49.5, 6.5]) { $0.$plays - 0.5 }
    try music.expect(#"? - "plays""#, [-99.5, -19.5, 0.5, -49.5, -6.5]) { 0.5 - $0.$plays }
    try music.expect(#""plays" * ?"#, [150.0, 30, 0, 75, 10.5]) { $0.$plays * 1.5 }
    try music.expect(#"? * "plays""#, [150.0, 30, 0, 75, 10.5]) { 1.5 * $0.$plays }
    try music.expect(#""plays" / ?"#, [40.0, 8, 0, 20, 2.8]) { $0.$plays / 2.5 }
    try music.expect(#"? / "id""#, [2.5, 1.25, 2.5 / 3, 0.625, 0.5]) { 2.5 / $0.$id }
    let factor = 1.5
    try music.expect(#""plays" * ?"#, [150.0, 30, 0, 75, 10.5]) { $0.$plays * factor }
  }

  @Test("an optional integer beside a real value gives an optional real number")
  func optionals() throws {
    try music.expect(#""rating" * ?"#, [7.5, nil, 4.5, 1.5, nil]) { $0.$rating * 1.5 }
    try music.expect(#"? + "rating""#, [5.5, nil, 3.5, 1.5, nil]) { 0.5 + $0.$rating }
    try music.expect(#""rating" - ?"#, [4.5, nil, 2.5, 0.5, nil]) { $0.$rating - 0.5 }
    try music.expect(#""rating" / ?"#, [2.0, nil, 1.2, 0.4, nil]) { $0.$rating / 2.5 }
  }

  @Test("a literal without a point stays an integer")
  func literals() throws {
    try music.expect(#""plays" / ? + ?"#, [33.5, 6.5, 0.5, 16.5, 2.5]) { $0.$plays / 3 + 0.5 }
    try music.expect(#""plays" / ?"#, [33, 6, 0, 16, 2]) { $0.$plays / 3 }
    try music.expect(where: #""plays" * ? + "id" > ?"#, [1, 4]) { $0.$plays * 2.0 + $0.$id > 42.5 }
  }

  @Test("an update sets a real column to integers, calculated as real numbers")
  func update() throws {
    try music.db.run(Track.update { $0.$price = $0.$plays * 2 + $0.$id * 0.5 })
    #expect(
      try music.db.fetch(Track.select(\.$price).order(by: \.$id)) == [200.5, 41, 1.5, 102, 16.5])
  }

  @Test("an optional column is set to numbers that are never NULL")
  func optionalColumns() throws {
    try music.db.run(Track.update { $0.$rating = $0.$plays * 2 - $0.$id }.where { $0.$id < 3 })
    #expect(
      try music.db.fetch(Track.select(\.$rating).where { $0.$id < 3 }.order(by: \.$id)) == [
        199, 38,
      ])
    try music.db.run(Track.update { $0.$rating = 100 / $0.$id }.where { $0.$id == 1 })
    #expect(try music.db.first(Track.select(\.$rating).where { $0.$id == 1 }) == 100)
    let track = Columns<Track>()
    let sums: [(SQLExpression<Double?>, String)] = [
      (track.$plays * 1.5, #""plays" * ?"#), (0.5 - track.$plays, #"? - "plays""#),
      (track.$plays + track.$price, #""plays" + "price""#),
      (track.$price / track.$plays, #""price" / "plays""#),
      (2 * track.$price, #"? * "price""#),
    ]
    for (sum, text) in sums {
      let sql = try Query {
        From(track)
        Select(sum)
      }.sql.text
      #expect(sql == #"SELECT \#(text) FROM "Track""#)
    }
  }

  @Test("a mistake that compiles in code of its actor throws when the query is rendered")
  func mistakes() async {
    await #expect(throws: QueryError.self) { try await Mistakes.text() }
    await #expect(throws: QueryError.self) { try await Mistakes.condition() }
    await #expect(throws: QueryError.self) { try await Mistakes.null() }
    await #expect(throws: QueryError.self) { try await Mistakes.assignment() }
  }
}

/// Queries that compile because they are in code of the actor that rejects them elsewhere.
private enum Mistakes {
  @OperandIsNotANumber
  static func text() throws -> String {
    let track = Columns<Track>()
    let sum = track.$plays + track.$title
    return try Track.select { _ in sum }.sql.text
  }

  @TypesOfComparisonDiffer
  static func condition() throws -> String {
    let track = Columns<Track>()
    let condition = track.$plays > "5"
    return try Track.where { _ in condition }.sql.text
  }

  @ResultHasAnotherType
  static func assignment() throws -> String {
    try Track.update {
      $0.$price = $0.$plays / 2
      $0.$plays += 2.5
    }.sql.text
  }

  @OneOperandMayBeNull
  static func null() throws -> String {
    let track = Columns<Track>()
    let sum = track.$plays + track.$rating
    return try Track.select { _ in sum }.sql.text
  }
}
