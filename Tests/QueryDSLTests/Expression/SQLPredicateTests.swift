import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Predicates")
struct SQLPredicateTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("&&, || and ! get parentheses only where precedence needs them")
  func connectives() throws {
    try music.expect(where: #""plays" > ? AND "isLive" = 1"#, [4]) {
      $0.$plays > 20 && $0.$isLive == true
    }
    try music.expect(where: #""plays" > ? OR "isLive" = 1"#, [1, 2, 4]) {
      $0.$plays > 20 || $0.$isLive == true
    }
    try music.expect(where: #"NOT "isLive" = 1"#, [1, 3, 5]) { !($0.$isLive == true) }
    try music.expect(where: #"("id" = ? OR "id" = ?) AND "plays" = ?"#, [1]) {
      ($0.$id == 1 || $0.$id == 2) && $0.$plays == 100
    }
    try music.expect(where: #""id" = ? OR "id" = ? AND "plays" = ?"#, [1]) {
      $0.$id == 1 || $0.$id == 2 && $0.$plays == 100
    }
    try music.expect(where: #""id" = ? AND "id" = ? AND "id" = ?"#, []) {
      $0.$id == 1 && ($0.$id == 2 && $0.$id == 3)
    }
    try music.expect(where: #"NOT ("id" = ? OR "id" = ?)"#, [3, 4, 5]) {
      !($0.$id == 1 || $0.$id == 2)
    }
    try music.expect(where: #"NOT NOT "id" = ?"#, [1]) { !(!($0.$id == 1)) }
  }

  @Test("each line of a block is a predicate, and all of them must hold")
  func lines() throws {
    try music.expect(where: #""plays" > ? AND ("id" = ? OR "id" = ?)"#, [4]) {
      $0.$plays > 5
      $0.$id == 3 || $0.$id == 4
    }
    try music.expect(Track.where { _ in }, "", [1, 2, 3, 4, 5])
    try music.expect(
      Track.where { $0.$plays > 5 }.where { $0.$plays < 50 },
      #" WHERE "plays" > ? AND "plays" < ?"#, [2, 5])
  }

  @Test("AnyOf, AllOf and NoneOf can be nested")
  func blocks() throws {
    try music.expect(where: #""plays" > ? AND ("id" = ? OR "id" = ?)"#, [4]) { track in
      track.$plays > 5
      AnyOf {
        track.$id == 3
        track.$id == 4
      }
    }
    try music.expect(where: #""id" = ? AND "plays" = ? OR "id" = ?"#, [1, 2]) { track in
      AnyOf {
        AllOf {
          track.$id == 1
          track.$plays == 100
        }
        track.$id == 2
      }
    }
    try music.expect(where: #"NOT ("id" = ? OR "id" = ?)"#, [3, 4, 5]) { track in
      NoneOf {
        track.$id == 1
        track.$id == 2
      }
    }
  }

  @Test("a block of one line becomes that line, in parentheses where precedence needs them")
  func blocksOfOne() throws {
    try music.expect(where: #"("id" = ? OR "id" = ?) AND "plays" = ?"#, [1]) { track in
      AllOf { track.$id == 1 || track.$id == 2 }
      track.$plays == 100
    }
    try music.expect(where: #""id" = ? AND "id" = ? OR "plays" = ?"#, [1]) { track in
      AnyOf { track.$id == 1 && track.$id == 2 } || track.$plays == 100
    }
    try music.expect(where: #"(id = 1 OR id = 2) AND "plays" = ?"#, [1]) { track in
      AllOf { SQLPredicate(sql: "id = 1 OR id = 2") } && track.$plays == 100
    }
    try music.expect(where: #"(id = 1 OR id = 2) AND "plays" = ?"#, [1]) { track in
      AnyOf { AllOf { AnyOf { SQLPredicate(sql: "id = 1 OR id = 2") } } }
      track.$plays == 100
    }
  }

  @Test("an empty AnyOf never holds, and an empty AllOf or NoneOf always holds")
  func empty() throws {
    try music.expect(where: "0", []) { _ in AnyOf {} }
    try music.expect(where: "1", [1, 2, 3, 4, 5]) { _ in AllOf {} }
    try music.expect(where: "NOT 0", [1, 2, 3, 4, 5]) { _ in NoneOf {} }
    try music.expect(where: #""id" = ? AND 0"#, []) {
      $0.$id == 1
      AnyOf {}
    }
    try music.expect(where: #""id" = ? OR 1"#, [1, 2, 3, 4, 5]) { $0.$id == 1 || AllOf {} }
  }

  @Test("if, if let, else, switch and for work inside a block")
  func controlFlow() throws {
    func query(genre: String?, minimum: Int, ids: [Int]) -> TableQuery<Track, Track> {
      Track.where { track in
        if let genre { track.$genre == genre }
        if minimum > 0 {
          track.$plays >= minimum
        } else {
          track.$price >= 0
        }
        switch ids.count {
        case 0: track.$id > 0
        case 1: track.$id == ids[0]
        default: track.$id < 100
        }
        AnyOf {
          for id in ids { track.$id == id }
        }
      }
    }
    try music.expect(
      query(genre: "rock", minimum: 10, ids: [1, 2]),
      #" WHERE "genre" IS ? AND "plays" >= ? AND "id" < ? AND ("id" = ? OR "id" = ?)"#, [1])
    try music.expect(
      query(genre: nil, minimum: 0, ids: [3]),
      #" WHERE "price" >= ? AND "id" = ? AND "id" = ?"#, [3])
    try music.expect(
      query(genre: nil, minimum: 0, ids: []),
      #" WHERE "price" >= ? AND "id" > ? AND 0"#, [])
  }

  @Test("a raw predicate gets parentheses beside others, and its values are bound in their places")
  func fragments() throws {
    let query = Track.where {
      $0.$plays > 5
      SQLPredicate(sql: "title LIKE \("A%") OR title LIKE \("B%")")
      $0.$id < 9
    }
    try music.expect(
      query, #" WHERE "plays" > ? AND (title LIKE ? OR title LIKE ?) AND "id" < ?"#, [1, 2])
    #expect(try query.sql.values == [5, "A%", "B%", 9])
  }
}
