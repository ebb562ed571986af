extension ColumnValue where Self: FixedWidthInteger {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads an INTEGER that is within the range of the type; else throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let integer = try cell.integer()
    guard let value = Self(exactly: integer) else {
      throw ColumnValueError.invalid(integer, as: Self.self)
    }
    self = value
  }

  /// The number; above `Int64.max` throws `ColumnValueError`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard let integer = Int64(exactly: self) else {
      throw ColumnValueError.unstorable(self, "SQLite's integers end at \(Int64.max)")
    }
    return .integer(integer)
  }
}

extension Int: NumericColumnValue {}
extension Int8: NumericColumnValue {}
extension Int16: NumericColumnValue {}
extension Int32: NumericColumnValue {}
extension Int64: NumericColumnValue {}
extension UInt: NumericColumnValue {}
extension UInt8: NumericColumnValue {}
extension UInt16: NumericColumnValue {}
extension UInt32: NumericColumnValue {}
extension UInt64: NumericColumnValue {}

extension Bool: OrderedColumnValue {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads 0 or 1; anything else throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    switch try cell.integer() {
    case 0: self = false
    case 1: self = true
    case let other: throw ColumnValueError.invalid(other, as: Bool.self)
    }
  }

  /// 1 for `true`, 0 for `false`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    .integer(self ? 1 : 0)
  }
}

extension Double: NumericColumnValue {
  /// REAL.
  @inlinable
  public static var storageClass: StorageClass { .real }

  /// Reads a REAL, or an INTEGER that a Double holds exactly; else throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = try cell.real()
  }

  /// The number, −0.0 as 0.0; NaN, which SQLite would store as NULL, throws `ColumnValueError`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard !isNaN else { throw ColumnValueError.unstorable(self, "SQLite has no NaN") }
    return .real(Self.canonical(self))
  }

  /// 0.0 for −0.0.
  @inlinable
  public static func canonical(_ value: Double) -> Double {
    value == 0 ? 0 : value
  }
}

extension Float: NumericColumnValue {
  /// REAL.
  @inlinable
  public static var storageClass: StorageClass { .real }

  /// Reads a REAL, rounded to a Float; one that is finite but too large throws `ColumnValueError`.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let real = try cell.real()
    self.init(real)
    guard isFinite || !real.isFinite else { throw ColumnValueError.invalid(real, as: Float.self) }
  }

  /// The number, −0.0 as 0.0; NaN, which SQLite would store as NULL, throws `ColumnValueError`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    try Double(self).databaseValue(as: form)
  }

  /// 0.0 for −0.0.
  @inlinable
  public static func canonical(_ value: Float) -> Float {
    value == 0 ? 0 : value
  }
}
