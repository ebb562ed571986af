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
    /// How many of the numbers are dates of the plausible years in this reading.
    let plausibleCount: Int
    let firstYear: String
    let lastYear: String

    var years: String {
      firstYear == lastYear ? "dates of \(firstYear)" : "dates from \(firstYear) to \(lastYear)"
    }
  }

  /// Years that dates may be expected in.
  struct Years {
    let title: String
    fileprivate let seconds: Range<Double>

    /// First the years of most dates. Only if no number is one of those, the wider range counts.
    fileprivate static let ranges = [
      Years(title: "1980 and 2050", seconds: 315_532_800..<2_524_608_000),
      Years(title: "1971 and 2200", seconds: 31_536_000..<7_258_118_400),
    ]
  }

  /// The years in which some number is a date in some reading; nil if no number is one.
  let plausibleYears: Years?
  /// The readings that make dates of the plausible years of some of the numbers, the likeliest first;
  /// all readings if there are no plausible years.
  let candidates: [Candidate]
  /// How many of the numbers are dates of the plausible years if they are read as declared.
  let declaredCount: Int

  private static let year = 31_536_000.0

  /// Reads the numbers of a column, once for each range of years.
  init(
    of column: String, in table: String, _ storageClass: StorageClass, declared: StoredForm,
    _ connection: Connection
  ) throws {
    let readings = NumberReading.all(storageClass)
    var plausibleYears: Years?
    var candidates: [Candidate] = []
    for years in Years.ranges where plausibleYears == nil {
      candidates = try Self.candidates(readings, of: column, in: table, years, connection)
      if candidates.contains(where: { $0.plausibleCount > 0 }) { plausibleYears = years }
    }
    declaredCount =
      candidates.first { $0.reading.form == declared }?.plausibleCount ?? 0
    if plausibleYears != nil { candidates.removeAll { $0.plausibleCount == 0 } }
    self.plausibleYears = plausibleYears
    self.candidates = candidates.enumerated().sorted {
      ($1.element.plausibleCount, $0.offset) < ($0.element.plausibleCount, $1.offset)
    }.map(\.element)
  }

  private static func candidates(
    _ readings: [NumberReading], of column: String, in table: String, _ years: Years,
    _ connection: Connection
  ) throws -> [Candidate] {
    let counts = readings.map { reading in
      // Any small number is a date near the beginning of the count.
      let least = reading.number(max(years.seconds.lowerBound, reading.start + year))
      let end = reading.number(years.seconds.upperBound)
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
    return readings.enumerated().map { index, reading in
      Candidate(
        reading: reading, plausibleCount: Int(number(index + 2)),
        firstYear: yearText(reading.seconds(number(0))),
        lastYear: yearText(reading.seconds(number(1))))
    }
  }

  private static func yearText(_ seconds: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    if case .text(let text)? = try? date.databaseValue(as: .iso8601) { return "\(text.prefix(4))" }
    return seconds < 0 ? "before 0000" : "after 9999"
  }
}
