import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// Each test has an expression in Swift, its SQL, and its values over the five tracks.
@Suite("Operators and functions of numbers")
struct NumberSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("arithmetic of optional numbers gives NULL for NULL")
  func optionalArithmetic() throws {
    try music.expect(#""rating" + ?"#, [6, nil, 4, 2, nil]) { $0.$rating + 1 }
    try music.expect(#""rating" - ?"#, [4, nil, 2, 0, nil]) { $0.$rating - 1 }
    try music.expect(#""rating" * ?"#, [10, nil, 6, 2, nil]) { $0.$rating * 2 }
    try music.expect(#""rating" / ?"#, [2, nil, 1, 0, nil]) { $0.$rating / 2 }
    try music.expect(#""rating" / ?"#, [nil, nil, nil, nil, nil] as [Int?]) { $0.$rating / 0 }
    try music.expect(#""rating" + "albumID""#, [6, nil, 5, nil, nil]) { $0.$rating + $0.$albumID }
    try music.expect(#"-"rating""#, [-5, nil, -3, -1, nil]) { -$0.$rating }
    try music.expect(#""plays" + "rating""#, [105, nil, 3, 51, nil]) {
      $0.$plays.optional + $0.$rating
    }
    try music.expect(where: #""rating" * ? > ?"#, [1, 3]) { $0.$rating * 2 > 5 }
  }

  @Test("an update can add to an optional number")
  func optionalUpdate() throws {
    let update = Track.update { $0.$rating += 1 }.where { $0.$rating != nil }
    #expect(
      try update.sql.text
        == #"UPDATE "Track" SET "rating" = "rating" + ? WHERE "rating" IS NOT NULL"#)
    #expect(try music.db.run(update) == 3)
    #expect(
      try music.db.fetch(Track.select(\.$rating).order(by: \.$id)) == [6, nil, 4, 2, nil])
  }

  @Test("abs, sign, round, ceil, floor and trunc are called in SQL")
  func rounding() throws {
    try music.expect(#"abs("price")"#, [1.5, 0.5, 2.0, 0.0, 1.25]) { $0.$price.abs() }
    try music.expect(#"abs("rating" - ?)"#, [1, nil, 1, 3, nil]) { ($0.$rating - 4).abs() }
    try music.expect(#"sign("price")"#, [1.0, 1.0, 1.0, 0.0, -1.0]) { $0.$price.sign() }
    try music.expect(#"round("price", ?)"#, [1.5, 0.5, 2.0, 0.0, -1.3]) { $0.$price.round(1) }
    try music.expect(#"round("plays", ?)"#, [100.0, 20.0, 0.0, 50.0, 7.0]) { $0.$plays.round() }
    try music.expect(#"round("rating", ?)"#, [5.0, nil, 3.0, 1.0, nil]) { $0.$rating.round() }
    try music.expect(#"ceil("price")"#, [2.0, 1.0, 2.0, 0.0, -1.0]) { $0.$price.ceil() }
    try music.expect(#"floor("price")"#, [1.0, 0.0, 2.0, 0.0, -2.0]) { $0.$price.floor() }
    try music.expect(#"trunc("price")"#, [1.0, 0.0, 2.0, 0.0, -1.0]) { $0.$price.trunc() }
    try music.expect(#"ceil("plays")"#, [100, 20, 0, 50, 7]) { $0.$plays.ceil() }
  }

  @Test("roots, powers and logarithms are NULL where they are not defined")
  func powers() throws {
    try music.expect(#"sqrt("plays" - ?)"#, [10.0, sqrt(20), 0, sqrt(50), sqrt(7)]) {
      ($0.$plays - 0).sqrt()
    }
    try music.expect(#"sqrt("price")"#, [sqrt(1.5), sqrt(0.5), sqrt(2.0), 0, nil]) {
      $0.$price.sqrt()
    }
    try music.expect(#"pow("plays", ?)"#, [10_000.0, 400, 0, 2_500, 49]) { $0.$plays.pow(2) }
    try music.expect(#"pow("plays", "id")"#, [100.0, 400, 0, 6_250_000, 16_807]) {
      $0.$plays.pow($0.$id)
    }
    try music.expect(#"round(log10("plays"), ?)"#, [2.0, 1.30103, nil, 1.69897, 0.845098]) {
      $0.$plays.log10().round(6)
    }
    try music.expect(#"ln("price")"#, [log(1.5), log(0.5), log(2.0), nil, nil]) { $0.$price.ln() }
    try music.expect(#"log2("price")"#, [log2(1.5), -1, 1, nil, nil]) { $0.$price.log2() }
    try music.expect(#"exp("rating" - "rating")"#, [1.0, nil, 1.0, 1.0, nil]) {
      ($0.$rating - $0.$rating).exp()
    }
  }

  @Test("trigonometric functions and conversions of angles agree with Foundation")
  func angles() throws {
    try music.expect(#"sin("price")"#, Music.tracks.map { sin($0.price) }) { $0.$price.sin() }
    try music.expect(#"cos("price")"#, Music.tracks.map { cos($0.price) }) { $0.$price.cos() }
    try music.expect(#"tan("price")"#, Music.tracks.map { tan($0.price) }) { $0.$price.tan() }
    try music.expect(#"atan("price")"#, Music.tracks.map { atan($0.price) }) { $0.$price.atan() }
    try music.expect(#"atan2("price", "price")"#, [0.25, 0.25, 0.25, 0, -0.75].map { $0 * .pi }) {
      $0.$price.atan2($0.$price)
    }
    try music.expect(#"asin("price")"#, [nil, asin(0.5), nil, 0, nil]) { $0.$price.asin() }
    try music.expect(#"acos("price")"#, [nil, acos(0.5), nil, acos(0.0), nil]) { $0.$price.acos() }
    try music.expect(#"radians("price" * ?)"#, [1.5, 0.5, 2.0, 0.0, -1.25].map { $0 * .pi }) {
      ($0.$price * 180).radians()
    }
    try music.expect(#"degrees(atan("price"))"#, Music.tracks.map { atan($0.price) * 180 / .pi }) {
      $0.$price.atan().degrees()
    }
  }

  @Test("remainders and bitwise operators are computed in SQL")
  func bits() throws {
    try music.expect(#""plays" % ?"#, [1, 2, 0, 5, 7]) { $0.$plays.remainder(9) }
    try music.expect(#""plays" % "id""#, [0, 0, 0, 2, 2]) { $0.$plays.remainder($0.$id) }
    try music.expect(#""rating" % ?"#, [1, nil, 1, 1, nil]) { $0.$rating.remainder(2) }
    try music.expect(#""plays" & ?"#, [4, 4, 0, 2, 7]) { $0.$plays.bitAnd(7) }
    try music.expect(#""plays" & "id""#, [0, 0, 0, 0, 5]) { $0.$plays.bitAnd($0.$id) }
    try music.expect(#""plays" | ?"#, [101, 21, 1, 51, 7]) { $0.$plays.bitOr(1) }
    try music.expect(#""plays" | "id""#, [101, 22, 3, 54, 7]) { $0.$plays.bitOr($0.$id) }
    try music.expect(#"~"plays""#, [-101, -21, -1, -51, -8]) { $0.$plays.bitNot() }
    try music.expect(#""plays" << ?"#, [200, 40, 0, 100, 14]) { $0.$plays.shiftedLeft(by: 1) }
    try music.expect(#""plays" >> ?"#, [50, 10, 0, 25, 3]) { $0.$plays.shiftedRight(by: 1) }
    try music.expect(#"~("plays" + ?)"#, [-102, -22, -2, -52, -9]) { ($0.$plays + 1).bitNot() }
  }

  @Test("random numbers are between 0 and 1 and differ from row to row")
  func random() throws {
    let query = Track.select { _ in SQLExpression<Double>.random() }
    let values = try music.db.fetch(query)
    #expect(values.allSatisfy { (0...1).contains($0) })
    #expect(Set(values).count == 5)
  }
}
