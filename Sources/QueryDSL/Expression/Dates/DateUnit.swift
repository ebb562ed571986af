/// The unit of a number of seconds, days or the like by which `modified(by:_:in:)` moves a date.
public enum DateUnit: String, Sendable {
  /// A second.
  case seconds
  /// A minute.
  case minutes
  /// An hour.
  case hours
  /// A day of the calendar.
  case days
  /// A month of the calendar. A day that the month does not have becomes a day of the next month.
  case months
  /// A year of the calendar.
  case years

  /// Whether the unit is a length of time, which is the same in every time zone.
  var isDuration: Bool {
    switch self {
    case .seconds, .minutes, .hours: true
    case .days, .months, .years: false
    }
  }
}
