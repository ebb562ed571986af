import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Most SQL functions return NULL for NULL, so their result is optional if their argument is. Each
// of these protocols expresses this rule for the argument types of a family of functions, so that a
// function need not be declared a second time for optionals.
//
// The conformances stand beside their protocol. The linker takes only the needed files of a static
// archive, and a dynamic cast to the protocol would not find conformances in other files.

/// A text, or an optional text.
public protocol TextColumnValue: ColumnValue {
  /// `Int`, or `Int?` if the text is optional; programs do not use it directly.
  associatedtype IntegerResult: ColumnValue = Int
  /// `String`, or `String?` if the text is optional; programs do not use it directly.
  associatedtype TextResult: ColumnValue = String
}

extension String: TextColumnValue {}

extension Optional: TextColumnValue where Wrapped == String {
  /// Optional, as the text is; programs do not use it directly.
  public typealias IntegerResult = Int?
  /// Optional, as the text is; programs do not use it directly.
  public typealias TextResult = String?
}

/// A date, or an optional date.
public protocol DateColumnValue: ColumnValue {
  /// `Int`, or `Int?` if the date is optional; programs do not use it directly.
  associatedtype DateComponentResult: ColumnValue = Int
  /// `String`, or `String?` if the date is optional; programs do not use it directly.
  associatedtype DateTextResult: ColumnValue = String
}

extension Date: DateColumnValue {}

extension Optional: DateColumnValue where Wrapped == Date {
  /// Optional, as the date is; programs do not use it directly.
  public typealias DateComponentResult = Int?
  /// Optional, as the date is; programs do not use it directly.
  public typealias DateTextResult = String?
}

/// A Bool, or an optional Bool.
public protocol BoolColumnValue: ColumnValue {}

extension Bool: BoolColumnValue {}
extension Optional: BoolColumnValue where Wrapped == Bool {}

/// JSON of a Codable type, or an optional of it.
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
  /// The type that an optional wraps. For any other type, the type itself.
  package static var nonOptional: any ColumnValue.Type {
    (Self.self as? any OptionalColumnValue.Type)?.wrappedType ?? Self.self
  }

  /// The optional of this type.
  static var optional: any ColumnValue.Type { Self?.self }
}
