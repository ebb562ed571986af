/// The storage of a model's column: a value, and a mark that records whether it was changed since
/// it was loaded.
///
/// The layout of a model keeps one instance of the model whose columns hold their own index instead
/// of a value. The library reads a key path such as `\.$title` from that instance to find the
/// column.
@frozen
@usableFromInline
package struct ColumnStorage<Value> {
  /// The value; nil only in the layout's own instance.
  @usableFromInline package var value: Value?

  /// 0: as loaded; 1: never loaded; 2: changed since it was loaded; from 3 on: the index of the
  /// column, plus 3, in the layout's own instance.
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

  /// Replaces the value and marks it as changed. The stored form of the new value must differ.
  @inlinable
  package mutating func change(to value: Value) {
    self.value = value
    if mark == 0 { mark = 2 }
  }

  /// Makes a storage that may have no value: of a column in an optional group that is nil.
  package init(value: Value?, mark: UInt16) {
    self.value = value
    self.mark = mark
  }

  /// Makes the storage of the column at `index` in the layout's own instance.
  package init(naming index: Int) {
    self.value = nil
    self.mark = UInt16(truncatingIfNeeded: index + 3)
  }
}

extension ColumnStorage: Sendable where Value: Sendable {}

/// The value of a column in an optional group, for the loops over rows: the column holds no value
/// if it is NULL in the row.
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

/// The type of a column in an optional group.
protocol AnyValueInGroup {
  /// Removes the value of a column, as a NULL that was read.
  static func removeValue(ofColumnAt column: UnsafeMutableRawPointer)
}

extension ValueInGroup: AnyValueInGroup {
  static func removeValue(ofColumnAt column: UnsafeMutableRawPointer) {
    column.assumingMemoryBound(to: ColumnStorage<Value>.self).pointee =
      ColumnStorage(value: nil, mark: 0)
  }
}
