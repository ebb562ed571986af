import Foundation
import SQLCore
import Testing

@Suite("Stored forms: JSON")
struct JSONTests {
  private struct Place: Codable, Hashable, Sendable {
    var name: String
    var latitude: Double?
    var tags: [String: Int] = [:]
  }

  @Test("JSON values round-trip as text")
  func roundTrips() throws {
    try expectRoundTrip([JSON([String]()), ["swift", "a\u{0}b", "é", "\"\\/"]])
    try expectRoundTrip([
      JSON(Place(name: "Basel", latitude: 47.5, tags: ["b": 2, "a": 1])), JSON(Place(name: "")),
    ])
    try expectRoundTrip([JSON<Int?>(nil), JSON(7)])
    try expectRoundTrip([JSON("text"), JSON("")])
  }

  @Test("equal values become equal text, because keys are sorted")
  func sortedKeys() throws {
    let place = JSON(Place(name: "a/b", latitude: nil, tags: ["b": 2, "a": 1, "c": 3]))
    #expect(
      try place.databaseValue(as: .standard)
        == .text(#"{"name":"a/b","tags":{"a":1,"b":2,"c":3}}"#))
  }

  @Test("a JSON null is not an SQL NULL")
  func null() throws {
    #expect(try JSON<Int?>(nil).databaseValue(as: .standard) == "null")
    #expect(try JSON<Int?>?.none.databaseValue(as: .standard) == .null)
    #expect(
      try readingError(JSON<[Int]>.self, "NULL")?.description
        == "value: expected TEXT, found NULL; an optional type would accept it")
  }

  @Test("text that is not JSON, or JSON of another type, throws")
  func invalid() throws {
    #expect(
      try readingError(JSON<[Int]>.self, "'[1,'")?.description.hasPrefix(
        "value: [1, cannot be read as Array<Int>: the value at $ is not valid: ") == true)
    #expect(
      try readingError(JSON<[Int]>.self, "'[\"a\"]'")?.description
        == #"value: ["a"] cannot be read as Array<Int>: the value at $[0] is not of the type Int"#)
    #expect(try readingError(JSON<[Int]>.self, "''") != nil)
    #expect(
      try readingError(JSON<[Int]>.self, "x'5B5D'")?.description
        == "value: expected TEXT, found BLOB")
    #expect(try readingError(JSON<[UInt8]>.self, "'[256]'") != nil)
  }

  @Test("an error shows only part of a long value")
  func excerpt() throws {
    let text = String(repeating: "x", count: 100_000)
    let error = try readingError(JSON<[Int]>.self, "\(text)")
    #expect((error?.description.utf8.count ?? .max) < 200)
  }

  @Test("a value that JSON cannot hold is refused")
  func unstorable() {
    let error = storingError(JSON([Double.nan]))
    #expect(
      error?.description.hasPrefix("Array<Double> cannot be stored: it cannot be encoded") == true)
  }

  @Test("a date whose description would trap is refused without describing it")
  func unstorableDate() {
    #expect(storingError(JSON(Date(timeIntervalSinceReferenceDate: .nan))) != nil)
    #expect(storingError(JSON([Date(timeIntervalSinceReferenceDate: .infinity)])) != nil)
  }
}
