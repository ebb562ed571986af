import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A date, or an optional date.
public protocol DateColumnValue: ColumnValue {
  /// `Int`, or `Int?` if the date is optional; programs do not use it directly.
  associatedtype DateComponentResult: ColumnValue = Int
  /// `String`, or `String?` if the date is optional; programs do not use it directly.
  associatedtype DateTextResult: ColumnValue = String
}
