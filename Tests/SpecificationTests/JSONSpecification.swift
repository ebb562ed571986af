import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

extension JSONPath where Root == Tour.Place, Value == String {
  fileprivate static var city: JSONPath { JSONPath("address", "city") }
}

extension JSONPath where Root == [String], Value == String {
  fileprivate static func line(_ number: Int) -> JSONPath { JSONPath(.index(number)) }
}

@Suite("Paths into JSON")
struct JSONSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Tour.self])
    let date = Date(timeIntervalSince1970: 0)
    try db.insert([
      Tour(
        id: 1, date,
        place: Tour.Place(
          name: "Hall", address: .init(city: "Bonn", number: 7), seats: [10, 20], isOpen: true),
        note: ["a", "b"]),
      Tour(
        id: 2, date, place: Tour.Place(name: "a\"b", address: nil, seats: [], isOpen: false)),
    ])
  }

  private func values<Value: ColumnValue>(
    _ sql: String, _ expression: (Columns<Tour>) -> SQLExpression<Value>
  ) throws -> [Value] {
    let query = Tour.select(expression).order(by: \.$id)
    #expect(try query.sql.text == #"SELECT \#(sql) FROM "Tour" ORDER BY "id""#)
    return try db.fetch(query)
  }

  @Test("a path of keys and indexes reads a value, or NULL where nothing is")
  func value() throws {
    let extract = #"json_extract("place", ?)"#
    let text = #"apus_json_value("place" -> ?, 'String')"#
    #expect(
      try values(text) { $0.$place.value(at: "name", as: String.self) } == ["Hall", "a\"b"])
    let city: [String?] = try values(text) { $0.$place.value(at: "address", "city") }
    #expect(city == ["Bonn", nil])
    #expect(
      try values(extract) { $0.$place.value(at: "address", "number", as: Int.self) } == [7, nil])
    #expect(try values(extract) { $0.$place.value(at: "seats", 1, as: Int.self) } == [20, nil])
    #expect(try values(extract) { $0.$place.value(at: "seats", -1, as: Int.self) } == [20, nil])
    #expect(try values(extract) { $0.$place.value(at: "isOpen", as: Bool.self) } == [true, false])
    #expect(
      try values(#"apus_json_value("note" -> ?, 'String')"#) {
        $0.$note.value(at: 0, as: String.self)
      }
        == ["a", nil])
    let query = Tour.where { $0.$place.value(at: "address", "city") == "Bonn" }
    #expect(try query.sql.text.hasSuffix("WHERE \(text) IS ?"))
    #expect(try query.sql.values == [#"$."address"."city""#, "Bonn"])
    #expect(try db.fetch(query).map(\.id) == [1])
  }

  @Test("a path can be declared once for the JSON of a type")
  func declared() throws {
    #expect(
      try values(#"apus_json_value("place" -> ?, 'String')"#) { $0.$place.value(at: .city) }
        == ["Bonn", nil])
    #expect(
      try values(#"apus_json_value("note" -> ?, 'String')"#) { $0.$note.value(at: .line(1)) }
        == ["b", nil])
    let query = Tour.where { $0.$place.value(at: .city) == "Bonn" }
    #expect(try query.sql.values == [#"$."address"."city""#, "Bonn"])
    #expect(try db.fetch(query).map(\.id) == [1])
    let hostile = JSONPath<Tour.Place, String>(.key("a\"b"))
    #expect(throws: QueryError.self) { try db.fetch(Tour.select { $0.$place.value(at: hostile) }) }
  }

  @Test("a part of the JSON can be read as JSON of its own type")
  func part() throws {
    let addresses = try values(#""place" -> ?"#) {
      $0.$place.json(at: "address", as: Tour.Place.Address.self)
    }
    #expect(addresses.map(\.?.value.city) == ["Bonn", nil])
    let seats = try values(#""place" -> ?"#) { $0.$place.json(at: "seats", as: [Int].self) }
    #expect(seats.map(\.?.value) == [[10, 20], []])
  }

  @Test("arrayLength and type return the length of an array and the type of a value")
  func lengthAndType() throws {
    #expect(
      try values(#"json_array_length("place", ?)"#) { $0.$place.arrayLength(at: "seats") }
        == [2, 0])
    #expect(
      try values(#"json_array_length("note", ?)"#) { $0.$note.arrayLength() } == [2, nil])
    #expect(
      try values(#"json_type("place", ?)"#) { $0.$place.type(at: "isOpen") } == ["true", "false"])
    #expect(try values(#"json_type("place", ?)"#) { $0.$place.type(at: "no") } == [nil, nil])
  }

  @Test("a key is data, and a key that SQLite's paths cannot express is refused")
  func hostileKeys() throws {
    // JSON escapes these characters, and SQLite compares keys in their escaped form.
    for key in ["a\"b", "a\0b", "a\\b", "a\nb", "\t"] {
      #expect(throws: QueryError.self) {
        try db.fetch(Tour.select { $0.$place.value(at: .key(key), as: String.self) })
      }
    }
    for key in ["a.b", "a]b", "$", "'", "a b", "", "#-1"] {
      #expect(
        try db.fetch(Tour.select { $0.$place.value(at: .key(key), as: String.self) })
          == [nil, nil], "\(key)")
    }
  }
}
