import SQLCore

/// An optional column value, which provides the type that it wraps.
package protocol OptionalColumnValue {
  static var wrappedType: any ColumnValue.Type { get }
}

extension Optional: OptionalColumnValue where Wrapped: ColumnValue {
  package static var wrappedType: any ColumnValue.Type { Wrapped.self }
}

extension ColumnValue {
  /// The type that an optional wraps; the type itself for any other.
  package static var nonOptional: any ColumnValue.Type {
    (Self.self as? any OptionalColumnValue.Type)?.wrappedType ?? Self.self
  }

  /// The optional of this type.
  static var optional: any ColumnValue.Type { Self?.self }
}
