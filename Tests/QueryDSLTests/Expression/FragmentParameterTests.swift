import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// Without the check, later values of the query would be bound to the parameter without a value.
@Suite("Raw SQL in a query whose parameters have no values")
struct FragmentParameterTests {
  let music: Music

  init() throws { music = try Music() }

  private static let withoutValue = SQLPredicate(sql: SQL(unsafe: "plays > ?"))

  @Test("a query throws, also when it is prepared")
  func query() throws {
    let query = Track.where {
      Self.withoutValue
      $0.$id < 4
    }
    for _ in 1...2 {
      #expect(throws: DatabaseError.self) { try music.db.fetch(query) }
    }
    #expect(throws: DatabaseError.self) {
      try music.db.prepare { (id: SQLParameter<Int>) in
        Track.where { Self.withoutValue && $0.$id < id }
      }
    }
  }

  @Test("so does a deletion, and nothing is deleted")
  func deletion() throws {
    let command = Track.delete().where { $0.$plays > 10 || Self.withoutValue }
    #expect(throws: DatabaseError.self) { try music.db.run(command) }
    let count = try music.db.count(Track.all)
    #expect(count == 5)
  }

  @Test("a numbered parameter, and a value without a parameter, are refused")
  func numbered() throws {
    for sql in [
      SQL(unsafe: "plays > ?1", values: [5]), SQL(unsafe: "plays > 5", values: [5]),
      SQL(unsafe: "plays > :least", values: [5]),
    ] {
      let query = Track.where { $0.$id < 4 && SQLPredicate(sql: sql) }
      #expect(throws: DatabaseError.self) { try music.db.fetch(query) }
    }
  }

  @Test("a question mark in a text is no parameter")
  func text() throws {
    let name = "title"
    let query = Track.where {
      SQLPredicate(sql: "\(unsafe: name) <> 'why? \(unsafe: name)?' AND \($0.$plays) >= \(50)")
    }
    let found = try music.db.fetch(query.order(by: \.$id))
    #expect(found.map(\.id) == [1, 4])
  }
}
