// An enumeration over a type that a column can hold is stored as its raw value.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The storage class of the raw value.
  @inlinable
  public static var storageClass: StorageClass { RawValue.storageClass }

  /// Reads the raw value; one that is no case throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let raw = try RawValue(cell)
    guard let value = Self(rawValue: raw) else {
      throw ColumnValueError.invalid(raw, as: Self.self)
    }
    self = value
  }

  /// The raw value as it is stored.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    try rawValue.databaseValue(as: form)
  }

  /// The collation of the raw value.
  @inlinable
  public static var collationName: String? { RawValue.collationName }

  /// The forms of the raw value.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    RawValue.storageClass(as: form)
  }

  /// Raw values that are stored alike.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    RawValue.isStoredAlike(left.rawValue, right.rawValue)
  }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue & Equatable {
  /// The value of the raw value's canonical form.
  @inlinable
  public static func canonical(_ value: Self) -> Self {
    let raw = value.rawValue
    let canonical = RawValue.canonical(raw)
    return canonical == raw ? value : Self(rawValue: canonical) ?? value
  }
}

// Where the type is Equatable, too, which of the two defaults counts must be said.
extension ColumnValue where Self: RawRepresentable & Equatable, RawValue: ColumnValue {
  /// Raw values that are stored alike.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool {
    RawValue.isStoredAlike(left.rawValue, right.rawValue)
  }
}
