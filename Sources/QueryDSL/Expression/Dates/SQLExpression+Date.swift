import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A part of a date.
///
/// ```swift
/// let inMay = Post.where { $0.$createdAt.component(.month) == 5 }
/// ```
public enum DateComponent: String, Sendable {
  /// The year, 0 to 9999.
  case year = "%Y"
  /// The month, 1 to 12.
  case month = "%m"
  /// The day of the month, 1 to 31.
  case day = "%d"
  /// The hour, 0 to 23.
  case hour = "%H"
  /// The minute, 0 to 59.
  case minute = "%M"
  /// The second, 0 to 59.
  case second = "%S"
  /// The day of the week, Sunday 0 to Saturday 6.
  case weekday = "%w"
  /// The day of the year, 1 to 366.
  case dayOfYear = "%j"
}

// SQLite's date functions take text, days or seconds. Each stored form is first converted to whole
// seconds, because whole seconds are exact. SQLite would round a fraction to milliseconds, and the
// rounded time could be on the next day.
// https://www.sqlite.org/lang_datefunc.html

extension SQLExpression where Value: DateColumnValue {
  /// Returns a part of the date, in UTC. SQL: `CAST(strftime('%Y', …) AS INTEGER)`
  ///
  /// A date after the year 9999 gives NULL. Reading NULL as an `Int` throws `ColumnValueError`.
  /// SQLite's functions are not defined for dates before the year 0.
  public func component(_ component: DateComponent) -> SQLExpression<Value.DateComponentResult> {
    self.component(component, in: .utc)
  }

  /// Formats the date as text in UTC, with a format string of SQLite. SQL: `strftime(?, …)`
  ///
  /// A date after the year 9999 gives NULL. Reading NULL as a `String` throws `ColumnValueError`.
  /// SQLite's functions are not defined for dates before the year 0.
  public func strftime(_ format: String) -> SQLExpression<Value.DateTextResult> {
    strftime(format, in: .utc)
  }

  /// Applies modifiers to the date, one after another, in UTC. The result has the same stored form
  /// as the date.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt.modified(by: .startOfMonth, .months(1)) > date }
  /// ```
  /// A result after the year 9999 gives NULL. Reading NULL as a `Date` throws `ColumnValueError`.
  /// If the date is stored as text, a result before the year 0 gives NULL, too. If the date is
  /// stored as a number, these limits do not apply to `.milliseconds`.
  public func modified(by modifiers: DateModifier...) -> SQLExpression {
    modified(by: modifiers, in: .utc)
  }

  /// Returns the whole seconds since 1970, rounded down. SQL: `"a" / 1000000 - …`
  public func unixSeconds() -> SQLExpression<Value.DateComponentResult> {
    SQLExpression<Value.DateComponentResult>(wholeSeconds)
  }

  fileprivate var seconds: ExpressionNode { form.seconds(of: node) }

  var wholeSeconds: ExpressionNode { form.wholeSeconds(of: node) }

  /// The current time, exact to the millisecond. It has the stored form of the column with which it
  /// is compared or to which it is assigned.
  ///
  /// ```swift
  /// Post.update { $0.$readAt = .currentTimestamp }
  /// Post.where { $0.$createdAt > .currentTimestamp.modified(by: .days(-7)) }
  /// ```
  /// If the column stores whole seconds, the time is rounded down. All uses within one call of
  /// `sqlite3_step` have the same value.
  public static var currentTimestamp: SQLExpression {
    SQLExpression(.adapting(AdaptingNode { .constant($0.currentTimestamp) }))
  }
}

extension SQLExpression where Value == Date {
  /// Returns the seconds since 1970 with their fraction, as SQLite's modifier `subsec` does.
  /// SQL: `"a" / 1000000.0`
  public func secondsSince1970() -> SQLExpression<Double> { SQLExpression<Double>(seconds) }
}

extension SQLExpression where Value == Date? {
  /// Returns the seconds since 1970 with their fraction; NULL if there is no date.
  /// SQL: `"a" / 1000000.0`
  public func secondsSince1970() -> SQLExpression<Double?> { SQLExpression<Double?>(seconds) }
}

extension StoredForm {
  /// Converts a date that is stored in this form to seconds since 1970, as a REAL.
  fileprivate func seconds(of date: ExpressionNode) -> ExpressionNode {
    switch self {
    case .standard, .bytes, .uppercase, .unixMilliseconds:
      .binary(.divide, date, .constant(unitsOfSecond + ".0"))
    case .unixEpoch: .cast(date, .real)
    case .unixSeconds: date
    case .referenceSeconds: .binary(.plus, date, .constant("978307200.0"))
    case .julianDay:
      .binary(
        .divide,
        .function(
          "round",
          [
            .binary(
              .times, .binary(.minus, date, .constant("2440587.5")), .constant("86400000.0"))
          ]), .constant("1000.0"))
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds:
      // The text after the seconds is, for example, `.123456Z`. With a zero before it, CAST reads
      // the number 0.123456 at its start, and ignores the rest.
      .binary(
        .plus, wholeSeconds(of: date),
        .cast(
          .binary(
            .concat, .constant("'0'"), .function("substr", [date, .constant("20")])), .real))
    }
  }
}

extension StoredForm {
  /// The SQL for the current time in this form. SQLite's clock counts milliseconds.
  fileprivate var currentTimestamp: String {
    let milliseconds = "round((julianday('now') - 2440587.5) * 86400000.0)"
    return switch self {
    case .standard, .bytes, .uppercase: "(CAST(\(milliseconds) AS INTEGER) * 1000)"
    case .unixMilliseconds: "CAST(\(milliseconds) AS INTEGER)"
    case .unixEpoch: "CAST(strftime('%s', 'now') AS INTEGER)"
    case .unixSeconds: "(\(milliseconds) / 1000.0)"
    case .referenceSeconds: "((\(milliseconds) - 978307200000.0) / 1000.0)"
    case .julianDay: "julianday('now')"
    case .iso8601: "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')"
    case .iso8601Milliseconds: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
    case .iso8601Seconds: "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
    case .datetime: "strftime('%Y-%m-%d %H:%M:%f', 'now')"
    case .datetimeSeconds: "strftime('%Y-%m-%d %H:%M:%S', 'now')"
    }
  }
}

extension StoredForm {
  /// Converts a date that is stored in this form to whole seconds since 1970, rounded down.
  func wholeSeconds(of date: ExpressionNode) -> ExpressionNode {
    switch self {
    case .unixEpoch: return date
    case .standard, .bytes, .uppercase, .unixMilliseconds:
      // SQL's division rounds towards zero. If the remainder is negative, one second is subtracted.
      let second = ExpressionNode.constant(unitsOfSecond)
      let rest = ExpressionNode.binary(.remainder, date, second)
      return .binary(
        .minus, .binary(.divide, date, second),
        .predicate(.compare(.less, rest, .constant("0"))))
    case .unixSeconds: return Self.floor(date)
    case .referenceSeconds: return .binary(.plus, Self.floor(date), .constant("978307200"))
    case .julianDay:
      return .cast(.function("strftime", [.constant("'%s'"), date]), .integer)
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds:
      let seconds = ExpressionNode.function("substr", [date, .constant("1"), .constant("19")])
      return .cast(.function("strftime", [.constant("'%s'"), seconds]), .integer)
    }
  }

  /// The number of stored units in a second, for a form that stores milliseconds or microseconds.
  private var unitsOfSecond: String { self == .unixMilliseconds ? "1000" : "1000000" }

  private static func floor(_ real: ExpressionNode) -> ExpressionNode {
    let whole = ExpressionNode.cast(real, .integer)
    return .binary(.minus, whole, .predicate(.compare(.less, real, whole)))
  }

  /// Converts whole seconds since 1970 to a date in this form. `rest` has another date, and the
  /// whole seconds of that date. The result gets the fraction of a second that this other date has.
  /// If `rest` is nil, the result has no fraction.
  func dateNode(
    fromSeconds seconds: ExpressionNode, restOf rest: (ExpressionNode, ExpressionNode)?
  ) -> ExpressionNode {
    switch self {
    case .unixEpoch: return seconds
    case .standard, .bytes, .uppercase, .unixMilliseconds:
      let second = ExpressionNode.constant(unitsOfSecond)
      let whole = ExpressionNode.binary(.times, seconds, second)
      guard let rest else { return whole }
      let ofSecond = ExpressionNode.binary(.minus, rest.0, .binary(.times, rest.1, second))
      return .binary(.plus, whole, ofSecond)
    case .unixSeconds, .referenceSeconds:
      let real = ExpressionNode.cast(seconds, .real)
      let moved: ExpressionNode =
        self == .unixSeconds ? real : .binary(.minus, real, .constant("978307200.0"))
      guard let rest else { return moved }
      let start: ExpressionNode =
        self == .unixSeconds ? rest.1 : .binary(.minus, rest.1, .constant("978307200"))
      return .binary(.plus, moved, .binary(.minus, rest.0, start))
    case .julianDay:
      let days = ExpressionNode.function("julianday", [seconds, .constant("'unixepoch'")])
      guard let rest else { return days }
      let start = ExpressionNode.function("julianday", [rest.1, .constant("'unixepoch'")])
      return .binary(.plus, days, .binary(.minus, rest.0, start))
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds, .datetime, .datetimeSeconds:
      return text(fromSeconds: seconds, restOf: rest?.0)
    }
  }

  /// Converts whole seconds since 1970 to a date as text. `date` is another date as text. The
  /// result gets the fraction of a second that this other date has. If `date` is nil, the digits of
  /// the fraction are zeros.
  private func text(
    fromSeconds seconds: ExpressionNode, restOf date: ExpressionNode?
  ) -> ExpressionNode {
    let digits = fractionDigits
    return text(
      fromSeconds: seconds,
      fraction: date.map { .function("substr", [$0, .constant("21"), .constant("\(digits)")]) }
        ?? .constant("'" + String(repeating: "0", count: digits) + "'"))
  }

  /// Makes a date as text from whole seconds since 1970 and from `fraction`, the digits after the
  /// decimal point. A form without a fraction ignores these digits.
  func text(fromSeconds seconds: ExpressionNode, fraction: ExpressionNode) -> ExpressionNode {
    let (format, end): (String, String) =
      switch self {
      case .iso8601Seconds: ("'%Y-%m-%dT%H:%M:%SZ'", "")
      case .datetime: ("'%Y-%m-%d %H:%M:%S.'", "")
      case .datetimeSeconds: ("'%Y-%m-%d %H:%M:%S'", "")
      default: ("'%Y-%m-%dT%H:%M:%S.'", "'Z'")
      }
    // Before the year 0, strftime would return a text that is not a date. So `nullif` replaces all
    // such seconds by NULL. The bound is the last second before the year 0.
    let bound = ExpressionNode.constant("-62167219201")
    let inRange = ExpressionNode.function("nullif", [.function("max", [seconds, bound]), bound])
    let whole = ExpressionNode.function(
      "strftime", [.constant(format), inRange, .constant("'unixepoch'")])
    guard fractionDigits > 0 else { return whole }
    let text = ExpressionNode.binary(.concat, whole, fraction)
    return end.isEmpty ? text : .binary(.concat, text, .constant(end))
  }

  /// How many digits a text in this form has after the decimal point of the second: 0, 3 or 6.
  private var fractionDigits: Int {
    switch self {
    case .iso8601Seconds, .datetimeSeconds: 0
    case .iso8601Milliseconds, .datetime: 3
    default: 6
    }
  }
}

extension StoredForm {
  /// Returns a date in this form that is `count` milliseconds later. If the form stores whole
  /// seconds, the date moves by `count / 1000` seconds, rounded down.
  func dateNode(
    _ date: ExpressionNode, movedByMilliseconds count: ExpressionNode
  ) -> ExpressionNode {
    switch self {
    case .standard, .bytes, .uppercase:
      return .binary(.plus, date, .binary(.times, count, .constant("1000")))
    case .unixMilliseconds: return .binary(.plus, date, count)
    case .unixEpoch: return .binary(.plus, date, count.floorDivided(by: "1000"))
    case .unixSeconds, .referenceSeconds:
      return .binary(.plus, date, .binary(.divide, count, .constant("1000.0")))
    case .julianDay:
      return .binary(.plus, date, .binary(.divide, count, .constant("86400000.0")))
    case .datetimeSeconds, .iso8601Seconds:
      return dateNode(
        fromSeconds: .binary(.plus, wholeSeconds(of: date), count.floorDivided(by: "1000")),
        restOf: nil)
    case .iso8601: return text(date, movedBy: .binary(.times, count, .constant("1000")), digits: 6)
    case .iso8601Milliseconds, .datetime: return text(date, movedBy: count, digits: 3)
    }
  }

  /// Moves a date that is stored as text with `digits` decimal places of the second. `count` is in
  /// the unit of the last digit, such as milliseconds for three digits.
  private func text(
    _ date: ExpressionNode, movedBy count: ExpressionNode, digits: Int
  ) -> ExpressionNode {
    let second = "1" + String(repeating: "0", count: digits)
    let fraction = ExpressionNode.cast(
      .function("substr", [date, .constant("21"), .constant("\(digits)")]), .integer)
    let sum = ExpressionNode.binary(.plus, fraction, count)
    let carry = sum.floorDivided(by: second)
    let rest = ExpressionNode.binary(
      .minus, sum, .binary(.times, carry, .constant(second)))
    return text(
      fromSeconds: .binary(.plus, wholeSeconds(of: date), carry),
      fraction: .function("printf", [.constant("'%0\(digits)d'"), rest]))
  }
}

extension ExpressionNode {
  /// Returns the quotient of two integers, rounded down. SQL's own division rounds towards zero.
  fileprivate func floorDivided(by divisor: String) -> ExpressionNode {
    let divisor = ExpressionNode.constant(divisor)
    return .binary(
      .minus, .binary(.divide, self, divisor),
      .predicate(.compare(.less, .binary(.remainder, self, divisor), .constant("0"))))
  }
}
