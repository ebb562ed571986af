// These functions read a value into the memory of a model's column, and write it from there.
// `Optional+ColumnValue.swift` has those of Optional; the types of users have these.
//
// They are `@inlinable` so that a module that declares a conforming type compiles specialised
// copies.

extension ColumnValue {
  /// Reads with `init(_:)`; programs do not use it directly.
  @inlinable
  public static func _load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self>.self)
      .initialize(to: ColumnStorage(loaded: try Self(cell)))
  }

  /// Reads NULL as nil, and anything else with `init(_:)`; programs do not use it directly.
  @inlinable
  public static func _loadOptional(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self?>.self)
      .initialize(to: ColumnStorage(loaded: cell.isNull ? nil : try Self(cell)))
  }

  /// Returns the column's value, or NULL in the layout's own instance; programs do not use it
  /// directly.
  @inlinable
  public static func _databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard let value = column.assumingMemoryBound(to: ColumnStorage<Self>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }

  /// Returns the column's value, or NULL if it is nil; programs do not use it directly.
  @inlinable
  public static func _databaseValue(
    ofOptionalColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard case let value?? = column.assumingMemoryBound(to: ColumnStorage<Self?>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }
}
