extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The storage class of the value that may be there.
  @inlinable
  public static var storageClass: StorageClass { Wrapped.storageClass }

  /// nil from NULL, else as the wrapped type reads it.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = cell.isNull ? nil : try Wrapped(cell)
  }

  /// NULL for nil, else as the wrapped type is stored.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard let self else { return .null }
    return try self.databaseValue(as: form)
  }

  /// nil, or the canonical value that is there.
  @inlinable
  public static func canonical(_ value: Wrapped?) -> Wrapped? {
    value.map(Wrapped.canonical)
  }

  /// Both nil, or both there and stored alike.
  @inlinable
  public static func isStoredAlike(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped.isStoredAlike(left, right)
    default: false
    }
  }

  /// The storage class that the wrapped type has in that form.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    Wrapped.storageClass(as: form)
  }

  /// True.
  @inlinable
  public static var isOptional: Bool { true }

  /// That of the wrapped type.
  @inlinable
  public static var collationName: String? { Wrapped.collationName }

  /// As the wrapped type reads its optional.
  @inlinable
  public static func load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    try Wrapped.loadOptional(cell, intoColumnAt: column)
  }

  /// As the wrapped type writes its optional.
  @inlinable
  public static func databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    try Wrapped.databaseValue(ofOptionalColumnAt: column, as: form)
  }
}

extension Optional: OrderedColumnValue where Wrapped: OrderedColumnValue {}

extension Optional: AdditiveColumnValue where Wrapped: AdditiveColumnValue & Numeric {
  /// Those of the number.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { Wrapped.arithmetic }
}

extension Optional: ArithmeticColumnValue where Wrapped: NumericColumnValue {
  /// An optional, as the number is one.
  public typealias RealResult = Double?
}
