import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A type without a raw value, which SQL cannot write as JSON.
private struct Paint: ColumnValue, Codable, Equatable {
  var rgb: UInt32
  static var storageClass: StorageClass { .integer }
  init(_ cell: borrowing Cell) throws { rgb = try UInt32(cell) }
  init(rgb: UInt32) { self.rgb = rgb }
  func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(Int64(rgb)) }
}

private struct Painted: Model {
  @PrimaryKey var id: Int
  @Column var color: Paint
}

private struct Measure: Model {
  @PrimaryKey var id: Int
  @Column var value: Double
}

private struct Owner: Model, Codable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var settings: JSON<[String: Int]> = JSON([:])
}

@Suite("JSON that queries refuse to make")
struct JSONRefusalSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Owner.self, Painted.self, Measure.self])
    try db.insert(Owner(id: 1, name: "Jane"))
  }

  @Test("values that JSON cannot hold are refused")
  func refusals() throws {
    #expect(throws: QueryError.self) { try db.fetch(Painted.select { jsonArray($0.$color) }) }
    #expect(throws: QueryError.self) {
      try Owner.select { jsonObject($0.$id, $0.$name.as("id"), as: Owner.self) }.sql
    }
    #expect(throws: QueryError.self) {
      try Owner.select { jsonObject($0.$id + 1, as: Owner.self) }.sql
    }
    #expect(throws: QueryError.self) {
      try Owner.select { jsonObject($0.$id.as("a\0b"), as: Owner.self) }.sql
    }
    try db.insert(Measure(id: 1, value: .infinity))
    #expect(throws: DatabaseError.self) {
      try db.fetch(Measure.select { $0.$value.jsonGroupArray() })
    }
    #expect(throws: ColumnValueError.self) {
      try db.fetch(Owner.select { jsonObject($0.$id, as: Owner.self) })
    }
    let hostile = Owner.where { $0.$id == 1 }.select {
      jsonObject($0.$name.as("it's \"a\" key"), as: [String: String].self)
    }
    #expect(try db.fetch(hostile).map(\.value) == [["it's \"a\" key": "Jane"]])
  }
}
