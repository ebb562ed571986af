import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// Each test has an expression in Swift, its SQL, and its values over the five tracks.
@Suite("Arithmetic of two kinds of number, and values on the left")
struct MixedNumberSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("an integer and a real number give a real number, in either order")
  func mixed() throws {
    try music.expect(#""plays" + "price""#, [101.5, 20.5, 2, 50, 5.75]) { $0.$plays + $0.$price }
    try music.expect(#""price" + "plays""#, [101.5, 20.5, 2, 50, 5.75]) { $0.$price + $0.$plays }
    try music.expect(#""plays" - "price""#, [98.5, 19.5, -2, 50, 8.25]) { $0.$plays - $0.$price }
    try music.expect(#""price" - "plays""#, [-98.5, -19.5, 2, -50, -8.25]) {
      $0.$price - $0.$plays
    }
    try music.expect(#""plays" * "price""#, [150.0, 10, 0, 0, -8.75]) { $0.$plays * $0.$price }
    try music.expect(#""price" * "plays""#, [150.0, 10, 0, 0, -8.75]) { $0.$price * $0.$plays }
    try music.expect(#""price" / "id""#, [1.5, 0.25, 2.0 / 3, 0, -0.25]) { $0.$price / $0.$id }
    let quotients: [Double] = [1 / 11.5, 2 / 10.5, 0.25, 0.4, 5 / 8.75]
    try music.expect(#""id" / ("price" + ?)"#, quotients) {
      $0.$id / ($0.$price + 10)
    }
    try music.expect(where: #""plays" * "price" > ?"#, [1, 2]) { $0.$plays * $0.$price > 2.5 }
  }

  @Test("integers are divided as integers, also beside a real number")
  func integerDivision() throws {
    try music.expect(#""plays" / ?"#, [33, 6, 0, 16, 2]) { $0.$plays / 3 }
    try music.expect(#""plays" / ? + "price""#, [34.5, 6.5, 2, 16, 0.75]) {
      $0.$plays / 3 + $0.$price
    }
  }

  @Test("an expression may have integers and real numbers in any place")
  func longer() throws {
    try music.expect(
      #""plays" * ? + "price" * ? - ?"#, [203.5, 40.5, 5, 99, 9.25]
    ) { $0.$plays * 2 + $0.$price * 3 - 1 }
  }

  @Test("optional numbers of two kinds give NULL if either is NULL")
  func optionals() throws {
    try music.expect(#""rating" * "price""#, [7.5, nil, 6, 0, nil]) {
      $0.$rating * $0.$price.optional
    }
    try music.expect(#""price" - "rating""#, [-3.5, nil, -1, -1, nil]) {
      $0.$price.optional - $0.$rating
    }
    try music.expect(#""price" / "plays""#, [0.015, 0.025, nil, 0, -1.25 / 7]) {
      $0.$price.optional / $0.$plays.optional
    }
  }

  @Test("a value may be on the left of + - * /")
  func valueFirst() throws {
    try music.expect(#"? + "plays""#, [101, 21, 1, 51, 8]) { 1 + $0.$plays }
    try music.expect(#"? - "plays""#, [-90, -10, 10, -40, 3]) { 10 - $0.$plays }
    try music.expect(#"? * "rating""#, [10, nil, 6, 2, nil]) { 2 * $0.$rating }
    try music.expect(#"? / "id""#, [100, 50, 33, 25, 20]) { 100 / $0.$id }
    try music.expect(#"? - "price""#, [0.0, 1, -0.5, 1.5, 2.75]) { 1.5 - $0.$price }
    try music.expect(#"? - (? - "plays")"#, [91, 11, -9, 41, -2]) { 1 - (10 - $0.$plays) }
    let limit = 30
    try music.expect(#"? - "plays" * ?"#, [-170, -10, 30, -70, 16]) { limit - $0.$plays * 2 }
  }

  @Test("a value may be on the left of a comparison, which is written with the column first")
  func comparedValueFirst() throws {
    try music.expect(where: #""plays" > ?"#, [1, 4]) { 20 < $0.$plays }
    try music.expect(where: #""plays" < ?"#, [3, 5]) { 20 > $0.$plays }
    try music.expect(where: #""plays" >= ?"#, [1, 2, 4]) { 20 <= $0.$plays }
    try music.expect(where: #""plays" <= ?"#, [2, 3, 5]) { 20 >= $0.$plays }
    try music.expect(where: #""plays" = ?"#, [2]) { 20 == $0.$plays }
    try music.expect(where: #""plays" <> ?"#, [1, 3, 4, 5]) { 20 != $0.$plays }
    try music.expect(where: #""rating" IS ?"#, [3]) { 3 == $0.$rating }
    try music.expect(where: #""title" = ?"#, []) { "no such title" == $0.$title }
  }
}
