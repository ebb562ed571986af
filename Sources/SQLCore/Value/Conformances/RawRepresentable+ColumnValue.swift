// An enumeration whose raw value can be stored in a column is stored as its raw value.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The storage class of the raw value.
  @inlinable
  public static var storageClass: StorageClass { RawValue.storageClass }

  /// Reads the raw value. Throws `ColumnValueError` if there is no case with that raw value.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let raw = try RawValue(cell)
    guard let value = Self(rawValue: raw) else {
      throw ColumnValueError.invalid(raw, as: Self.self)
    }
    self = value
  }

  /// Returns the stored form of the raw value.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    try rawValue.databaseValue(as: form)
  }

  /// The collation of the raw value.
  @inlinable
  public static var collationName: String? { RawValue.collationName }

  /// Returns the storage class of the raw value in that form.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    RawValue.storageClass(as: form)
  }

  /// Returns whether the raw values have the same stored form.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    RawValue.isStoredAlike(left.rawValue, right.rawValue)
  }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue & Equatable {
  /// Returns the value whose raw value is the canonical form of the given value's raw value.
  @inlinable
  public static func canonical(_ value: Self) -> Self {
    let raw = value.rawValue
    let canonical = RawValue.canonical(raw)
    return canonical == raw ? value : Self(rawValue: canonical) ?? value
  }
}

// If the type is also Equatable, it has two default implementations of `isStoredAlike(_:_:)`. This
// extension makes the choice unambiguous: it compares the raw values.
extension ColumnValue where Self: RawRepresentable & Equatable, RawValue: ColumnValue {
  /// Returns whether the raw values have the same stored form.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    RawValue.isStoredAlike(left.rawValue, right.rawValue)
  }
}
