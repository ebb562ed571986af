import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A date that programs store as a number, and what the number counts.
struct NumberReading {
  /// What the number counts, in the words of a plan.
  let title: String
  /// The form of the library that reads it; nil if it takes an expression of Swift.
  let form: StoredForm?
  /// The expression of Swift that makes a date of `$0`, a Double.
  let expression: String
  /// How many seconds the number 1 is.
  let scale: Double
  /// The seconds from 1970 to the number 0.
  let start: Double

  private init(
    _ title: String, _ form: StoredForm?, _ expression: String, scale: Double, start: Double = 0
  ) {
    self.title = title
    self.form = form
    self.expression = expression
    self.scale = scale
    self.start = start
  }

  private static let from1970To2001 = 978_307_200.0

  /// What numbers of a storage class may count.
  static func all(_ storageClass: StorageClass) -> [NumberReading] {
    let isInteger = storageClass == .integer
    return [
      NumberReading(
        "microseconds since 1970", isInteger ? .standard : nil,
        "Date(timeIntervalSince1970: $0 / 1_000_000)", scale: 1e-6),
      NumberReading(
        "milliseconds since 1970", isInteger ? .unixMilliseconds : nil,
        "Date(timeIntervalSince1970: $0 / 1_000)", scale: 1e-3),
      NumberReading(
        "seconds since 1970", isInteger ? .unixEpoch : .unixSeconds,
        "Date(timeIntervalSince1970: $0)", scale: 1),
      NumberReading(
        "seconds since 2001", .referenceSeconds, "Date(timeIntervalSinceReferenceDate: $0)",
        scale: 1, start: from1970To2001),
      NumberReading(
        "milliseconds since 2001", nil, "Date(timeIntervalSinceReferenceDate: $0 / 1_000)",
        scale: 1e-3, start: from1970To2001),
      NumberReading(
        "Julian days", .julianDay, "Date(timeIntervalSince1970: ($0 - 2_440_587.5) * 86_400)",
        scale: 86_400, start: -2_440_587.5 * 86_400),
    ]
  }

  /// The seconds since 1970 that a number means.
  func seconds(_ number: Double) -> Double { number * scale + start }

  /// The number that means so many seconds since 1970.
  func number(_ seconds: Double) -> Double { (seconds - start) / scale }
}

/// What the numbers of a column are if they are dates.
struct DateNumbers {
  struct Candidate {
    let reading: NumberReading
    /// How many of the dates are between 1980 and 2050.
    let likelyCount: Int
    let firstYear: String
    let lastYear: String

    var years: String {
      firstYear == lastYear ? "dates of \(firstYear)" : "dates from \(firstYear) to \(lastYear)"
    }
  }

  /// The readings that make dates of the years 1980 to 2050 of some of the numbers, the likeliest
  /// first.
  let candidates: [Candidate]
  /// Whether some of the numbers are dates between 1980 and 2050 in some reading.
  let hasLikely: Bool
  /// How many of the dates are between 1980 and 2050 if the numbers are read as declared.
  let declaredCount: Int

  private static let year = 31_536_000.0
  private static let years1980To2050 = 315_532_800.0..<2_524_608_000.0

  /// Reads the numbers of a column once.
  init(
    of column: String, in table: String, _ storageClass: StorageClass, declared: StoredForm,
    _ connection: Connection
  ) throws {
    let readings = NumberReading.all(storageClass)
    let counts = readings.map { reading in
      // Any small number is a date near the beginning of the count.
      let least = reading.number(
        max(Self.years1980To2050.lowerBound, reading.start + Self.year))
      let end = reading.number(Self.years1980To2050.upperBound)
      return "total(\(column) >= \(least) AND \(column) < \(end))"
    }
    let row = try connection.row(
      SQL(
        unsafe: "SELECT min(\(column)), max(\(column)), \(counts.joined(separator: ", ")) "
          + "FROM \(table) WHERE typeof(\(column)) IN ('integer', 'real')"))
    let values = row?.values ?? []
    func number(_ index: Int) -> Double {
      switch index < values.count ? values[index] : .null {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      default: 0
      }
    }
    var candidates: [Candidate] = []
    var declaredCount = 0
    for (index, reading) in readings.enumerated() {
      let count = Int(number(index + 2))
      if reading.form == declared { declaredCount = count }
      candidates.append(
        Candidate(
          reading: reading, likelyCount: count, firstYear: Self.year(reading.seconds(number(0))),
          lastYear: Self.year(reading.seconds(number(1)))))
    }
    hasLikely = candidates.contains { $0.likelyCount > 0 }
    if hasLikely { candidates.removeAll { $0.likelyCount == 0 } }
    self.candidates = candidates.enumerated().sorted {
      ($1.element.likelyCount, $0.offset) < ($0.element.likelyCount, $1.offset)
    }.map(\.element)
    self.declaredCount = declaredCount
  }

  private static func year(_ seconds: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    if case .text(let text)? = try? date.databaseValue(as: .iso8601) { return "\(text.prefix(4))" }
    return seconds < 0 ? "before 0000" : "after 9999"
  }
}
