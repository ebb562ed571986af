import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

/// Trees of 100,000 terms are built, copied, rendered and destroyed on a stack as small as that of
/// the threads of Swift's pool on Apple's platforms.
@Suite("Deep and long expression trees")
struct DeepTreeTests {
  private static let terms = 100_000
  /// The stack of a thread of that pool.
  private static let stackSize = 512 * 1_024

  private static func onStack<Result: Sendable>(
    of size: Int = stackSize, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
      thread.stackSize = size
      thread.start()
    }
  }

  /// Builds a predicate of `count` terms, each made from the one before.
  private static func grow(
    _ columns: Columns<Track>, to count: Int = terms,
    _ step: (SQLPredicate, Int) -> SQLPredicate
  ) -> SQLPredicate {
    (1..<count).reduce(columns.$id == 0) { step($0, $1) }
  }

  /// Returns the text of the query, or nil if it throws the `QueryError` for a tree that is too
  /// deep or too long.
  private static func text(_ query: TableQuery<Track, Track>) throws -> String? {
    let copy = query
    do {
      return try copy.sql.text
    } catch let error as QueryError {
      let isExpected =
        error.message.contains("levels deep") || error.message.contains("exceeds SQLite's limit")
      #expect(isExpected, "\(error)")
      return nil
    }
  }

  private enum Long: CaseIterable {
    case or, and, orFromTheRight, andFromTheRight, anyOf, allOf

    func grow(_ track: Columns<Track>, _ predicate: SQLPredicate, _ number: Int) -> SQLPredicate {
      let next: SQLPredicate = track.$id == number
      switch self {
      case .or: return predicate || next
      case .and: return predicate && next
      case .orFromTheRight: return next || predicate
      case .andFromTheRight: return next && predicate
      case .anyOf:
        return AnyOf {
          predicate
          next
        }
      case .allOf:
        return AllOf {
          next
          predicate
        }
      }
    }
  }

  @Test("a chain of 100,000 conditions is rendered, however it was built")
  func long() async throws {
    for name in Long.allCases {
      let text = try await Self.onStack {
        try Self.text(Track.where { track in Self.grow(track) { name.grow(track, $0, $1) } })
      }
      let count = text.map { $0.utf8.count { $0 == UInt8(ascii: "?") } }
      #expect(count == Self.terms, "\(name)")
    }
  }

  @Test("thousands of conditions run, beyond the depth that SQLite allows for an expression")
  func running() async throws {
    let db = try Music().db
    for count in [94, 95, 96, 500, 501, 999, 1_001, 5_000, 12_000] {
      let (any, all, several) = try await Self.onStack {
        (
          try db.count(
            Track.where { track in Self.grow(track, to: count) { $0 || track.$id == $1 } }),
          try db.count(
            Track.where { track in
              (1..<count).reduce(track.$id > 0) { $0 && track.$id != -$1 }
            }),
          try db.count(
            Track.where { track in
              AnyOf { for id in 3..<count { track.$id == id } }
              for id in 6..<count { track.$id != id }
            })
        )
      }
      #expect(any == 5)
      #expect(all == 5)
      #expect(several == 3)
    }
  }

  private enum Deep: CaseIterable {
    case not, andInOr, allOfInAnyOf, fragment, iif, cases, exists, isIn, subquery

    func grow(_ track: Columns<Track>, _ predicate: SQLPredicate, _ number: Int) -> SQLPredicate {
      let next: SQLPredicate = track.$id == number
      switch self {
      case .not: return !predicate
      case .andInOr: return number.isMultiple(of: 2) ? predicate || next : predicate && next
      case .allOfInAnyOf:
        let all = AllOf {
          predicate
          next
        }
        return AnyOf {
          all
          next
        }
      case .fragment: return SQLPredicate(sql: "\(predicate) AND \(next)")
      case .iif:
        let one = SQLExpression(1)
        return QueryDSL.iif(predicate, one, track.$id) == number
      case .cases:
        let choice: SQLExpression<Int> = Case(when: predicate, then: 1).else(track.$id)
        return choice == number
      case .exists: return Track.where { _ in predicate }.exists()
      case .isIn: return track.$id.isIn(Track.where { _ in predicate }.select(\.$id))
      case .subquery:
        let id: SQLExpression<Int?> = Track.where { _ in predicate }.select(\.$id).subquery()
        return id == number
      }
    }
  }

  @Test("expressions that are nested 100,000 levels deep throw a QueryError")
  func deep() async throws {
    for name in Deep.allCases {
      let text = try await Self.onStack {
        try Self.text(Track.where { track in Self.grow(track) { name.grow(track, $0, $1) } })
      }
      #expect(text == nil, "\(name)")
    }
  }

  @Test("expressions of the greatest allowed depth are built, rendered and destroyed")
  func deepest() async throws {
    for name in Deep.allCases {
      // The greatest depth without an error. A step may add one level or several.
      let depth = try await Self.onStack {
        var depth = 1
        while let text = try Self.text(
          Track.where { track in Self.grow(track, to: depth + 1) { name.grow(track, $0, $1) } })
        {
          depth += text.isEmpty ? 0 : 1
        }
        return depth
      }
      #expect(depth >= 5, "\(name): \(depth)")
      #expect(depth <= 51, "\(name): \(depth)")
    }
  }

  private enum Arithmetic: CaseIterable {
    case plus, plusFromTheRight, minus, minusFromTheRight, times, over, sign, plusAndTimes
    case function, bits, cast, greatest

    func grow(
      _ track: Columns<Track>, _ expression: SQLExpression<Int>, _ number: Int
    ) -> SQLExpression<Int> {
      switch self {
      case .plus: return expression + number
      case .plusFromTheRight: return SQLExpression(number) + expression
      case .minus: return expression - track.$id
      case .minusFromTheRight: return track.$id - expression
      case .times: return expression * 1
      case .over: return expression / 1
      case .sign: return -expression
      case .plusAndTimes:
        let sum = expression + 1
        return sum * track.$id
      case .function: return expression.abs()
      case .bits: return expression.bitNot()
      case .cast: return expression.cast(to: Int.self)
      case .greatest: return expression.max(with: track.$id)
      }
    }
  }

  @Test("an expression of 100,000 arithmetic operators throws a QueryError, however it was built")
  func arithmetic() async throws {
    for name in Arithmetic.allCases {
      let text = try await Self.onStack {
        try Self.text(
          Track.where { track in
            (1..<Self.terms).reduce(track.$plays) { name.grow(track, $0, $1) } == 0
          })
      }
      #expect(text == nil, "\(name)")
    }
  }

  @Test("the longest sum that SQLite accepts is exact, and evaluated from left to right")
  func sums() async throws {
    let db = try Music().db
    // SQLite walks along a sum by recursion. One that was compiled without optimization (that of
    // PyPI's pyproj) needs more than a megabyte for it.
    let values = try await Self.onStack(of: 16 * Self.stackSize) {
      let plain = Track.where { $0.$id == 1 }
      return (
        try db.first(plain.select { track in (1..<950).reduce(track.$id) { $0 + $1 } }),
        try db.first(plain.select { track in (1..<950).reduce(track.$id) { $0 - $1 } })
      )
    }
    #expect(values.0 == (1..<950).reduce(1, +))
    #expect(values.1 == (1..<950).reduce(1, -))
  }

  @Test("a text of 100,000 parts is rendered, and a text of thousands of parts runs")
  func texts() async throws {
    let db = try Music().db
    for fromRight in [false, true] {
      @Sendable func text(_ count: Int, _ track: Columns<Track>) -> SQLExpression<String> {
        (0..<count).reduce(track.$title) { text, number in
          let part = SQLExpression<String>("\(number % 10)")
          return fromRight ? part.concat(text) : text.concat(part)
        }
      }
      let long = try await Self.onStack {
        try Self.text(Track.where { text(Self.terms, $0) == "" })
      }
      #expect(long != nil)
      let short = try await Self.onStack {
        try db.first(Track.where { $0.$id == 1 }.select { text(3_000, $0) })
      }
      let digits = (0..<3_000).map { "\($0 % 10)" }
      #expect(
        short == (fromRight ? digits.reversed().joined() + "Alpha" : "Alpha" + digits.joined()))
    }
  }

  @Test("subqueries, unions, joins and orders that are too deep throw a QueryError")
  func queries() async throws {
    try await Self.onStack {
      var union = Track.where { $0.$id == 1 }.union(Track.where { $0.$id == 2 })
      for _ in 1..<10_000 { union = union.union(Track.where { $0.$id == 3 }) }
      #expect(throws: QueryError.self) { try union.sql }
      union = Track.where { $0.$id == 1 }.union(Track.where { $0.$id == 2 })
      for _ in 1..<10_000 { union = Track.where { $0.$id == 3 }.union(union) }
      #expect(throws: QueryError.self) { try union.sql }
      var nested = Query { (track: Columns<Track>) in
        From(track)
        Select(track)
      }
      for _ in 1..<10_000 {
        let inner = nested
        nested = Query { (track: Columns<Track>) in
          From(inner.as(track))
          Select(track)
        }
      }
      #expect(throws: QueryError.self) { try nested.sql }
      let join = Query { (track: Columns<Track>, album: Columns<Album>) in
        From(track)
        Join(album, on: Self.grow(track) { predicate, _ in !predicate })
        Select(track)
      }
      #expect(throws: QueryError.self) { try join.sql }
      let order = Track.all.order { track in (1..<Self.terms).reduce(track.$id) { id, _ in -id } }
      #expect(throws: QueryError.self) { try order.sql }
      let update = Track.update { row in
        row.$plays = (1..<Self.terms).reduce(row.$plays) { plays, _ in plays.abs() }
      }
      #expect(throws: QueryError.self) { try update.sql }
    }
  }

  @Test("a UNION of 500 queries runs, and a UNION of 501 throws")
  func unions() throws {
    let db = try Music().db
    var union = Track.where { $0.$id == 1 }.unionAll(Track.where { $0.$id == 2 })
    for _ in 2..<500 { union = union.unionAll(Track.where { $0.$id == 3 }) }
    #expect(try db.count(union) == 500)
    union = union.unionAll(Track.where { $0.$id == 3 })
    #expect(throws: QueryError.self) { try db.count(union) }
  }
}
