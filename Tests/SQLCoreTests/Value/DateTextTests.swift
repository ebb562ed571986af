import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Dates as text")
struct DateTextTests {
  private let iso8601: DateText

  init() throws {
    iso8601 = try #require(DateText(.iso8601))
  }

  @Test(
    "every spelling of an exact date is read, with and without fraction and zone",
    arguments: [
      ("2009-01-01T00:00:00Z", 0), ("2009-01-01T00:00:00", 0), ("2009-01-01 00:00:00", 0),
      ("2009-01-01", 0), ("2009-01-01T00:00", 0), ("2009-01-01 00:00Z", 0),
      ("2009-01-01T02:30:00+02:30", 0), ("2008-12-31T22:00:00-02:00", 0),
      ("2009-01-01T00:00:00.000Z", 0), ("2009-01-01 00:00:00.5", 500_000),
      ("2009-01-01T00:00:00.123456Z", 123_456), ("2009-01-01 00:00:00.123456000", 123_456),
      ("2009-01-01T00:00:00.001+00:00", 1_000),
    ] as [(String, Int64)])
  func spellings(text: String, microseconds: Int64) {
    #expect(DateText.parse(text) == 1_230_768_000_000_000 + microseconds)
  }

  @Test(
    "each text form writes a date rounded to its digits",
    arguments: [
      (StoredForm.iso8601, "2009-01-01T00:00:01.750500Z"),
      (.iso8601Milliseconds, "2009-01-01T00:00:01.751Z"),
      (.iso8601Seconds, "2009-01-01T00:00:02Z"), (.datetime, "2009-01-01 00:00:01.751"),
      (.datetimeSeconds, "2009-01-01 00:00:02"),
    ])
  func forms(form: StoredForm, text: String) throws {
    let date = Date(timeIntervalSince1970: 1_230_768_001.7505)
    #expect(try date.databaseValue(as: form) == .text(text))
    #expect(
      try DatabaseValue.text(text).read(Date.self, as: .iso8601).databaseValue(as: form)
        == .text(text))
  }

  @Test("whole seconds and milliseconds are stored as integers, rounded to the nearest")
  func integers() throws {
    for (seconds, whole, milliseconds) in [(1.7506, 2, 1751), (-1.7506, -2, -1751), (0, 0, 0)]
      as [(Double, Int64, Int64)]
    {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(try date.databaseValue(as: .unixEpoch) == .integer(whole))
      #expect(try date.databaseValue(as: .unixMilliseconds) == .integer(milliseconds))
    }
    #expect(throws: ColumnValueError.self) {
      try DatabaseValue.integer(.max).read(Date.self, as: .unixEpoch)
    }
  }

  @Test(
    "text that is not an exact date is refused",
    arguments: [
      "", "2026-11", "2026-11-21T", "2026-11-21T10", "2026-11-21T10:50:00.Z", "2026-11-21Z",
      "2026-11-21T10:50:00.123456z", "2026-11-21T10:50:00.123456+", "2026-11-21T10:50:00+0200",
      "2026-11-21T10:50:00.1234567Z", "2026-11-21T10:50:00+24:00", "2026-11-21  10:50:00",
      "2026-13-01T00:00:00.000000Z", "2026-00-01T00:00:00.000000Z", "2026-01-00T00:00:00.000000Z",
      "2026-04-31T00:00:00.000000Z", "2025-02-29T00:00:00.000000Z", "1900-02-29T00:00:00.000000Z",
      "2026-01-01T24:00:00.000000Z", "2026-01-01T00:60:00.000000Z", "2026-01-01T00:00:60.000000Z",
      "-026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.00000éZ", "+026-01-01T00:00:00.000000Z",
      "2026-01-01T00:00:00.000000Z\u{0}", " 026-01-01T00:00:00.000000Z", "soon", "1700000000",
    ])
  func refused(text: String) {
    #expect(DateText.parse(text) == nil)
  }

  @Test("every day of 800 years is counted as Foundation's Gregorian calendar counts it")
  func calendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for day in stride(from: Int64(-146_097), through: 146_097, by: 1) {
      let microseconds = day * 86_400_000_000
      let text = try #require(iso8601.text(microseconds))
      guard DateText.parse(text) == microseconds else {
        Issue.record("day \(day): \(text)")
        return
      }
      // Foundation is slow, so only each 37th day is compared; these include every month and day of
      // the month. Foundation uses the Julian calendar before October 1582.
      guard day % 37 == 0, day > -141_000 else { continue }
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      let expected = [parts.year ?? 0, parts.month ?? 0, parts.day ?? 0]
      guard text.prefix(10).split(separator: "-").compactMap({ Int($0) }) == expected else {
        Issue.record("day \(day): \(text), Foundation says \(expected)")
        return
      }
    }
  }

  @Test("texts sort in the order of their dates")
  func order() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let year0: Int64 = -62_167_219_200_000_000
    let year9999: Int64 = 253_402_300_799_999_999
    for _ in 0..<10_000 {
      let left = Int64.random(in: year0...year9999, using: &random)
      let right = Int64.random(in: year0...year9999, using: &random)
      let texts = try [left, right].map { try #require(iso8601.text($0)) }
      guard (left < right) == (texts[0] < texts[1]), DateText.parse(texts[0]) == left
      else {
        Issue.record("\(left) \(right), seed \(seed)")
        return
      }
    }
    #expect(iso8601.text(year0 - 1) == nil)
    #expect(iso8601.text(year9999 + 1) == nil)
    #expect(iso8601.text(.min) == nil)
    #expect(iso8601.text(.max) == nil)
  }
}
