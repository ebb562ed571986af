import SQLCore

/// What the layout asks of the type of a stored property: is it a column, and of which type?
protocol ColumnWrapper {
  static var isPrimaryKey: Bool { get }
  static var valueType: any ColumnValue.Type { get }
  static func slot(offset: Int, form: StoredForm) -> ColumnSlot
  /// Writes a column that holds its own index.
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

/// A property that no column stores.
protocol IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer)
}

extension Ignored: IgnoredWrapper {
  static func initializeNil(at property: UnsafeMutableRawPointer) {
    property.initializeMemory(as: Ignored<Wrapped>.self, to: Ignored())
  }
}
