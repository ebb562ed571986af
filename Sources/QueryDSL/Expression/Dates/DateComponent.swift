import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A part of a date.
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
