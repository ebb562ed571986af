extension Unique64: OrderedColumnValue {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads an INTEGER.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self.init(rawValue: try cell.integer())
  }

  /// Returns the number. Throws `ColumnValueError` for `Unique64.exhausted`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard self != .exhausted else {
      throw ColumnValueError.unstorable(rawValue, "the generator has run out of ids (year 2072)")
    }
    return .integer(rawValue)
  }
}
