import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A model whose JSON is changed in the database.
private struct Venue: Model, Equatable {
  struct Address: Codable, Equatable, Sendable {
    var city: String?
    var number: Int?
    var since: Date?
    var isOpen: Bool?
    var price: Decimal?
  }
  struct Content: Codable, Equatable, Sendable {
    var name: String
    var address: Address?
    var seats: [Int]
  }

  @PrimaryKey var id: Int
  @Column var content: JSON<Content>
  @Column var note: JSON<[String]>?
}

extension JSONPath where Root == Venue.Content, Value == Date {
  fileprivate static var since: JSONPath { JSONPath("address", "since") }
}

@Suite("JSON that updates change")
struct JSONChangeSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Venue.self])
    let address = Venue.Address(city: "Bonn", number: 7)
    try db.insert([
      Venue(
        id: 1, content: JSON(Venue.Content(name: "Hall", address: address, seats: [1, 2])),
        note: ["a"]),
      Venue(id: 2, content: JSON(Venue.Content(name: "Shed", address: nil, seats: [])), note: nil),
    ])
  }

  private func contents(
    _ sql: String, _ change: (Columns<Venue>) -> SQLExpression<JSON<Venue.Content>>
  ) throws -> [Venue.Content] {
    let query = Venue.select(change).order(by: \.$id)
    #expect(try query.sql.text == #"SELECT \#(sql) FROM "Venue" ORDER BY "id""#)
    return try db.fetch(query).map(\.value)
  }

  @Test("set adds or replaces, insert only adds, replace only replaces")
  func set() throws {
    #expect(
      try contents(#"json_set("content", ?, json(?))"#) {
        $0.$content.set(at: "address", "city", to: "Köln \"1\"")
      }.map(\.address?.city) == ["Köln \"1\"", "Köln \"1\""])
    #expect(
      try contents(#"json_insert("content", ?, json(?))"#) {
        $0.$content.insert(Venue.Address(city: "Ulm", number: nil), at: "address")
      }.map(\.address?.city) == ["Bonn", "Ulm"])
    #expect(
      try contents(#"json_replace("content", ?, json(?))"#) {
        $0.$content.replace(at: "address", "number", with: 8)
      }.map(\.address?.number) == [8, nil])
    #expect(
      try contents(#"json_set("content", ?, "id")"#) {
        $0.$content.set(at: "seats", 0, to: $0.$id)
      }.map(\.seats) == [[1, 2], [2]])
    #expect(
      try contents(#"json_remove("content", ?)"#) { $0.$content.remove(at: "address", "city") }
        .map(\.address?.city) == [nil, nil])
  }

  @Test("values of every kind are written as the decoder reads them")
  func kinds() throws {
    let date = Date.canonical(Date(timeIntervalSinceReferenceDate: 0.1))
    let price = try #require(Decimal(string: "12345678901234567890.123456789"))
    let changed = try contents(
      #"json_set(json_set(json_set("content", ?, json(apus_json_date(?, 'standard'))), ?, "#
        + #"json(?)), ?, json(?))"#
    ) {
      $0.$content.set(at: .since, to: date).set(at: "address", "isOpen", to: true)
        .set(at: "address", "price", to: price)
    }
    #expect(changed.map(\.address?.since) == [date, date])
    #expect(changed.map(\.address?.isOpen) == [true, true])
    #expect(changed.map(\.address?.price) == [price, price])
    #expect(throws: ColumnValueError.self) {
      try db.fetch(Venue.select { $0.$content.set(at: "name", to: Double.nan) })
    }
    #expect(throws: QueryError.self) {
      try db.fetch(Venue.select { $0.$content.set(at: .key("a\"b"), to: 1) })
    }
    #expect(
      try contents(#"json_set("content", ?, json(?))"#) {
        $0.$content.set(at: "address", to: Venue.Address?.none)
      }.map(\.address) == [nil, nil])
  }

  @Test("append adds to the end of an array")
  func append() throws {
    #expect(
      try contents(#"json_insert("content", ?, json(?))"#) { $0.$content.append(9, at: "seats") }
        .map(\.seats) == [[1, 2, 9], [9]])
    #expect(
      try db.fetch(Venue.select { $0.$note.append("b") }.order(by: \.$id)).map(\.?.value)
        == [["a", "b"], nil])
  }

  @Test("patch merges the members of objects, and null removes a member")
  func patch() throws {
    struct Patch: Codable { var name: String?; var address: Venue.Address? }
    #expect(
      try contents(#"json_patch(apus_json("content"), ?)"#) {
        $0.$content.patch(Patch(name: nil, address: Venue.Address(city: nil, number: 5)))
      }.map(\.address) == [
        Venue.Address(city: "Bonn", number: 5), Venue.Address(city: nil, number: 5),
      ])
    #expect(
      try contents(#"json_patch(apus_json("content"), ?)"#) {
        $0.$content.patch(["address": Int?.none])
      }
      .map(\.address) == [nil, nil])
    #expect(
      try contents(#"json_patch(apus_json("content"), apus_json("content"))"#) {
        $0.$content.patch($0.$content)
      }
      .map(\.name) == ["Hall", "Shed"])
  }

  @Test("an update assigns the changed JSON")
  func update() throws {
    let change = Venue.update {
      $0.$content = $0.$content.set(at: "name", to: "Hut").append(3, at: "seats")
    }
    #expect(
      try change.sql.text == """
        UPDATE "Venue" SET "content" = json_insert(json_set("content", ?, json(?)), ?, json(?))
        """)
    try db.run(change)
    let places = try db.fetch(Venue.order(by: \.$id))
    #expect(places.map(\.content.value.name) == ["Hut", "Hut"])
    #expect(places.map(\.content.value.seats) == [[1, 2, 3], [3]])
  }
}
