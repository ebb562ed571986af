/// The value of a column in an optional group, as the loops over rows see it: the column holds no
/// value if it is NULL in the row.
///
/// Its only property is the value, so the memory of its column is that of the value's column.
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
