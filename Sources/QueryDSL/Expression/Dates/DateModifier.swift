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
  let text: String
  /// Whether the step goes to the start of a day, which discards the fraction of the second.
  let startsDay: Bool
  /// Whether the step is a length of time, which is the same in every time zone. The others depend
  /// on the calendar of the zone.
  let isDuration: Bool

  private init(_ text: String, startsDay: Bool = false, isDuration: Bool = false) {
    self.text = text
    self.startsDay = startsDay
    self.isDuration = isDuration
  }

  private static func step(
    _ count: Int, _ unit: String, isDuration: Bool = false
  ) -> DateModifier {
    DateModifier((count < 0 ? "" : "+") + "\(count) \(unit)", isDuration: isDuration)
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
  /// Moves the date by `count` months. A day that the month does not have becomes a day of the next
  /// month.
  public static func months(_ count: Int) -> DateModifier { step(count, "months") }
  /// Moves the date by `count` years.
  public static func years(_ count: Int) -> DateModifier { step(count, "years") }
  /// Moves to the next given day of the week (Sunday is 0), unless the date is on that day.
  public static func weekday(_ day: Int) -> DateModifier { DateModifier("weekday \(day)") }
  /// The start of the day, 00:00.
  public static let startOfDay = DateModifier("start of day", startsDay: true)
  /// The start of the first day of the month.
  public static let startOfMonth = DateModifier("start of month", startsDay: true)
  /// The start of January 1st.
  public static let startOfYear = DateModifier("start of year", startsDay: true)
}
