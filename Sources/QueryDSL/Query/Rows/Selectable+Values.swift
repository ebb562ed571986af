import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A plain value is an item of Select: it is bound, and read back with each row.

extension Selectable where Self: ColumnValue {
  /// The value as a bound constant; programs do not use it directly.
  public var _selection: _SelectItem<Self> { SQLExpression(self)._selection }

  /// Gives the value a name in the result. SQL: `? AS "name"`
  ///
  /// ```swift
  /// Query { Select(0.as("depth"), into: Level.self) }      // SELECT ? AS "depth"
  /// ```
  public func `as`(_ name: String) -> AliasedExpression<Self> {
    SQLExpression(self).as(name)
  }
}

extension Int: Selectable {}
extension Int8: Selectable {}
extension Int16: Selectable {}
extension Int32: Selectable {}
extension Int64: Selectable {}
extension UInt: Selectable {}
extension UInt8: Selectable {}
extension UInt16: Selectable {}
extension UInt32: Selectable {}
extension UInt64: Selectable {}
extension Double: Selectable {}
extension Float: Selectable {}
extension Bool: Selectable {}
extension String: Selectable {}
extension Data: Selectable {}
extension Date: Selectable {}
extension Decimal: Selectable {}
extension URL: Selectable {}
extension UUID: Selectable {}
extension Unique64: Selectable {}
extension JSON: Selectable {}
extension Array: Selectable where Element == UInt8 {}
extension Optional: Selectable where Wrapped: ColumnValue & Selectable {}
