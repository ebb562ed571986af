import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MigrationFunctions {
  /// The SQL functions that read a form and convert between forms.
  ///
  /// - `apus_reform(column, form, value)` reads a value in a form and returns it in the form that
  ///   the column declares. It returns NULL if the type cannot read the value in that form, or if
  ///   the value would change.
  /// - `apus_is(column, form, value)` returns 1 if the type can read the value in a form, otherwise
  ///   0.
  var formFunctions: [(name: String, body: Function)] {
    [
      (
        "apus_reform",
        { arguments in
          let type = try column(of: arguments).type
          guard let form = try form(at: 1, of: arguments), let value = try? arguments[2],
            !value.isNull
          else { return .null }
          return type.converted(value, from: form) ?? .null
        }
      ),
      (
        "apus_is",
        { arguments in
          let type = try column(of: arguments).type
          guard let form = try form(at: 1, of: arguments), let value = try? arguments[2] else {
            return 0
          }
          return type.reads(value, as: form) ? 1 : 0
        }
      ),
    ]
  }

  private func form(at index: Int, of arguments: FunctionArguments) throws -> StoredForm? {
    guard case .integer(let number) = try arguments[index] else { return nil }
    return UInt8(exactly: number).flatMap(StoredForm.init)
  }
}

/// A way to read a number as a date: its unit, and the time from which it counts.
struct NumberReading {
  /// The unit and the start of counting, as a plan names them, such as `seconds since 2001`.
  let title: String
  /// The stored form that reads such numbers; nil if only a Swift expression can read them.
  let form: StoredForm?
  /// The Swift expression that makes a `Date` from `$0`, which is a `Double`.
  let expression: String
  /// The length of one unit, in seconds.
  let scale: Double
  /// The time of the number 0, in seconds since 1970.
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

  /// Returns the ways of reading numbers of a storage class as dates.
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

  /// Returns the time for which a number stands, in seconds since 1970.
  func seconds(_ number: Double) -> Double { number * scale + start }

  /// Returns the number that stands for a time. The time is given in seconds since 1970.
  func number(_ seconds: Double) -> Double { (seconds - start) / scale }
}

/// The possible ways to read the numbers of a column as dates.
struct DateNumbers {
  struct Candidate {
    let reading: NumberReading
    /// The number of values that are dates in the plausible years if they are read in this way.
    let plausibleCount: Int
    let firstYear: String
    let lastYear: String

    var years: String {
      firstYear == lastYear ? "dates of \(firstYear)" : "dates from \(firstYear) to \(lastYear)"
    }
  }

  /// A range of years in which dates are expected.
  struct Years {
    let title: String
    fileprivate let seconds: Range<Double>

    /// Most dates are in the first range. The second range is wider. It is tried only if no number
    /// is a date in the first range.
    fileprivate static let ranges = [
      Years(title: "1980 and 2050", seconds: 315_532_800..<2_524_608_000),
      Years(title: "1971 and 2200", seconds: 31_536_000..<7_258_118_400),
    ]
  }

  /// The first of `Years.ranges` in which at least one number is a date by any reading; nil if no
  /// range has such a number.
  let plausibleYears: Years?
  /// The readings by which at least one number is a date in the plausible years, the likeliest
  /// first. If there are no plausible years, these are all readings.
  let candidates: [Candidate]
  /// The number of values that are dates in the plausible years if they are read in the declared
  /// form.
  let declaredCount: Int

  private static let year = 31_536_000.0

  /// Reads the numbers of a column, by one statement for each range of years that is tried.
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
      // Whichever way they are read, small numbers such as 0 or 1 are dates soon after the start of
      // counting. Such dates say nothing about the form, so dates in the first year after the start
      // are not counted.
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

  /// Returns an SQL condition for integers that probably do not count microseconds. As
  /// microseconds, they would be dates in 1970. As seconds or milliseconds, they are dates between
  /// 1971 and 2200. Such integers come from another program.
  static func isOtherCount(_ column: String) -> String {
    let (first, last) = (31_536_000, 7_258_118_400)
    return "typeof(\(column)) = 'integer' AND (\(column) BETWEEN \(first) AND \(last) "
      + "OR \(column) BETWEEN \(first)000 AND \(last)000)"
  }

  private static func yearText(_ seconds: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    if case .text(let text)? = try? date.databaseValue(as: .iso8601) { return "\(text.prefix(4))" }
    return seconds < 0 ? "before 0000" : "after 9999"
  }
}
