extension ColumnValue where Self: FixedWidthInteger {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads an INTEGER within the range of the type. Throws `ColumnValueError` for anything else.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let integer = try cell.integer()
    guard let value = Self(exactly: integer) else {
      throw ColumnValueError.invalid(integer, as: Self.self)
    }
    self = value
  }

  /// Returns the number. Throws `ColumnValueError` if it is greater than `Int64.max`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard let integer = Int64(exactly: self) else {
      throw ColumnValueError.unstorable(self, "SQLite's integers go up to \(Int64.max)")
    }
    return .integer(integer)
  }
}

/// An integer of the standard library other than Int. Queries can combine it with real numbers.
protocol SizedInteger: NumericColumnValue where _Arithmetic == _SizedIntegerKind {}

extension Int: NumericColumnValue {
  /// An integer; programs do not use it directly.
  public typealias _Arithmetic = _IntegerKind
}

extension Int8: NumericColumnValue, SizedInteger {}
extension Int16: NumericColumnValue, SizedInteger {}
extension Int32: NumericColumnValue, SizedInteger {}
extension Int64: NumericColumnValue, SizedInteger {}
extension UInt: NumericColumnValue, SizedInteger {}
extension UInt8: NumericColumnValue, SizedInteger {}
extension UInt16: NumericColumnValue, SizedInteger {}
extension UInt32: NumericColumnValue, SizedInteger {}
extension UInt64: NumericColumnValue, SizedInteger {}

extension Bool: OrderedColumnValue {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads 0 or 1. Throws `ColumnValueError` for anything else.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    switch try cell.integer() {
    case 0: self = false
    case 1: self = true
    case let other: throw ColumnValueError.invalid(other, as: Bool.self)
    }
  }

  /// Returns 1 for `true`, 0 for `false`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    .integer(self ? 1 : 0)
  }
}

extension Double: NumericColumnValue {
  /// A real number; programs do not use it directly.
  public typealias _Arithmetic = _RealKind

  /// REAL.
  @inlinable
  public static var storageClass: StorageClass { .real }

  /// Reads a REAL, or an INTEGER that a Double represents exactly. Throws `ColumnValueError` for
  /// anything else.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self = try cell.real()
  }

  /// Returns the number, with 0.0 for −0.0. Throws `ColumnValueError` for NaN, which SQLite would
  /// store as NULL.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard !isNaN else { throw ColumnValueError.unstorable(self, "SQLite has no NaN") }
    return .real(Self.canonical(self))
  }

  /// Returns 0.0 for −0.0.
  @inlinable
  public static func canonical(_ value: Double) -> Double {
    value == 0 ? 0 : value
  }
}

extension Float: NumericColumnValue {
  /// REAL.
  @inlinable
  public static var storageClass: StorageClass { .real }

  /// Reads a REAL, or an INTEGER that a Double represents exactly, rounded to a Float. Throws
  /// `ColumnValueError` for anything else, and for a finite number that is too large for a Float.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    let real = try cell.real()
    self.init(real)
    guard isFinite || !real.isFinite else { throw ColumnValueError.invalid(real, as: Float.self) }
  }

  /// Returns the number, with 0.0 for −0.0. Throws `ColumnValueError` for NaN, which SQLite would
  /// store as NULL.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    try Double(self).databaseValue(as: form)
  }

  /// Returns 0.0 for −0.0.
  @inlinable
  public static func canonical(_ value: Float) -> Float {
    value == 0 ? 0 : value
  }
}
