import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Arithmetic")
struct ArithmeticTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("+ - * / take a value or a column")
  func operators() throws {
    try music.expect(where: #""plays" + ? = ?"#, [2]) { $0.$plays + 1 == 21 }
    try music.expect(where: #""plays" - ? < ?"#, [3]) { $0.$plays - 1 < 0 }
    try music.expect(where: #""plays" * ? = ?"#, [4]) { $0.$plays * 2 == 100 }
    try music.expect(where: #""plays" / ? = ?"#, [2]) { $0.$plays / 19 == 1 }
    try music.expect(where: #""plays" + "id" = ?"#, [1]) { $0.$plays + $0.$id == 101 }
    try music.expect(where: #""plays" - "id" = ?"#, [5]) { $0.$plays - $0.$id == 2 }
    try music.expect(where: #""plays" * "id" = ?"#, [3]) { $0.$plays * $0.$id == 0 }
    try music.expect(where: #""plays" / "id" = ?"#, [1]) { $0.$plays / $0.$id == 100 }
    try music.expect(where: #"-"plays" = ?"#, [5]) { -$0.$plays == -7 }
    try music.expect(where: #"-(-"plays") = ?"#, [5]) { -(-$0.$plays) == 7 }
  }

  @Test("precedence is Swift's: a nested operation gets parentheses where SQL needs them")
  func precedence() throws {
    try music.expect(where: #""plays" + "id" * ? = ?"#, [5]) { $0.$plays + $0.$id * 2 == 17 }
    try music.expect(where: #"("plays" + "id") * ? = ?"#, [5]) {
      ($0.$plays + $0.$id) * 2 == 24
    }
    try music.expect(where: #""plays" - "id" - ? = ?"#, [5]) { $0.$plays - $0.$id - 1 == 1 }
    try music.expect(where: #""plays" - ("id" - ?) = ?"#, [5]) { $0.$plays - ($0.$id - 1) == 3 }
    try music.expect(where: #"-("plays" + ?) = ?"#, [3]) { -($0.$plays + 1) == -1 }
  }

  @Test("a division by zero is NULL, and no condition holds for it")
  func divisionByZero() throws {
    try music.expect(where: #""id" / "plays" < ?"#, [1, 2, 4, 5]) { $0.$id / $0.$plays < 1000 }
  }

  @Test("arithmetic works with floating-point numbers")
  func floatingPoint() throws {
    try music.expect(where: #""price" * ? = ?"#, [5]) { $0.$price * 2 == -2.5 }
    #expect(
      try music.db.fetch(Track.select { $0.$price / 2 }.order(by: \.$id))
        == [0.75, 0.25, 1.0, 0.0, -0.625])
  }

  @Test("an integer that overflows 64 bits throws and does not trap")
  func overflow() throws {
    #expect(throws: ColumnValueError.self) {
      try music.db.fetch(Track.select { $0.$plays + Int.max })
    }
    #expect(throws: DatabaseError.self) {
      try music.db.run(Track.update { $0.$plays += Int.max }.where { $0.$id == 1 })
    }
    #expect(try music.db.find(Track.self, 1)?.plays == 100)
  }

  @Test(
    "a raw fragment gets parentheses beside an operator, and its values are bound in their order")
  func fragments() throws {
    let query = Track.where {
      $0.$plays > 5 && SQLExpression<Int>(sql: "length(title) + \(1)") == 6 && $0.$id < 9
    }
    try music.expect(
      query, #" WHERE "plays" > ? AND (length(title) + ?) = ? AND "id" < ?"#, [1])
    #expect(try query.sql.values == [5, 1, 6, 9])
  }

  @Test("a value takes the stored form of its column, and two columns of two forms do not mix")
  func forms() throws {
    struct Event: Model {
      @PrimaryKey var id: Int
      @Column var begin: Date
      @Column var end: Date
      static var schema: Schema<Event> { Stored(\.$end, as: .iso8601) }
    }
    let db = try Database.inMemory(models: [Event.self])
    let date = Date(timeIntervalSince1970: 86_400)
    try db.insert(Event(id: 1, begin: date, end: date))
    #expect(try db.count(Event.where { $0.$begin == date }) == 1)
    #expect(try db.count(Event.where { $0.$end == date }) == 1)
    #expect(try db.count(Event.where { $0.$end.isIn([date]) }) == 1)
    #expect(try db.count(Event.where { $0.$end.between(date, and: date) }) == 1)
    #expect(try db.fetch(Event.select { $0.$end.max() }) == [date])
    #expect(throws: QueryError.self) { try db.fetch(Event.where { $0.$begin == $0.$end }) }
    #expect(try db.count(Event.where { $0.$end == SQLExpression(date) }) == 1)
    #expect(throws: QueryError.self) { try db.run(Event.update { $0.$end = $0.$begin }) }
    #expect(try db.run(Event.update { $0.$end = SQLExpression(date) }) == 1)
    try db.run(Event.update { $0.$end = date + 1 })
    #expect(try db.find(Event.self, 1)?.end == date + 1)
  }
}
