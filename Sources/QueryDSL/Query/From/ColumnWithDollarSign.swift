import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A column that a query names with a dollar sign, as in `$0.$title`; programs do not use the
/// protocol directly. If a query names `$0.title`, which is a model's value and no column, the
/// compiler's message contains the name of this protocol.
public protocol ColumnWithDollarSign {
  /// The type of the column's values.
  associatedtype Value: ColumnValue

  /// The type of the column in a query; programs do not use it directly.
  associatedtype _InQuery = SQLExpression<Value>

  /// The position of the column in its model; programs do not use it directly.
  var _index: Int? { get }

  /// Whether values of this type stand for a column; programs do not use it directly.
  static var _isColumn: Bool { get }

  /// Returns the column or group that a closure names, as in `$0.$title`; programs do not use it
  /// directly.
  static func _member<M: ResultRow>(_ path: KeyPath<M, Self>, of columns: Columns<M>) -> _InQuery
}

extension ColumnWithDollarSign where _InQuery == SQLExpression<Value> {
  /// Returns the column that a closure names, as in `$0.$title`; programs do not use it directly.
  @inlinable
  @inline(__always)
  public static func _member<M: ResultRow>(
    _ path: KeyPath<M, Self>, of columns: Columns<M>
  ) -> SQLExpression<Value> {
    columns.column(at: columns.names?.index(ofMember: path), Self.self)
  }
}

extension ColumnWithDollarSign {
  /// Whether values of this type stand for a column; programs do not use it directly.
  ///
  /// The library checks this when the program runs, because the compiler accepts
  /// `order(by: \.title)`. If a key path is used as a closure, the compiler does not report that
  /// the conformance of `String` is unavailable.
  @inlinable
  public static var _isColumn: Bool { false }
}

extension ColumnReference: ColumnWithDollarSign where Value: ColumnValue {
  /// Whether values of this type stand for a column; programs do not use it directly.
  @inlinable
  public static var _isColumn: Bool { true }

  /// The position of the column in its model; programs do not use it directly.
  @inlinable
  public var _index: Int? { index }
}

// The types of values below, such as String, have an unavailable conformance to
// `ColumnWithDollarSign`. Its only purpose is the message that the compiler prints for `$0.title`.
// If the property has any other type, the compiler only says that this type does not conform to
// `ColumnWithDollarSign`.

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension String: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = String
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Int: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Int
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Double: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Double
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Bool: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Bool
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Date: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Date
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension URL: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = URL
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension UUID: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = UUID
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Data: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Data
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Decimal: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Decimal
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Unique64: ColumnWithDollarSign {
  /// Not available.
  public typealias Value = Unique64
  /// Not available.
  public var _index: Int? { nil }
}

@available(
  *, unavailable,
  message: "write $0.$title, not $0.title: a query has columns, not the values of a model"
)
extension Optional: ColumnWithDollarSign where Wrapped: ColumnValue {
  /// Not available.
  public typealias Value = Wrapped?
  /// Not available.
  public var _index: Int? { nil }
}
