import Foundation
import Testing

@testable import SQLCore

@Suite("Stored forms: enumerations and other raw values")
struct RawRepresentableTests {
  private enum Status: String, ColumnValue, CaseIterable { case draft, published, archived }
  private enum Level: Int, ColumnValue, CaseIterable { case low = -1, none, high = 1_000 }
  private enum Small: UInt8, ColumnValue, CaseIterable { case zero, most = 255 }

  private struct Moment: RawRepresentable, Hashable, ColumnValue {
    var rawValue: Date
  }

  private struct Ratio: RawRepresentable, Hashable, ColumnValue {
    var rawValue: Double
  }

  /// A type that accepts no raw value, so that reading always fails.
  private struct NoDay: RawRepresentable, Hashable, ColumnValue {
    var rawValue: Date
    init?(rawValue: Date) { nil }
  }

  @Test("enumerations over String and Int round-trip")
  func enumerations() throws {
    try expectRoundTrip(Status.allCases)
    try expectRoundTrip(Level.allCases)
    try expectRoundTrip(Small.allCases)
    #expect(try Status.draft.databaseValue(as: .standard) == "draft")
    #expect(try Level.low.databaseValue(as: .standard) == -1)
    #expect(Status.storageClass == .text)
    #expect(Level.storageClass == .integer)
  }

  @Test("an unknown case throws and names the type and the value")
  func unknownCase() throws {
    #expect(
      try readingError(Status.self, "'Draft'")?.description
        == "value: Draft cannot be read as Status")
    #expect(try readingError(Level.self, "7")?.description == "value: 7 cannot be read as Level")
    #expect(
      try readingError(Small.self, "256")?.description == "value: 256 cannot be read as UInt8")
    #expect(
      try readingError(Status.self, "1")?.description == "value: expected TEXT, found INTEGER")
    #expect(try readingError(Status?.self, "'gone'") != nil)
    #expect(try readingError(Level.self, "NULL") != nil)
  }

  @Test("a raw value that is rounded when it is stored reads back equal to the canonical value")
  func canonical() throws {
    let moment = Moment(rawValue: Date(timeIntervalSince1970: 1.000_000_4))
    #expect(Moment.canonical(moment).rawValue.timeIntervalSince1970 == 1)
    try expectRoundTrip([moment])
    try expectRoundTrip([Ratio(rawValue: -0.0), Ratio(rawValue: 0.1)])
  }

  @Test("a raw value has the stored forms of its raw type")
  func forms() throws {
    #expect(Moment.storageClass(as: .iso8601) == .text)
    let moment = Moment(rawValue: Date(timeIntervalSince1970: 0))
    #expect(try moment.databaseValue(as: .iso8601) == "1970-01-01T00:00:00.000000Z")
    try expectRoundTrip([moment], as: .iso8601)
  }

  @Test("reading a refused raw Date does not trap on its description")
  func extremeDate() throws {
    for integer in [Int64.min, -1, 0, .max] {
      #expect(try readingError(NoDay.self, "\(integer)") != nil)
    }
  }
}
