/// The unit of a number of seconds, days or the like by which `modified(by:_:in:)` moves a date.
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

  /// Whether a step of the unit can lead to a day that the resulting month does not have.
  var canOverflow: Bool { self == .months || self == .years }
}
