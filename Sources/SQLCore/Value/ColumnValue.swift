/// A Swift type that a column can hold.
///
/// The types of the standard library and of Foundation that have a stored form conform. An
/// enumeration over such a type needs no code:
///
/// ```swift
/// enum Status: String, ColumnValue { case draft, published, archived }
/// ```
///
/// A type of your own says its storage class, how it is read, and how it is written:
///
/// ```swift
/// struct Color: ColumnValue {
///   var rgb: UInt32
///   static var storageClass: StorageClass { .integer }
///   init(_ cell: borrowing Cell) throws { rgb = try UInt32(cell) }
///   func databaseValue(as form: StoredForm) throws -> DatabaseValue { .integer(Int64(rgb)) }
/// }
/// ```
///
/// The other requirements have defaults, which the compiler specialises for your type.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public protocol ColumnValue: Sendable {
  /// The storage class that the column declares; `.null` is none.
  static var storageClass: StorageClass { get }

  /// Reads a value; throws `ColumnValueError` where the cell holds none of this type.
  init(_ cell: borrowing Cell) throws

  /// The value as it is stored; throws `ColumnValueError` where it cannot be.
  func databaseValue(as form: StoredForm) throws -> DatabaseValue

  /// The value as it will read back once it was stored: a Date rounded to the microsecond, 0.0 for
  /// −0.0. It is applied when a value enters a column. Default: the value itself.
  static func canonical(_ value: Self) -> Self

  /// Whether two values are stored alike; a column set to a value that is stored alike is not
  /// changed. Default: `==` where the type is Equatable, else false.
  static func isStoredAlike(_ left: Self, _ right: Self) -> Bool

  /// The storage class of the column when it declares `form`; nil where the type has no such form.
  /// Default: `storageClass` for `.standard` alone.
  static func storageClass(as form: StoredForm) -> StorageClass?

  /// True for Optional alone: the column may be NULL.
  static var isOptional: Bool { get }

  /// The name of the collation by which queries compare and order the stored values, where that of
  /// the column does not give their order; each connection must have it. Default: nil.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
  static var collationName: String? { get }

  /// Reads the cell into the memory of a model's column. Default: `init(_:)`.
  static func load(_ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer) throws

  /// The same for a column whose value is an optional of this type.
  static func loadOptional(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer) throws

  /// The stored value of a model's column in memory.
  static func databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue

  /// The same for a column whose value is an optional of this type.
  static func databaseValue(
    ofOptionalColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue
}

// These are `@inlinable` because a module that declares a conforming type compiles its own copy,
// specialised: a row of such a column otherwise costs more than twice as much.
extension ColumnValue {
  /// The value itself.
  @inlinable
  public static func canonical(_ value: Self) -> Self { value }

  /// Never: without `==` nobody can tell.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool { false }

  /// `storageClass` for the standard form, none for others.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    form == .standard ? storageClass : nil
  }

  /// False.
  @inlinable
  public static var isOptional: Bool { false }

  /// None.
  @inlinable
  public static var collationName: String? { nil }

  /// Reads by `init(_:)`.
  @inlinable
  public static func load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self>.self)
      .initialize(to: ColumnStorage(loaded: try Self(cell)))
  }

  /// Reads nil from NULL, else by `init(_:)`.
  @inlinable
  public static func loadOptional(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self?>.self)
      .initialize(to: ColumnStorage(loaded: cell.isNull ? nil : try Self(cell)))
  }

  /// The value in the column, or NULL in the layout's own instance.
  @inlinable
  public static func databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard let value = column.assumingMemoryBound(to: ColumnStorage<Self>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }

  /// The value in the column, or NULL for nil.
  @inlinable
  public static func databaseValue(
    ofOptionalColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard case let value?? = column.assumingMemoryBound(to: ColumnStorage<Self?>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }
}

extension ColumnValue where Self: Equatable {
  /// `==`.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool { left == right }
}

/// A column value that SQL orders as Swift does, so that `<`, `min` and `ORDER BY` mean the same.
///
/// A type of your own may conform where its stored form has its order.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#comparison_expressions>
public protocol OrderedColumnValue: ColumnValue {}
