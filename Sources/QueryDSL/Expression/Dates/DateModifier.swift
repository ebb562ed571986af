import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A change of a date, such as "14 days later" or "the start of the month". Each change except
/// `milliseconds` is a modifier of SQLite's date functions.
///
/// ```swift
/// let overdue = Post.where { $0.$createdAt.modified(by: .days(14)) < Date() }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html#modifiers>
public struct DateModifier: Hashable, Sendable {
  /// The modifier as text, such as `+3 months` or `start of day`.
  let text: String
  /// Whether this is `startOfDay`, `startOfMonth` or `startOfYear`. The resulting date has no
  /// fraction of a second.
  let startsDay: Bool
  /// Whether this adds a length of time, such as 3 hours, which is the same in every time zone.
  /// Other changes, such as 3 days, depend on the calendar of the zone.
  let isDuration: Bool
  /// The rule of `months` and `years` for a day that the resulting month does not have, such as
  /// February 31st.
  let overflow: MonthOverflow
  /// The number of milliseconds to add if this change is `milliseconds`; otherwise nil. It is added
  /// to the stored date, because SQLite's modifiers are applied to whole seconds.
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

  /// Moves the date by `count` milliseconds; a negative `count` gives an earlier date. A date that
  /// is stored in whole seconds moves by `count / 1000` seconds, rounded down.
  public static func milliseconds(_ count: Int) -> DateModifier {
    DateModifier("\(count) milliseconds", isDuration: true, milliseconds: count)
  }
  /// Moves the date by `count` seconds; a negative `count` gives an earlier date.
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
  /// Moves the date forward to a day of the week, where Sunday is 0. A date on that day does not
  /// move.
  public static func weekday(_ day: Int) -> DateModifier { DateModifier("weekday \(day)") }
  /// The start of the day, 00:00.
  public static let startOfDay = DateModifier("start of day", startsDay: true)
  /// The start of the first day of the month.
  public static let startOfMonth = DateModifier("start of month", startsDay: true)
  /// The start of January 1st.
  public static let startOfYear = DateModifier("start of year", startsDay: true)
}

/// A unit such as seconds or days, by which `modified(by:_:in:)` moves a date.
public enum DateUnit: String, Sendable {
  /// A thousandth of a second.
  case milliseconds
  /// A second.
  case seconds
  /// A minute.
  case minutes
  /// An hour.
  case hours
  /// A day of the calendar.
  case days
  /// A month of the calendar.
  case months
  /// A year of the calendar.
  case years

  /// Whether the unit is a length of time, which is the same in every time zone.
  var isDuration: Bool {
    switch self {
    case .milliseconds, .seconds, .minutes, .hours: true
    case .days, .months, .years: false
    }
  }

  /// Whether adding this unit can lead to a day that the month does not have, such as February
  /// 31st.
  var canOverflow: Bool { self == .months || self == .years }
}

/// The date to use if a month does not have the resulting day, such as February 31st.
///
/// The cases are named after SQLite's modifiers, which exist since SQLite 3.46. The SQL that Apus
/// writes works with every version.
/// - SeeAlso: <https://www.sqlite.org/lang_datefunc.html#modifiers>
public enum MonthOverflow: Sendable {
  /// The date continues into the next month: February 31st becomes March 3rd, or March 2nd in a
  /// leap year.
  case ceiling
  /// The date is the last day of the month: February 31st becomes February 28th, or 29th in a leap
  /// year.
  case floor
}

// SQLite's modifiers are applied to whole seconds. The fraction of the stored date is added to the
// result, unless a change goes to the start of a day. Milliseconds are added to the date in its
// stored form, between the other changes. https://www.sqlite.org/lang_datefunc.html#modifiers

/// One change of a date, such as "3 months later", made by a modifier of SQLite.
struct DateStep: Sendable {
  /// The argument of `strftime` that makes the change, such as the text `+3 months`.
  let node: ExpressionNode
  let overflow: MonthOverflow
}

/// Consecutive changes of a date that are applied together. In a zone other than UTC, either all
/// are lengths of time, such as hours, or all follow the calendar, such as days.
struct DateSteps: Sendable {
  let steps: [DateStep]
  let isDuration: Bool
  var startsDay = false

  init(_ steps: [DateStep], isDuration: Bool) {
    self.steps = steps
    self.isDuration = isDuration
  }

  init(_ modifiers: ArraySlice<DateModifier>) {
    steps = modifiers.map {
      DateStep(node: .value(BoundValue($0.text)), overflow: $0.overflow)
    }
    isDuration = modifiers.first?.isDuration ?? true
    startsDay = modifiers.contains(where: \.startsDay)
  }
}

extension SQLExpression where Value: DateColumnValue {
  func modified(by modifiers: [DateModifier], in zone: SQLTimeZone) -> SQLExpression {
    modified { $0.inItsForm(modifiedBy: modifiers, in: zone) }
  }

  /// Passes the date to `change` and returns the result. If the date is an expression without a
  /// stored form of its own, such as the current time, the result has none either.
  func modified(
    _ change: @escaping @Sendable (SQLExpression) -> SQLExpression
  ) -> SQLExpression {
    Self.combined([self]) { date, form in change(SQLExpression(date[0], form: form)).node }
  }

  private func inItsForm(
    modifiedBy modifiers: [DateModifier], in zone: SQLTimeZone
  ) -> SQLExpression {
    guard !modifiers.isEmpty else { return moved(by: [], in: zone) }
    var date = self
    for run in modifiers[...].runs(by: { $0.milliseconds != nil }) {
      if run.first?.milliseconds == nil {
        // In UTC, lengths of time and changes by the calendar can be applied together.
        let groups = zone == .utc ? [run] : run.runs(by: \.isDuration)
        date = date.moved(by: groups.map { DateSteps($0) }, in: zone)
      } else {
        for milliseconds in run.compactMap(\.milliseconds) {
          date = date.moved(byMilliseconds: .value(BoundValue(milliseconds)))
        }
      }
    }
    return date
  }

  /// Applies groups of changes, one group after another, to the date's whole seconds. The date
  /// keeps its fraction of a second, unless a change goes to the start of a day.
  func moved(by groups: [DateSteps], in zone: SQLTimeZone) -> SQLExpression {
    var seconds = wholeSeconds
    if groups.isEmpty { seconds = seconds.moved(by: []) }
    for group in groups {
      seconds =
        group.isDuration
        ? seconds.moved(by: group.steps)
        : zone.utc(zone.local(seconds).moved(by: group.steps), isStart: group.startsDay)
    }
    let startsDay = groups.contains(where: \.startsDay)
    return SQLExpression(
      form.dateNode(fromSeconds: seconds, restOf: startsDay ? nil : (node, wholeSeconds)),
      form: form)
  }

  func moved(byMilliseconds count: ExpressionNode) -> SQLExpression {
    SQLExpression(form.dateNode(node, movedByMilliseconds: count), form: form)
  }
}

extension ExpressionNode {
  /// Applies changes, one after another, to a date in whole seconds since 1970.
  fileprivate func moved(by steps: [DateStep]) -> ExpressionNode {
    guard let floor = steps.firstIndex(where: { $0.overflow == .floor }) else {
      return seconds(after: steps.map(\.node))
    }
    let start = floor > 0 ? seconds(after: steps[..<floor].map(\.node)) : self
    let moved = start.movedToLastDay(by: steps[floor].node)
    let rest = Array(steps[(floor + 1)...])
    return rest.isEmpty ? moved : moved.moved(by: rest)
  }

  private func seconds(after steps: [ExpressionNode]) -> ExpressionNode {
    .cast(
      .function("strftime", [.constant("'%s'"), self, .constant("'unixepoch'")] + steps), .integer)
  }

  /// Adds months or years to this date. If the resulting month does not have the day, the result is
  /// the same time on the month's last day. In this case, SQLite would return a date in the next
  /// month. The SQL therefore takes the earlier of SQLite's date and the month's last day.
  ///
  /// For December 9999, SQLite cannot calculate the last day, because it knows no later month. The
  /// SQL then uses SQLite's date, which is right because December has 31 days.
  private func movedToLastDay(by step: ExpressionNode) -> ExpressionNode {
    let lastDay = seconds(
      after: [
        .constant("'start of month'"), step, .constant("'+1 months'"), .constant("'-1 days'"),
      ])
    let time = ExpressionNode.binary(.minus, self, seconds(after: [.constant("'start of day'")]))
    let moved = seconds(after: [step])
    return .function(
      "ifnull", [.function("min", [moved, .binary(.plus, lastDay, time)]), moved])
  }
}

extension ArraySlice<DateModifier> {
  /// Splits the changes into groups. Consecutive changes are in one group if `isAlike` returns the
  /// same result for them.
  fileprivate func runs(by isAlike: (DateModifier) -> Bool) -> [ArraySlice<DateModifier>] {
    guard let first else { return [] }
    let value = isAlike(first)
    let end = firstIndex { isAlike($0) != value } ?? endIndex
    return [self[..<end]] + self[end...].runs(by: isAlike)
  }
}
