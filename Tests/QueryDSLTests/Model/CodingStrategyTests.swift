import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Models and the strategies of encoders")
struct CodingStrategyTests {
  @Test("JSON of a model follows the strategies for dates, data, URLs and decimal numbers")
  func strategies() throws {
    struct Note: Model, Codable {
      @PrimaryKey var id: Date
      @Column var page: URL
      @Column var price: Decimal?
      @Column var content: Data
      @Column var times: JSON<[String: Date]>
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let note = Note(
      id: Date(timeIntervalSince1970: 0), page: try #require(URL(string: "https://apus.dev")),
      price: Decimal(string: "1.50"), content: Data([1, 2]),
      times: JSON(["firstOne": Date(timeIntervalSince1970: 1)]))
    let json = String(decoding: try encoder.encode(note), as: UTF8.self)
    #expect(
      json == #"{"content":"AQI=","id":"1970-01-01T00:00:00Z","page":"https://apus.dev","#
        + #""price":1.5,"times":{"firstOne":"1970-01-01T00:00:01Z"}}"#)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let back = try decoder.decode(Note.self, from: Data(json.utf8))
    #expect(back.id == note.id && back.page == note.page && back.price == note.price)
    #expect(back.content == note.content && back.times == note.times)
  }

  @Test("a model encodes and decodes JSON like the plain struct under random strategies")
  func random() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("CodingStrategyTests.random: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let parcel = Parcel.random(using: &random)
      let coders = Coders.random(using: &random)
      let place = Comment(rawValue: "seed \(seed), round \(round), \(coders.name)")
      let json = try? coders.encoder.encode(parcel)
      #expect(json == (try? coders.encoder.encode(parcel.plain)), place)
      // With infinity and the strategy `.throw`, both throw.
      guard let json else { continue }
      let plain = try? coders.decoder.decode(PlainParcel.self, from: json)
      let decoded = try? coders.decoder.decode(Parcel.self, from: json)
      #expect(decoded == plain.map(Parcel.init), place)
      if coders.keepsDates, let plain {
        let again = try coders.encoder.encode(plain)
        #expect(again == json, place)
        #expect(try coders.decoder.decode(Parcel.self, from: again).plain == parcel.plain, place)
      }
    }
  }

  @Test("a model encodes and decodes property lists like the plain struct")
  func propertyLists() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("CodingStrategyTests.propertyLists: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let encoder = PropertyListEncoder()
    for round in 0..<10 {
      let parcel = Parcel.random(using: &random)
      // In XML the members are sorted by their names.
      encoder.outputFormat = .xml
      let list = try encoder.encode(parcel)
      #expect(list == (try encoder.encode(parcel.plain)), "seed \(seed), round \(round)")
      encoder.outputFormat = .binary
      let plain = try PropertyListDecoder().decode(
        PlainParcel.self, from: encoder.encode(parcel))
      #expect(plain == parcel.plain, "seed \(seed), round \(round)")
      let decoded = try PropertyListDecoder().decode(Parcel.self, from: encoder.encode(plain))
      #expect(decoded.plain == parcel.plain, "seed \(seed), round \(round)")
    }
  }

  @Test("coding keys rename the members of the JSON, but not the columns")
  func codingKeys() throws {
    struct Person: Model, Codable, Equatable {
      @PrimaryKey var id: Unique64
      @Column var bornAt: Date
      @Column var homePage: URL?
      @Ignored var preview: String?

      enum CodingKeys: String, CodingKey {
        case id = "_id"
        case bornAt = "born"
        case homePage = "page"
        case preview
      }
    }
    let db = try Specification.database(models: [Person.self])
    let person = Person(
      id: Unique64(rawValue: 5), bornAt: Date(timeIntervalSince1970: 1.5), preview: "unseen")
    try db.insert(person)
    let columns = try db.rows("SELECT name FROM pragma_table_info('Person')").map {
      try $0.get(String.self, at: 0)
    }
    #expect(columns == ["id", "bornAt", "homePage"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .millisecondsSince1970
    let json = try encoder.encode(try #require(try db.find(Person.self, Unique64(rawValue: 5))))
    #expect(String(decoding: json, as: UTF8.self) == #"{"_id":"5","born":1500}"#)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    var decoded = try decoder.decode(Person.self, from: json)
    #expect(decoded.bornAt == person.bornAt && decoded.preview == nil)
    // A decoded model counts as new, so `update` writes all of its columns.
    decoded.homePage = URL(string: "https://apus.dev")
    try db.update(decoded)
    #expect(try db.fetch(Person.all) == [decoded])
  }

  @Test("a key of a model decodes from a number written as text")
  func textOfAKey() throws {
    struct Person: Model, Codable {
      @PrimaryKey var id: Unique64
      @Column var friend: Unique64?
    }
    let json = #"{"id":"3301234567890123456","friend":"7"}"#
    let person = try JSONDecoder().decode(Person.self, from: Data(json.utf8))
    #expect(person.id.rawValue == 3_301_234_567_890_123_456 && person.friend?.rawValue == 7)
  }
}

/// An encoder and a decoder with the same strategies.
private struct Coders {
  let encoder = JSONEncoder()
  let decoder = JSONDecoder()
  var name = ""
  /// Whether coding keeps a date exactly.
  var keepsDates = false

  static func random(using random: inout SeededGenerator) -> Coders {
    var coders = Coders()
    coders.drawDates(&random)
    coders.drawData(&random)
    coders.drawFloats(&random)
    coders.drawKeys(&random)
    var formatting: JSONEncoder.OutputFormatting = .sortedKeys
    if Bool.random(using: &random) { formatting.insert(.prettyPrinted) }
    if Bool.random(using: &random) { formatting.insert(.withoutEscapingSlashes) }
    coders.encoder.outputFormatting = formatting
    return coders
  }

  private mutating func drawDates(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      keepsDates = true
      name += "dates deferred"
    case 1:
      encoder.dateEncodingStrategy = .iso8601
      decoder.dateDecodingStrategy = .iso8601
      name += "dates ISO 8601"
    case 2:
      encoder.dateEncodingStrategy = .secondsSince1970
      decoder.dateDecodingStrategy = .secondsSince1970
      name += "dates in seconds"
    case 3:
      encoder.dateEncodingStrategy = .millisecondsSince1970
      decoder.dateDecodingStrategy = .millisecondsSince1970
      name += "dates in milliseconds"
    default:
      encoder.dateEncodingStrategy = .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode("D\(date.timeIntervalSinceReferenceDate)")
      }
      decoder.dateDecodingStrategy = .custom { decoder in
        let text = try decoder.singleValueContainer().decode(String.self)
        return Date(timeIntervalSinceReferenceDate: Double(text.dropFirst()) ?? .nan)
      }
      keepsDates = true
      name += "dates custom"
    }
  }

  private mutating func drawData(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      name += ", data as base64"
    case 1:
      encoder.dataEncodingStrategy = .deferredToData
      decoder.dataDecodingStrategy = .deferredToData
      name += ", data deferred"
    default:
      encoder.dataEncodingStrategy = .custom { data, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(data.map { String($0) }.joined(separator: "."))
      }
      decoder.dataDecodingStrategy = .custom { decoder in
        let text = try decoder.singleValueContainer().decode(String.self)
        return Data(text.split(separator: ".").compactMap { UInt8($0) })
      }
      name += ", data custom"
    }
  }

  private mutating func drawFloats(_ random: inout SeededGenerator) {
    guard Int.random(in: 0..<4, using: &random) > 0 else {
      name += ", floats throw"
      return
    }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    name += ", floats as text"
  }

  private mutating func drawKeys(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      encoder.keyEncodingStrategy = .convertToSnakeCase
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      name += ", keys in snake case"
    case 1:
      encoder.keyEncodingStrategy = .custom { path in
        TestKey("k_" + (path.last?.stringValue ?? ""))
      }
      decoder.keyDecodingStrategy = .custom { path in
        TestKey(String(path.last?.stringValue.dropFirst(2) ?? ""))
      }
      name += ", keys custom"
    default:
      name += ", keys as they are"
    }
  }
}

private struct TestKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ text: String) { stringValue = text }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
