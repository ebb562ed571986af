import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A step from one date to another: a modifier of SQLite's date functions.
///
/// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html#modifiers>
public struct DateModifier: Hashable, Sendable {
  /// The amount and the unit of a length of time, a step of the calendar, or the start of a period.
  let text: String
  /// Whether the step goes to the start of a day, which discards the fraction of the second.
  let startsDay: Bool
  /// Whether the step is a length of time, which is the same in every time zone. The others depend
  /// on the calendar of the zone.
  let isDuration: Bool
  /// What becomes of a day that the resulting month does not have.
  let overflow: MonthOverflow
  /// The length of the step, if it is one of milliseconds. SQLite's modifiers move whole seconds.
  let milliseconds: Int?

  private init(
    _ text: String, startsDay: Bool = false, isDuration: Bool = false,
    overflow: MonthOverflow = .ceiling, milliseconds: Int? = nil
  ) {
    self.text = text
    self.startsDay = startsDay
    self.isDuration = isDuration
    self.overflow = overflow
    self.milliseconds = milliseconds
  }

  private static func step(
    _ count: Int, _ unit: String, isDuration: Bool = false, overflow: MonthOverflow = .ceiling
  ) -> DateModifier {
    DateModifier(
      (count < 0 ? "" : "+") + "\(count) \(unit)", isDuration: isDuration, overflow: overflow)
  }

  /// Moves the date by `count` milliseconds; to an earlier one if `count` is negative. A date that
  /// is stored in whole seconds moves by the seconds that are complete.
  public static func milliseconds(_ count: Int) -> DateModifier {
    DateModifier("\(count) milliseconds", isDuration: true, milliseconds: count)
  }
  /// Moves the date by `count` seconds; to an earlier one if `count` is negative.
  public static func seconds(_ count: Int) -> DateModifier {
    step(count, "seconds", isDuration: true)
  }
  /// Moves the date by `count` minutes.
  public static func minutes(_ count: Int) -> DateModifier {
    step(count, "minutes", isDuration: true)
  }
  /// Moves the date by `count` hours.
  public static func hours(_ count: Int) -> DateModifier {
    step(count, "hours", isDuration: true)
  }
  /// Moves the date by `count` days.
  public static func days(_ count: Int) -> DateModifier { step(count, "days") }
  /// Moves the date by `count` months. By default, a day that the month does not have becomes a day
  /// of the next month.
  ///
  /// ```swift
  /// Post.select { $0.$start.modified(by: .months(1)) }             // January 31st: March 3rd
  /// Post.select { $0.$start.modified(by: .months(1, .floor)) }     // January 31st: February 28th
  /// ```
  public static func months(_ count: Int, _ overflow: MonthOverflow = .ceiling) -> DateModifier {
    step(count, "months", overflow: overflow)
  }
  /// Moves the date by `count` years. By default, February 29th becomes March 1st in a year without
  /// that day.
  public static func years(_ count: Int, _ overflow: MonthOverflow = .ceiling) -> DateModifier {
    step(count, "years", overflow: overflow)
  }
  /// Moves to the next given day of the week (Sunday is 0), unless the date is on that day.
  public static func weekday(_ day: Int) -> DateModifier { DateModifier("weekday \(day)") }
  /// The start of the day, 00:00.
  public static let startOfDay = DateModifier("start of day", startsDay: true)
  /// The start of the first day of the month.
  public static let startOfMonth = DateModifier("start of month", startsDay: true)
  /// The start of January 1st.
  public static let startOfYear = DateModifier("start of year", startsDay: true)
}
