import SQLCore

/// A wrapper type of a column, which provides what a layout needs about it.
protocol ColumnWrapper {
  associatedtype Value: ColumnValue
  static var isPrimaryKey: Bool { get }
}

extension Column: ColumnWrapper {
  static var isPrimaryKey: Bool { false }
}

extension PrimaryKey: ColumnWrapper {
  static var isPrimaryKey: Bool { true }
}

extension ColumnWrapper {
  static var valueType: any ColumnValue.Type { Value.self }

  static func slot(offset: Int, form: StoredForm) -> ColumnSlot {
    ColumnSlot(offset: offset, type: Value.self, form: form)
  }

  /// The slot of a column in an optional group, which has no value if the group is nil.
  static func slotInOptionalGroup(offset: Int, form: StoredForm) -> ColumnSlot {
    Value.isOptional
      ? slot(offset: offset, form: form)
      : ColumnSlot(offset: offset, type: ValueInGroup<Value>.self, form: form)
  }

  /// Initialises the memory of a column so that it holds the column's own index.
  static func initialize(naming index: Int, at column: UnsafeMutableRawPointer) {
    column.initializeMemory(as: ColumnStorage<Value>.self, to: ColumnStorage(naming: index))
  }
}

/// A wrapper type of a property that is not a column.
protocol IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer)
}

extension Ignored: IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer) {
    property.initializeMemory(as: Ignored<Wrapped>.self, to: Ignored())
  }
}
