import Foundation
import TestRun
import Testing

@testable import SQLCore

/// Random values of every type, most of them near its edge cases.
@Suite("Stored forms: random values")
struct RandomValueTests {
  private enum Status: String, ColumnValue, CaseIterable { case draft, published, archived }
  private typealias Random = SeededGenerator

  /// Set `seed` to a failed seed to repeat its run.
  private func expectRoundTrip<Value: ColumnValue & Equatable>(
    as forms: [StoredForm] = [.standard], count: Int = 500,
    seed: UInt64 = TestSeed.draw(),
    _ make: (inout Random) throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var random = Random(seed: seed)
    let values = try (0..<count).map { _ in try make(&random) }
    for form in forms {
      try SQLCoreTests.expectRoundTrip(
        values, as: form, "\(Value.self) as \(form), seed \(seed)", sourceLocation: sourceLocation)
    }
  }

  @Test("random integers of every width round-trip")
  func integers() throws {
    func expect<Value: ColumnValue & FixedWidthInteger>(_: Value.Type) throws {
      try expectRoundTrip { random in
        // Any number of bits, so that small and large numbers are equally frequent.
        let bits = Value(
          truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random))
        return Int64(exactly: bits) == nil ? bits >> 1 : bits
      }
    }
    try expect(Int.self)
    try expect(Int8.self)
    try expect(Int16.self)
    try expect(Int32.self)
    try expect(Int64.self)
    try expect(UInt.self)
    try expect(UInt8.self)
    try expect(UInt16.self)
    try expect(UInt32.self)
    try expect(UInt64.self)
    try expectRoundTrip { Unique64(rawValue: Int64(bitPattern: $0.next() | 1)) }
    try expectRoundTrip { Bool.random(using: &$0) }
  }

  @Test("random floating-point numbers round-trip")
  func reals() throws {
    try expectRoundTrip { random in
      let value = Double(bitPattern: random.next())
      return value.isNaN ? -0.0 : value
    }
    try expectRoundTrip { random in
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      return value.isNaN ? -0.0 : value
    }
  }

  @Test("random text of any Unicode scalars round-trips")
  func strings() throws {
    try expectRoundTrip { random in
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let limits: [UInt32] = [0x80, 0x800, 0x1_0000, 0x11_0000]
        let limit = limits.randomElement(using: &random) ?? 0x80
        text.unicodeScalars.append(
          Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) ?? "\u{FFFD}")
      }
      return text
    }
    try expectRoundTrip { Status.allCases.randomElement(using: &$0) ?? .draft }
  }

  @Test("random bytes and UUIDs round-trip")
  func bytes() throws {
    func bytes(_ random: inout Random) -> [UInt8] {
      (0..<Int.random(in: 0...100, using: &random)).map { _ in .random(in: 0...255, using: &random)
      }
    }
    try expectRoundTrip { bytes(&$0) }
    try expectRoundTrip { Data(bytes(&$0)) }
    try expectRoundTrip(as: [.standard, .bytes]) { random in
      let words = (random.next(), random.next())
      return withUnsafeBytes(of: words) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
  }

  @Test("random dates round-trip in the forms that hold them")
  func dates() throws {
    try expectRoundTrip { random in
      let microseconds =
        Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random)
      return Date(microsecondsSince1970: microseconds)
    }
    try expectRoundTrip { random in
      Date(timeIntervalSinceReferenceDate: .random(in: -9.2e12...9.2e12, using: &random))
    }
    try expectRoundTrip(as: [.standard, .unixSeconds, .referenceSeconds, .iso8601]) { random in
      Date(timeIntervalSince1970: .random(in: -7.5e9...7.5e9, using: &random))
    }
    try expectRoundTrip(as: [.iso8601]) { random in
      Date(timeIntervalSince1970: .random(in: -62_167_219_199...253_402_300_799, using: &random))
    }
    try expectRoundTrip(as: [.standard, .julianDay]) { random in
      Date(
        microsecondsSince1970: .random(
          in: -62_167_219_200_000...253_402_300_799_999, using: &random)
          * 1_000)
    }
  }

  @Test("random decimals, URLs and JSON round-trip")
  func text() throws {
    try expectRoundTrip { random in
      Decimal(
        sign: Bool.random(using: &random) ? .plus : .minus,
        exponent: .random(in: -60...60, using: &random),
        significand: Decimal(random.next() >> UInt64.random(in: 0..<64, using: &random)))
    }
    try expectRoundTrip { random in
      let path = (0..<Int.random(in: 0...10, using: &random)).map { _ in
        Character(Unicode.Scalar(UInt8.random(in: 0...255, using: &random)))
      }
      return try #require(URL(string: "https://example.com/")).appending(path: String(path))
    }
    try expectRoundTrip { random in
      JSON(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          [String(random.next(), radix: 36): Double(Int64(bitPattern: random.next()))]
        })
    }
  }
}
