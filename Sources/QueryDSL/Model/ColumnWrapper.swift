import SQLCore

/// A wrapper type of a column, which provides what a layout needs about it.
protocol ColumnWrapper {
  static var isPrimaryKey: Bool { get }
  static var valueType: any ColumnValue.Type { get }
  static func slot(offset: Int, form: StoredForm) -> ColumnSlot
  /// Initialises the memory of a column so that it holds the column's own index.
  static func initialize(naming index: Int, at column: UnsafeMutableRawPointer)
}

extension Column: ColumnWrapper {
  static var isPrimaryKey: Bool { false }
  static var valueType: any ColumnValue.Type { Value.self }

  static func slot(offset: Int, form: StoredForm) -> ColumnSlot {
    ColumnSlot(offset: offset, type: Value.self, form: form)
  }

  static func initialize(naming index: Int, at column: UnsafeMutableRawPointer) {
    column.initializeMemory(as: ColumnStorage<Value>.self, to: ColumnStorage(naming: index))
  }
}

extension PrimaryKey: ColumnWrapper {
  static var isPrimaryKey: Bool { true }
  static var valueType: any ColumnValue.Type { Value.self }

  static func slot(offset: Int, form: StoredForm) -> ColumnSlot {
    ColumnSlot(offset: offset, type: Value.self, form: form)
  }

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
