import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Most SQL functions return NULL for NULL, so the result of a function is optional if its argument
// is optional. Each protocol in this file states this rule for the argument types of one family of
// functions. Without the protocol, every function would need a second declaration for optionals.
//
// The conformances are in the file of their protocol, because the linker takes only the needed
// files of a static archive. A dynamic cast to the protocol would not find a conformance in a file
// that the linker left out.

/// A text, or an optional text.
public protocol TextColumnValue: ColumnValue {
  /// The result type of `length()` and similar functions: `Int`, or `Int?` if the text is
  /// optional; programs do not use it directly.
  associatedtype IntegerResult: ColumnValue = Int
  /// The result type of functions that return a text: `String`, or `String?` if the text is
  /// optional; programs do not use it directly.
  associatedtype TextResult: ColumnValue = String
}

extension String: TextColumnValue {}

extension Optional: TextColumnValue where Wrapped == String {
  /// The result of `length()` for an optional text; programs do not use it directly.
  public typealias IntegerResult = Int?
  /// The result of `lower()` for an optional text; programs do not use it directly.
  public typealias TextResult = String?
}

/// A date, or an optional date.
public protocol DateColumnValue: ColumnValue {
  /// The result type of `component(_:)` and similar functions: `Int`, or `Int?` if the date is
  /// optional; programs do not use it directly.
  associatedtype DateComponentResult: ColumnValue = Int
  /// The result type of `strftime(_:)` and similar functions: `String`, or `String?` if the date is
  /// optional; programs do not use it directly.
  associatedtype DateTextResult: ColumnValue = String
}

extension Date: DateColumnValue {}

extension Optional: DateColumnValue where Wrapped == Date {
  /// The result of `component(_:)` for an optional date; programs do not use it directly.
  public typealias DateComponentResult = Int?
  /// The result of `strftime(_:)` for an optional date; programs do not use it directly.
  public typealias DateTextResult = String?
}

/// A Bool, or an optional Bool.
public protocol BoolColumnValue: ColumnValue {}

extension Bool: BoolColumnValue {}
extension Optional: BoolColumnValue where Wrapped == Bool {}

/// JSON of a Codable type, or optional JSON.
public protocol JSONColumnValue: ColumnValue {}

extension JSON: JSONColumnValue {}
extension Optional: JSONColumnValue where Wrapped: JSONColumnValue {}

/// An optional column value, which provides the type that it wraps.
package protocol OptionalColumnValue {
  static var wrappedType: any ColumnValue.Type { get }
}

extension Optional: OptionalColumnValue where Wrapped: ColumnValue {
  package static var wrappedType: any ColumnValue.Type { Wrapped.self }
}

extension ColumnValue {
  /// The wrapped type if this type is optional; otherwise this type itself.
  package static var nonOptional: any ColumnValue.Type {
    (Self.self as? any OptionalColumnValue.Type)?.wrappedType ?? Self.self
  }

  /// The optional type that wraps this type.
  static var optional: any ColumnValue.Type { Self?.self }
}
