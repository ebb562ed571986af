/// The storage of a model's column: a value, and a mark that records whether it was changed since
/// it was loaded.
///
/// The layout of a model keeps one special instance of the model. In this instance, each column
/// holds its own index instead of a value. To find the column of a key path such as `\.$title`, the
/// library reads the key path from this instance.
@frozen
@usableFromInline
package struct ColumnStorage<Value> {
  /// The value. It is nil if the column belongs to an optional group that is nil. It is also nil in
  /// the layout's special instance.
  @usableFromInline package var value: Value?

  /// The state of the value: 0 if the value is as it was loaded, 1 if it was never loaded, and 2 if
  /// it was changed since it was loaded. In the layout's special instance, the mark is the index of
  /// the column plus 3.
  @usableFromInline
  package var mark: UInt16

  /// Stores a value that was loaded from the database.
  @inlinable
  package init(loaded value: Value) {
    self.value = value
    self.mark = 0
  }

  /// Stores a value that the database does not have yet.
  @inlinable
  package init(changed value: Value) {
    self.value = value
    self.mark = 1
  }

  /// Replaces the value and marks it as changed. The caller has checked that the stored form of the
  /// new value differs from that of the old value.
  @inlinable
  package mutating func change(to value: Value) {
    self.value = value
    if mark == 0 { mark = 2 }
  }

  /// Makes a storage with a value or without one. A column in an optional group has no value if the
  /// group is nil.
  package init(value: Value?, mark: UInt16) {
    self.value = value
    self.mark = mark
  }

  /// Makes the storage of the column at `index` in the layout's special instance, without a value.
  package init(naming index: Int) {
    self.value = nil
    self.mark = UInt16(truncatingIfNeeded: index + 3)
  }
}

extension ColumnStorage: Sendable where Value: Sendable {}

/// The value of a column in an optional group of columns. When a row is loaded into a model, this
/// type leaves the column's storage without a value if the row has NULL.
///
/// The value is the only property, so the type has the same memory layout as the value.
package struct ValueInGroup<Value: ColumnValue>: ColumnValue {
  private let value: Value

  package init(_ cell: borrowing Cell) throws {
    value = try Value(cell)
  }

  package static var storageClass: StorageClass { Value.storageClass }

  package static func storageClass(as form: StoredForm) -> StorageClass? {
    Value.storageClass(as: form)
  }

  package func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    try value.databaseValue(as: form)
  }

  package static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    Value.isStoredAlike(left.value, right.value)
  }

  package static func _load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    let storage =
      cell.isNull ? ColumnStorage<Value>(value: nil, mark: 0) : .init(loaded: try Value(cell))
    column.assumingMemoryBound(to: ColumnStorage<Value>.self).initialize(to: storage)
  }
}

/// A `ValueInGroup` of any type of value.
protocol AnyValueInGroup {
  /// Removes the value of a column. The column is then as if NULL had been read.
  static func removeValue(ofColumnAt column: UnsafeMutableRawPointer)
}

extension ValueInGroup: AnyValueInGroup {
  static func removeValue(ofColumnAt column: UnsafeMutableRawPointer) {
    column.assumingMemoryBound(to: ColumnStorage<Value>.self).pointee =
      ColumnStorage(value: nil, mark: 0)
  }
}
