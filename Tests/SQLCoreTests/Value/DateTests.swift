import Foundation
import TestRun
import Testing

@testable import SQLCore

// Dates are compared by their intervals: the description of an extreme Date traps, and a failed
// expectation prints it.
@Suite("Stored forms: dates")
struct DateTests {
  private func date(_ secondsSince1970: Double) -> Date {
    Date(timeIntervalSince1970: secondsSince1970)
  }

  @Test("a Date is stored as microseconds since 1970, in an INTEGER, rounded to the nearest")
  func microseconds() throws {
    #expect(try date(0).databaseValue(as: .standard) == 0)
    #expect(try date(1.5).databaseValue(as: .standard) == 1_500_000)
    #expect(try date(-0.000_001).databaseValue(as: .standard) == -1)
    #expect(try date(-1.5).databaseValue(as: .standard) == -1_500_000)
    #expect(
      try Date(timeIntervalSinceReferenceDate: 0).databaseValue(as: .standard)
        == 978_307_200_000_000)
    #expect(
      try Date(timeIntervalSinceReferenceDate: 0.000_000_6).databaseValue(as: .standard)
        == 978_307_200_000_001)
  }

  @Test("dates of any age round-trip, and each equals its canonical value")
  func roundTrips() throws {
    let now = Date()
    let values = [
      now, date(0), date(-1), date(0.123_456_7), date(-0.123_456_7), .distantPast, .distantFuture,
      date(1e12), date(-1e12), date(9.2e12), date(-9.2e12), date(253_402_300_799.999_9),
      date(-62_135_596_800.5),
    ]
    try expectRoundTrip(values)
    // Date itself counts these seconds, so they hold every value of it.
    try expectRoundTrip(values, as: .referenceSeconds)
    for index in values.indices {
      let canonical = Date.canonical(values[index])
      #expect(Date.canonical(canonical).timeIntervalSince1970 == canonical.timeIntervalSince1970)
      #expect(
        Date.isStoredAlike(canonical, values[index]) && Date.isStoredAlike(values[index], canonical)
      )
    }
    #expect(abs(Date.canonical(now).timeIntervalSince(now)) < 0.000_001)
  }

  @Test("a date of whole milliseconds or microseconds from 1900 to 2200 reads back equal")
  func wholeMicroseconds() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let from1900To2200 = Int64(-2_208_988_800_000_000)...7_258_118_400_000_000
    let edges = [from1900To2200.lowerBound, from1900To2200.upperBound, 0, 1, -1]
    let drawn = (0..<10_000).map { _ in Int64.random(in: from1900To2200, using: &random) }
    let recent = (0..<10_000).map { _ in
      Int64.random(in: 1_000_000_000_000_000...2_100_000_000_000_000, using: &random)
    }
    for microseconds in edges + drawn + recent {
      let milliseconds = microseconds / 1_000
      let dates = [
        // From microseconds, from milliseconds, and from a decimal literal.
        (date(Double(microseconds) / 1_000_000), StoredForm.exactForms),
        (date(Double(milliseconds) / 1_000), StoredForm.exactForms + [.julianDay]),
        (date(try #require(Double("\(milliseconds)e-3"))), StoredForm.exactForms),
      ]
      for (date, forms) in dates {
        guard Date.canonical(date) == date else {
          Issue.record("\(microseconds) changes when it enters a column, seed \(seed)")
          return
        }
        for form in forms {
          let stored = try date.databaseValue(as: form)
          guard try stored.read(Date.self, as: form) == date else {
            Issue.record("\(microseconds) as \(form), seed \(seed)")
            return
          }
        }
      }
    }
  }

  @Test("a date of whole milliseconds reads back equal from a file, in every form")
  func wholeMillisecondsInFiles() throws {
    let values = [
      1_700_000_000.123, 1_700_000_000.001, -0.001, -2_208_988_799.999, 7_258_118_399.999, 0.1,
      978_307_200.7, 1_795_258_200.456,
    ].map(date)
    for form in StoredForm.exactForms + [.julianDay] {
      let (lent, copied) = try roundTrip(values, as: form)
      #expect(lent == values && copied == values, "\(form)")
    }
  }

  @Test("a canonical date stays the same when it is stored again, in every century")
  func canonicalTwice() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    // The years 1865 and 2242, where the rounding rule changes, and dates around powers of 2.
    var centers = [-3_313_440_000.0, 8_583_494_400]
    for power in 28...43 {
      centers += [-1.0, 1].flatMap { sign in
        [sign * Double(1 << power), sign * Double(1 << power) + 978_307_200]
      }
    }
    for center in centers {
      for _ in 0..<500 {
        let value = date(center + .random(in: -5...5, using: &random))
        let canonical = Date.canonical(value)
        let microseconds = try #require(value.microsecondsSince1970)
        guard Date.canonical(canonical) == canonical,
          Date(microsecondsSince1970: microseconds) == canonical,
          abs(canonical.timeIntervalSince(value)) < max(0.000_001, abs(center) / 1e15)
        else {
          Issue.record("\(center), \(value.timeIntervalSinceReferenceDate), seed \(seed)")
          return
        }
      }
    }
  }

  @Test("from 1865 to 2241 each microsecond is a different date, in order")
  func microsecondsApart() {
    for start in [-3_313_440_000_000_000, 8_583_494_399_990_000, -1_000, 1_700_000_000_000_000] {
      let dates = (0..<10_000).map { Date(microsecondsSince1970: Int64(start + $0)) }
      #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 }, "\(start)")
      #expect(
        dates.indices.allSatisfy { dates[$0].microsecondsSince1970 == Int64(start + $0) },
        "\(start)")
    }
  }

  @Test("every integer can be read as a Date")
  func extremes() throws {
    let row = try #require(try Connection().row("SELECT \(Int64.min), \(Int64.max)"))
    #expect(try row.get(Date.self, at: 0).timeIntervalSince1970 == -9_223_372_036_854.775)
    #expect(try row.get(Date.self, at: 1).timeIntervalSince1970 == 9_223_372_036_854.775)
  }

  @Test(
    "a Date that does not fit 64 bits of microseconds is refused and does not trap",
    arguments: [
      1e13, -1e13, 9.223_372_036_855e12, 1e300, .greatestFiniteMagnitude, .infinity, -.infinity,
      .nan,
    ])
  func refused(seconds: Double) {
    let value = date(seconds)
    for form in [StoredForm.standard, .unixSeconds, .referenceSeconds, .iso8601, .julianDay] {
      let error = storingError(value, as: form)
      #expect(error?.description.hasSuffix("microseconds since 1970 do not fit in 64 bits") == true)
    }
    #expect(storingError(Optional(value)) != nil)
    // The canonical value does not trap either, and a date that cannot be stored is left unchanged.
    let canonical = Date.canonical(value).timeIntervalSinceReferenceDate
    #expect(canonical == value.timeIntervalSinceReferenceDate || canonical.isNaN)
  }

  @Test("a Date is stored as seconds since 1970 or 2001, in a REAL, if the column declares it")
  func seconds() throws {
    #expect(try date(1.25).databaseValue(as: .unixSeconds) == 1.25)
    #expect(try date(978_307_201.5).databaseValue(as: .referenceSeconds) == 1.5)
    // Exact to the microsecond from 1698 to 2242, where a Double of seconds can hold it.
    let values = [date(0), Date(), date(-1.000_001), date(8.5e9 + 0.000_003), date(-8.5e9)]
    try expectRoundTrip(values, as: .unixSeconds)
    try expectRoundTrip(values, as: .referenceSeconds)
    #expect(Date.storageClass(as: .unixSeconds) == .real)
  }

  @Test("a Date is stored as ISO 8601 text with microseconds, from year 0000 to 9999")
  func iso8601() throws {
    let values = [
      date(0), Date(), date(-62_167_219_200), date(253_402_300_799), date(951_782_400),
      date(-0.000_001), date(4_107_542_400),
    ]
    try expectRoundTrip(values, as: .iso8601)
    let texts = try values.map { try $0.databaseValue(as: .iso8601) }
    #expect(texts[0] == "1970-01-01T00:00:00.000000Z")
    #expect(texts[2] == "0000-01-01T00:00:00.000000Z")
    #expect(texts[3] == "9999-12-31T23:59:59.000000Z")
    #expect(texts[4] == "2000-02-29T00:00:00.000000Z")
    #expect(texts[5] == "1969-12-31T23:59:59.999999Z")
    #expect(texts[6] == "2100-03-01T00:00:00.000000Z")
  }

  @Test("a year that does not fit four digits is refused as ISO 8601")
  func iso8601Years() {
    for seconds in [253_402_300_800.0, -62_167_219_201, 9e12, -9e12] {
      let error = storingError(date(seconds), as: .iso8601)
      #expect(error?.description.hasSuffix("its year must be between 0000 and 9999") == true)
    }
  }

  @Test("a Date is stored as a Julian day in a REAL, to the millisecond")
  func julianDay() throws {
    #expect(try date(0).databaseValue(as: .julianDay) == 2_440_587.5)
    #expect(try date(946_728_000).databaseValue(as: .julianDay) == 2_451_545.0)
    let values = [
      date(0), date(0.001), date(1_783_000_000.123), date(-210_866_760_000), date(2.5e11),
    ]
    try expectRoundTrip(values, as: .julianDay)
    // SQLite's own functions read the same date.
    let text = try Connection().row(
      SQL(
        text: "SELECT strftime('%Y-%m-%dT%H:%M:%f', ?)",
        bindings: [BoundValue(values[2], as: .julianDay)]))
    #expect(text?[0] == "2026-07-02T13:46:40.123")
  }

  @Test("a Date is read only in its declared form")
  func mismatch() throws {
    #expect(
      try readingError(Date.self, "1.5")?.description == "value: expected INTEGER, found REAL")
    #expect(
      try readingError(Date.self, "'2026-11-21'")?.description
        == "value: expected INTEGER, found TEXT")
    #expect(try readingError(Date.self, "NULL")?.reason == .null(expected: "INTEGER"))
    #expect(
      try readingError(Date.self, "'x'", as: .unixSeconds)?.description
        == "value: expected REAL, found TEXT")
    #expect(
      try readingError(Date.self, "7", as: .iso8601)?.description
        == "value: expected TEXT, found INTEGER")
    #expect(Date.storageClass(as: .bytes) == nil)
  }

  @Test("a REAL or text that is not a date throws and does not trap")
  func invalid() throws {
    #expect(
      try readingError(Date.self, "1e300", as: .unixSeconds)?.description
        == "value: 1e+300 cannot be read as Date")
    #expect(try readingError(Date.self, "9e999", as: .unixSeconds) != nil)
    #expect(try readingError(Date.self, "9.223372036854e12", as: .referenceSeconds) != nil)
    #expect(
      try readingError(Date.self, "1e300", as: .julianDay)?.description
        == "value: 1e+300 cannot be read as Date")
    #expect(try readingError(Date.self, "-9e999", as: .julianDay) != nil)
    #expect(
      try readingError(Date.self, "'2026-02-30T00:00:00.000000Z'", as: .iso8601)?.description
        == "value: 2026-02-30T00:00:00.000000Z cannot be read as Date")
  }
}

extension StoredForm {
  /// The forms of a date that keep microseconds.
  fileprivate static var exactForms: [StoredForm] {
    [.standard, .unixSeconds, .referenceSeconds, .iso8601]
  }
}
