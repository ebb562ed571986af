#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Date: OrderedColumnValue {
  /// INTEGER by default; some forms that a schema may declare are REAL or TEXT.
  public static var storageClass: StorageClass { .integer }

  /// Reads the date from the form that the column declares. Throws `ColumnValueError` if the cell
  /// holds anything else.
  ///
  /// If the column declares a text form, every text that states the date exactly can be read, such
  /// as `2026-11-21T10:50:00.123456+02:00`. The time, its seconds, its fraction and the time zone
  /// may be missing, and a space may stand in place of `T`. Text without a time zone is taken as
  /// UTC.
  public init(_ cell: borrowing Cell) throws {
    switch cell.form {
    case .standard, .bytes, .uppercase:
      self.init(microsecondsSince1970: try cell.integer())
    case .unixEpoch, .unixMilliseconds:
      let count = try cell.integer()
      let (microseconds, overflow) = count.multipliedReportingOverflow(by: cell.form.dateUnit)
      guard !overflow else { throw ColumnValueError.invalid(count, as: Date.self) }
      self.init(microsecondsSince1970: microseconds)
    case .unixSeconds:
      let seconds = try cell.real()
      self = try Date(Date.microseconds(fromSeconds: seconds, after: 0), from: seconds)
    case .referenceSeconds:
      let seconds = try cell.real()
      self = try Date(
        Date.microseconds(fromSeconds: seconds, after: Date.secondsFrom1970To2001), from: seconds)
    case .julianDay:
      let days = try cell.real()
      let milliseconds = Int64(exactly: ((days - Date.julianDayOf1970) * 86_400_000).rounded())
      // The calculation uses integers, because a Double cannot represent single microseconds in a
      // distant century.
      let (microseconds, overflow) = (milliseconds ?? .max).multipliedReportingOverflow(by: 1_000)
      self = try Date(overflow ? nil : microseconds, from: days)
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds:
      let text = try cell.text()
      guard let microseconds = DateText.parse(text) else {
        throw ColumnValueError.invalid(text, as: Date.self)
      }
      self.init(microsecondsSince1970: microseconds)
    }
  }

  /// Returns the microseconds since 1970-01-01T00:00:00Z, or the date in the form that the column
  /// declares.
  ///
  /// Throws `ColumnValueError` if the microseconds do not fit in 64 bits (about 292,000 years from
  /// 1970), or, for a text form, if the year is not between 0000 and 9999.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard let microseconds = microsecondsSince1970 else {
      throw ColumnValueError.unstorable(
        self, "its microseconds since 1970 do not fit in 64 bits")
    }
    switch form {
    case .standard, .bytes, .uppercase:
      return .integer(microseconds)
    case .unixEpoch, .unixMilliseconds:
      return .integer(try rounded(microseconds, to: form) / form.dateUnit)
    case .unixSeconds:
      return .real(Double(microseconds) / 1_000_000)
    case .referenceSeconds:
      return .real(Date.referenceSeconds(fromMicroseconds: microseconds))
    case .julianDay:
      let milliseconds = (Double(microseconds) / 1_000).rounded()
      return .real(milliseconds / 86_400_000 + Date.julianDayOf1970)
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds:
      guard let text = try DateText(form)?.text(rounded(microseconds, to: form)) else {
        throw ColumnValueError.unstorable(self, "as text, its year must be between 0000 and 9999")
      }
      return .text(text)
    }
  }

  /// Returns the date rounded to the microsecond, as it is read back from the standard form.
  public static func canonical(_ value: Date) -> Date {
    value.microsecondsSince1970.map(Date.init(microsecondsSince1970:)) ?? value
  }

  /// Returns whether both dates round to the same microsecond.
  public static func isStoredAlike(_ left: Date, _ right: Date) -> Bool {
    canonical(left) == canonical(right)
  }

  /// Returns INTEGER, REAL or TEXT, depending on the form; nil if a date has no such form.
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    switch form {
    case .standard, .unixEpoch, .unixMilliseconds: .integer
    case .unixSeconds, .referenceSeconds, .julianDay: .real
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds: .text
    case .bytes, .uppercase: nil
    }
  }

  /// Rounds microseconds to the unit of the form, such as whole seconds.
  private func rounded(_ microseconds: Int64, to form: StoredForm) throws -> Int64 {
    let unit = form.dateUnit
    let (moved, overflow) = microseconds.addingReportingOverflow(unit / 2)
    guard !overflow else {
      throw ColumnValueError.unstorable(self, "after rounding, it does not fit in 64 bits")
    }
    let rest = moved % unit
    let (whole, isLess) = moved.subtractingReportingOverflow(rest < 0 ? rest + unit : rest)
    guard !isLess else {
      throw ColumnValueError.unstorable(self, "after rounding, it does not fit in 64 bits")
    }
    return whole
  }
}

extension Date {
  static let secondsFrom1970To2001: Int64 = 978_307_200
  static let julianDayOf1970 = 2_440_587.5

  /// Makes a date from a number of microseconds. Every form is read through this initializer, so
  /// that dates with equal microseconds are equal.
  ///
  /// A Date is a Double of seconds since 2001, and several Doubles lie within each microsecond. In
  /// the years 1865 to 2241 this initializer calculates as `Date(timeIntervalSince1970:)` does. A
  /// date that a program made in that way from whole milliseconds or microseconds is therefore
  /// equal when it is read back. In these years the rounding errors together stay below half a
  /// microsecond, so the date converts back to the same microseconds. In other years the errors may
  /// be larger, so the result is the Double nearest to the microsecond.
  package init(microsecondsSince1970 microseconds: Int64) {
    if Date.commonMicroseconds.contains(microseconds) {
      self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    } else {
      self.init(
        timeIntervalSinceReferenceDate: Date.referenceSeconds(fromMicroseconds: microseconds))
    }
  }

  /// The years 1865 to 2241, in microseconds since 1970.
  private static var commonMicroseconds: Range<Int64> {
    -3_313_440_000_000_000..<8_583_494_400_000_000
  }

  /// Returns the Double of seconds since 2001 that is nearest to a number of microseconds since
  /// 1970.
  private static func referenceSeconds(fromMicroseconds microseconds: Int64) -> Double {
    // Whole seconds and the rest are converted separately. If all microseconds were converted as
    // one Double, the result would be rounded twice.
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Double(seconds - secondsFrom1970To2001) + Double(rest) / 1_000_000
  }

  /// The nearest number of microseconds since 1970; nil if it does not fit in 64 bits.
  package var microsecondsSince1970: Int64? {
    Date.microseconds(
      fromSeconds: timeIntervalSinceReferenceDate, after: Date.secondsFrom1970To2001)
  }

  /// Converts a number of seconds after `moment` to microseconds since 1970. `moment` is given in
  /// seconds since 1970. Returns nil if the microseconds do not fit in 64 bits. Whole seconds and
  /// the rest are converted separately, so that only the rest is rounded.
  private static func microseconds(fromSeconds seconds: Double, after moment: Int64) -> Int64? {
    let wholeSeconds = seconds.rounded(.down)
    guard let whole = Int64(exactly: wholeSeconds) else { return nil }
    let micros = Int64(((seconds - wholeSeconds) * 1_000_000).rounded())
    let (shifted, overflowA) = whole.addingReportingOverflow(moment)
    let (scaled, overflowB) = shifted.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflowC) = scaled.addingReportingOverflow(micros)
    return overflowA || overflowB || overflowC ? nil : sum
  }

  private init(_ microseconds: Int64?, from real: Double) throws {
    guard let microseconds else { throw ColumnValueError.invalid(real, as: Date.self) }
    self.init(microsecondsSince1970: microseconds)
  }
}
