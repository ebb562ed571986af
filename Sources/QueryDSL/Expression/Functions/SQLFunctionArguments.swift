import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension String: TextColumnValue {}

extension Optional: TextColumnValue where Wrapped == String {
  /// Optional, as the text is; programs do not use it directly.
  public typealias IntegerResult = Int?
  /// Optional, as the text is; programs do not use it directly.
  public typealias TextResult = String?
}

extension Date: DateColumnValue {}

extension Optional: DateColumnValue where Wrapped == Date {
  /// Optional, as the date is; programs do not use it directly.
  public typealias DateComponentResult = Int?
  /// Optional, as the date is; programs do not use it directly.
  public typealias DateTextResult = String?
}
