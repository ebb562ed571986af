extension Optional: Selectable where Wrapped: ColumnValue {}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// A column of optionals may be NULL; programs do not use it directly.
  public typealias _Nullability = _MaybeNull

  /// The kind of number of the wrapped type; programs do not use it directly.
  public typealias _Arithmetic = Wrapped._Arithmetic

  /// The storage class of the wrapped type.
  @inlinable
  public static var storageClass: StorageClass { Wrapped.storageClass }

  /// Reads NULL as nil, and anything else as the wrapped type does.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = cell.isNull ? nil : try Wrapped(cell)
  }

  /// Returns NULL for nil, and the wrapped value's stored form otherwise.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard let self else { return .null }
    return try self.databaseValue(as: form)
  }

  /// Returns nil for nil, and the wrapped value's canonical value otherwise.
  @inlinable
  public static func canonical(_ value: Wrapped?) -> Wrapped? {
    value.map(Wrapped.canonical)
  }

  /// Returns whether both are nil, or both are not nil and have the same stored form.
  @inlinable
  public static func isStoredAlike(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped.isStoredAlike(left, right)
    default: false
    }
  }

  /// Returns the storage class of the wrapped type in that form.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    Wrapped.storageClass(as: form)
  }

  /// True.
  @inlinable
  public static var isOptional: Bool { true }

  /// The collation of the wrapped type.
  @inlinable
  public static var collationName: String? { Wrapped.collationName }

  /// Reads with the wrapped type's `_loadOptional(_:intoColumnAt:)`; programs do not use it
  /// directly.
  @inlinable
  public static func _load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    try Wrapped._loadOptional(cell, intoColumnAt: column)
  }

  /// Returns the result of the wrapped type's `_databaseValue(ofOptionalColumnAt:as:)`; programs do
  /// not use it directly.
  @inlinable
  public static func _databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    try Wrapped._databaseValue(ofOptionalColumnAt: column, as: form)
  }
}

extension Optional: OrderedColumnValue where Wrapped: OrderedColumnValue {}

extension Optional: AdditiveColumnValue where Wrapped: AdditiveColumnValue & Numeric {
  /// The SQL functions that calculate with the wrapped type.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { Wrapped.arithmetic }
}

extension Optional: ArithmeticColumnValue where Wrapped: NumericColumnValue {
  /// An optional Double, because the number is optional; programs do not use it directly.
  public typealias RealResult = Double?
}

/// A type without values. `Never?` is the result type of a function that returns nothing; its value
/// is always NULL.
extension Never: ColumnValue {
  /// No storage class.
  public static var storageClass: StorageClass { .null }

  /// Always throws `ColumnValueError`, because the type `Never` has no values.
  public init(_ cell: borrowing Cell) throws {
    throw ColumnValueError.invalid("a value", as: Never.self)
  }

  /// Cannot be called, because the type `Never` has no values.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue { switch self {} }
}
