import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Models with synthesized Codable")
struct ModelCodableTests {
  struct Place: Codable, Hashable {
    var name: String
  }

  struct Person: Model, Codable, Equatable {
    @PrimaryKey var id: Int64?
    @Column var name: String
    @Column var mail: String?
    @Column var home: JSON<Place>?
    @Column var age = 0
    @Ignored var preview: String?
  }

  func encode(_ person: Person) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(person), as: UTF8.self)
  }

  func decode(_ text: String) throws -> Person {
    try JSONDecoder().decode(Person.self, from: Data(text.utf8))
  }

  @Test("the JSON keys are the properties, without nil values and ignored properties")
  func encoding() throws {
    var person = Person(id: 1, name: "Jane", mail: "j@apus.dev", home: JSON(Place(name: "x")))
    person.preview = "unseen"
    #expect(
      try encode(person)
        == #"{"age":0,"home":{"name":"x"},"id":1,"mail":"j@apus.dev","name":"Jane"}"#)
    #expect(try encode(Person(name: "Jane")) == #"{"age":0,"name":"Jane"}"#)
  }

  @Test("an absent or null optional decodes as nil, and any other absent key is an error")
  func decoding() throws {
    #expect(try decode(#"{"name":"Jane","age":3}"#) == Person(name: "Jane", age: 3))
    #expect(
      try decode(#"{"id":null,"name":"Jane","mail":null,"age":3,"preview":"x"}"#)
        == Person(name: "Jane", age: 3))
    #expect(throws: DecodingError.self) { try decode(#"{"name":"Jane"}"#) }
    #expect(throws: DecodingError.self) { try decode(#"{"name":1,"age":3}"#) }
  }

  @Test("a model survives encoding and decoding, and the decoded one counts as new")
  func roundTrip() throws {
    let db = try Specification.database(models: [Person.self])
    let person = try db.insert(
      Person(name: "Jane", mail: "j@apus.dev", home: JSON(Place(name: "x")), age: 3))
    let decoded = try decode(encode(person))
    #expect(decoded == person)
    #expect(decoded.$name.isChanged && !person.$name.isChanged)
    #expect(try encode(decoded) == encode(person))
    try db.delete(person)
    try db.insert(decoded)
    #expect(try db.fetch(Person.all) == [person])
  }
}
