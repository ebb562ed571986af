import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A time zone in which a query reads dates: UTC, the zone of the machine, or a zone by its
/// identifier.
///
/// ```swift
/// Post.select { ($0.$createdAt.day(in: .localTime), $0.count()) }
///   .group { $0.$createdAt.day(in: .localTime) }
/// Post.where { $0.$createdAt.component(.hour, in: "Europe/Berlin") < 12 }
/// ```
///
/// The rules of a zone come from Foundation's `TimeZone`, for all years. SQLite's own `localtime`
/// knows only the rules of 1970 to 2037. Indexes and generated columns cannot use time zones,
/// because governments change the rules and the stored results would become wrong.
///
/// On Linux, a program that links Foundation statically has time zones only if it uses something of
/// FoundationInternationalization, such as `1.5.formatted()`. Otherwise, all zones except `.utc`
/// throw `QueryError`.
public struct SQLTimeZone: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The identifier; nil for UTC.
  let identifier: String?

  /// Names a time zone by its identifier in the time zone database, such as `Europe/Berlin`. An
  /// identifier that does not exist throws `QueryError` when the query is rendered.
  public init(_ identifier: String) {
    self.identifier = identifier
  }

  /// Makes a time zone from its identifier, such as the literal `"Europe/Berlin"`.
  public init(stringLiteral identifier: String) {
    self.init(identifier)
  }

  /// Makes a time zone from the identifier of a `TimeZone` of Foundation.
  public init(_ zone: TimeZone) {
    self.init(zone.identifier)
  }

  private init() {
    identifier = nil
  }

  /// Coordinated Universal Time, which has no daylight saving time.
  public static let utc = SQLTimeZone()
  /// The time zone of the machine: `TimeZone.current` when the query runs.
  public static let localTime = SQLTimeZone(TimeZone.localName)

  /// Converts a moment to the local time of the zone. Both are whole seconds since 1970. For
  /// example, if the clocks of the zone show 9:30 at the given moment, the result is the moment at
  /// which the clocks of UTC show 9:30.
  func local(_ seconds: ExpressionNode) -> ExpressionNode { called("apus_local", seconds) }

  /// Converts a local time of the zone, as `local` returns it, to whole seconds since 1970.
  ///
  /// - Parameter isStart: Whether the local time is the start of a day. If the clocks skip
  ///   midnight, the day begins when the clocks change.
  func utc(_ seconds: ExpressionNode, isStart: Bool) -> ExpressionNode {
    called(isStart ? "apus_utc_start" : "apus_utc", seconds)
  }

  private func called(_ function: String, _ seconds: ExpressionNode) -> ExpressionNode {
    guard let identifier else { return seconds }
    guard TimeZone.areKnown else {
      return .invalid(
        QueryError(
          "this program knows no time zone but GMT, because it links Foundation statically; link "
            + "it dynamically, or use something of FoundationInternationalization, such as "
            + "1.5.formatted(), which makes the linker include the time zones"))
    }
    guard TimeZone(named: identifier) != nil else {
      return .invalid(
        QueryError(
          "there is no time zone \(identifier.debugDescription); use an identifier of the time "
            + "zone database, such as \"Europe/Berlin\", or .localTime"))
    }
    return .function(function, [seconds, .value(BoundValue(identifier))])
  }
}

// A date is a moment. Its day and hour depend on the time zone. The functions here convert the
// moment to the seconds that a clock in the zone shows, and apply SQLite's date function to these
// seconds. A result that is a date is converted back.
// https://www.sqlite.org/lang_datefunc.html

extension SQLExpression where Value: DateColumnValue {
  /// Returns a part of the date in a time zone.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt.component(.hour, in: .localTime) < 12 }
  /// // … WHERE CAST(strftime('%H', apus_local(…, ?), 'unixepoch') AS INTEGER) < ?
  /// ```
  /// A date after the year 9999 gives NULL. Reading NULL as an `Int` throws `ColumnValueError`.
  /// SQLite's functions are not defined for dates before the year 0. An unknown time zone throws
  /// `QueryError`.
  public func component(
    _ component: DateComponent, in zone: SQLTimeZone
  ) -> SQLExpression<Value.DateComponentResult> {
    SQLExpression<Value.DateComponentResult>(
      .cast(formatted(.constant("'\(component.rawValue)'"), in: zone), .integer))
  }

  /// Formats the date as text in a time zone, with a format string of SQLite.
  /// SQL: `strftime(?, apus_local(…, ?), 'unixepoch')`
  ///
  /// A date after the year 9999 gives NULL. Reading NULL as a `String` throws `ColumnValueError`.
  /// SQLite's functions are not defined for dates before the year 0. An unknown time zone throws
  /// `QueryError`.
  public func strftime(
    _ format: String, in zone: SQLTimeZone
  ) -> SQLExpression<Value.DateTextResult> {
    SQLExpression<Value.DateTextResult>(formatted(.value(BoundValue(format)), in: zone))
  }

  /// Returns the day in a time zone as text, such as `2026-11-21`. Use it to group rows by day.
  ///
  /// ```swift
  /// Post.select { ($0.$createdAt.day(in: .localTime), $0.count()) }
  ///   .group { $0.$createdAt.day(in: .localTime) }
  /// // SELECT strftime('%Y-%m-%d', apus_local(…, ?), 'unixepoch'), count(*) FROM "Post" GROUP BY …
  /// ```
  /// A date after the year 9999 gives NULL. Reading NULL as a `String` throws `ColumnValueError`.
  /// SQLite's functions are not defined for dates before the year 0. An unknown time zone throws
  /// `QueryError`.
  public func day(in zone: SQLTimeZone) -> SQLExpression<Value.DateTextResult> {
    SQLExpression<Value.DateTextResult>(formatted(.constant("'%Y-%m-%d'"), in: zone))
  }

  /// Returns the moment at which the day of the date begins in a time zone. The day begins at
  /// midnight or, if the clocks skip midnight, at the first moment after it.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt.startOfDay(in: "Europe/Berlin") == day }
  /// ```
  /// The result has the same stored form as the date. A date after the year 9999 gives NULL.
  /// Reading NULL as a `Date` throws `ColumnValueError`. If the date is stored as text, a date
  /// before the year 0 gives NULL, too. An unknown time zone throws `QueryError`.
  public func startOfDay(in zone: SQLTimeZone) -> SQLExpression {
    modified(by: [.startOfDay], in: zone)
  }

  /// Applies modifiers to the date, one after another, in a time zone. The result has the same
  /// stored form as the date.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt > .currentTimestamp.modified(by: .startOfMonth, in: .localTime) }
  /// ```
  /// Days, months and years follow the zone's calendar: `.days(1)` is the same time on the next
  /// day, after 23 to 25 hours. If the clocks skip the resulting time, the result is later by the
  /// skipped length: 2:30 becomes 3:30. If the time occurs twice, the result is the first
  /// occurrence. Hours, minutes and seconds are lengths of time.
  ///
  /// A result after the year 9999 gives NULL. Reading NULL as a `Date` throws `ColumnValueError`.
  /// If the date is stored as text, a result before the year 0 gives NULL, too. If the date is
  /// stored as a number, these limits do not apply to `.milliseconds`. An unknown time zone throws
  /// `QueryError`.
  public func modified(by modifiers: DateModifier..., in zone: SQLTimeZone) -> SQLExpression {
    modified(by: modifiers, in: zone)
  }

  /// Moves the date by a number of units. The number is an expression, such as a column. The result
  /// has the same stored form as the date.
  ///
  /// ```swift
  /// Loan.where { $0.$begin.modified(by: $0.$length, .days) < now }
  /// // … CAST(strftime('%s', …, 'unixepoch', "length" || ' days') …
  /// ```
  /// `overflow` applies to months and years. It decides the date if the resulting month does not
  /// have the day, such as February 31st. Days, months and years follow the zone's calendar, as
  /// with other modifiers. An amount that is NULL gives NULL. A result after the year 9999 gives
  /// NULL, too, and so does a result before the year 0 if the date is stored as text. If the date
  /// is stored as a number, these limits do not apply to `.milliseconds`.
  public func modified(
    by amount: SQLExpression<Int>, _ unit: DateUnit, _ overflow: MonthOverflow = .ceiling,
    in zone: SQLTimeZone = .utc
  ) -> SQLExpression {
    if unit == .milliseconds { return modified { $0.moved(byMilliseconds: amount.node) } }
    let step = DateStep(
      node: .binary(.concat, amount.node, .constant("' \(unit.rawValue)'")),
      overflow: unit.canOverflow ? overflow : .ceiling)
    return modified {
      $0.moved(by: [DateSteps([step], isDuration: unit.isDuration)], in: zone)
    }
  }

  private func formatted(_ format: ExpressionNode, in zone: SQLTimeZone) -> ExpressionNode {
    .function("strftime", [format, zone.local(wholeSeconds), .constant("'unixepoch'")])
  }
}
