import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// SQL's functions give NULL for NULL: what they give is optional where what they take is. Each of
// these protocols says so for the types that a family of functions takes, so that a function is
// written once and not once more for optionals.

/// A text, or an optional of one.
public protocol TextColumnValue: ColumnValue {
  /// Int; an optional of it where the text is optional.
  associatedtype IntegerResult: ColumnValue = Int
  /// String; an optional of it where the text is optional.
  associatedtype TextResult: ColumnValue = String
}

/// A date, or an optional of one.
public protocol DateColumnValue: ColumnValue {
  /// Int; an optional of it where the date is optional.
  associatedtype DateComponentResult: ColumnValue = Int
  /// String; an optional of it where the date is optional.
  associatedtype DateTextResult: ColumnValue = String
}

/// JSON of a Codable type, or an optional of it.
public protocol JSONColumnValue: ColumnValue {}

extension String: TextColumnValue {}

extension Optional: TextColumnValue where Wrapped == String {
  /// An optional, as the text is one.
  public typealias IntegerResult = Int?
  /// An optional, as the text is one.
  public typealias TextResult = String?
}

extension Date: DateColumnValue {}

extension Optional: DateColumnValue where Wrapped == Date {
  /// An optional, as the date is one.
  public typealias DateComponentResult = Int?
  /// An optional, as the date is one.
  public typealias DateTextResult = String?
}

extension JSON: JSONColumnValue {}
extension Optional: JSONColumnValue where Wrapped: JSONColumnValue {}
