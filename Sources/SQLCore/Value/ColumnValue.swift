/// A Swift type whose values can be stored in a column.
///
/// Int, String, Date, UUID and other types of the standard library and of Foundation conform
/// already. An enumeration whose raw value has such a type needs no code:
///
/// ```swift
/// enum Status: String, ColumnValue { case draft, published, archived }
/// ```
///
/// A type of your own declares its storage class, how it is read, and how it is written:
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
/// The other requirements have defaults, which the compiler specialises for your type. An
/// enumeration whose raw value can be stored has the defaults of its raw value instead.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public protocol ColumnValue: Selectable {
  /// Tells the compiler whether a column of the type may be NULL; programs do not use it directly.
  associatedtype _Nullability = _NeverNull

  /// Tells the compiler which kind of number the type is, if any; programs do not use it directly.
  associatedtype _Arithmetic = _NotANumberKind

  /// The storage class that a column of this type declares; `.null` means that the column declares
  /// none.
  static var storageClass: StorageClass { get }

  /// Reads a value. Throws `ColumnValueError` if the cell holds no value of this type.
  init(_ cell: borrowing Cell) throws

  /// Returns the value in its stored form. Throws `ColumnValueError` if it cannot be stored.
  func databaseValue(as form: StoredForm) throws -> DatabaseValue

  /// Returns `value` as it would be read back after it was stored in the standard form. For
  /// example, a Date is rounded to the microsecond, and −0.0 becomes 0.0. The library calls this
  /// whenever a value is assigned to a column. Default: the value itself.
  static func canonical(_ value: Self) -> Self

  /// Returns whether two values have the same stored form. If they do, assigning the second value
  /// to a column that holds the first does not count as a change. Default: `==` if the type is
  /// Equatable, else false.
  static func isStoredAlike(_ left: Self, _ right: Self) -> Bool

  /// Returns the storage class of a column that declares `form`; nil if the type has no such form.
  /// Default: `storageClass` for `.standard`, nil for all other forms.
  static func storageClass(as form: StoredForm) -> StorageClass?

  /// Whether the column may be NULL; true only for Optional.
  static var isOptional: Bool { get }

  /// The name of the collation with which queries compare and order the stored values. Nil, which
  /// is the default, stands for the column's own collation. The collation must be registered on
  /// each connection.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
  static var collationName: String? { get }

  // The following requirements are public only because the compiler specialises them in the module
  // that declares the conforming type. They belong to this protocol, because a separate protocol
  // would cost a second lookup for each call.

  /// Reads the cell into the memory of a model's column; programs do not use it directly.
  static func _load(_ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer) throws

  /// Reads the cell into the memory of a model's column whose value is an optional of this type;
  /// programs do not use it directly.
  static func _loadOptional(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer) throws

  /// Returns the stored form of the value in the memory of a model's column; programs do not use it
  /// directly.
  static func _databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue

  /// Returns the stored form of the value in the memory of a model's column whose value is an
  /// optional of this type; programs do not use it directly.
  static func _databaseValue(
    ofOptionalColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue
}

// These defaults are `@inlinable`, so that a module that declares a conforming type compiles
// specialised copies. Otherwise, reading a row with such a column takes more than twice as long.
extension ColumnValue {
  /// Returns the value itself.
  @inlinable
  public static func canonical(_ value: Self) -> Self { value }

  /// Returns false, because values without `==` cannot be compared.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool { false }

  /// Returns `storageClass` for the standard form, nil for other forms.
  @inlinable
  public static func storageClass(as form: StoredForm) -> StorageClass? {
    form == .standard ? storageClass : nil
  }

  /// False.
  @inlinable
  public static var isOptional: Bool { false }

  /// Nil.
  @inlinable
  public static var collationName: String? { nil }
}

extension ColumnValue where Self: Equatable {
  /// Compares with `==`.
  @inlinable
  public static func isStoredAlike(_ left: Self, _ right: Self) -> Bool { left == right }
}

// These functions read a value into the memory of a model's column, and write it from there. They
// serve all types except Optional, which has its own functions in `Optional+ColumnValue.swift`.
//
// They are `@inlinable` so that a module that declares a conforming type compiles specialised
// copies.

extension ColumnValue {
  /// Reads with `init(_:)`; programs do not use it directly.
  @inlinable
  public static func _load(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self>.self)
      .initialize(to: ColumnStorage(loaded: try Self(cell)))
  }

  /// Reads NULL as nil, and anything else with `init(_:)`; programs do not use it directly.
  @inlinable
  public static func _loadOptional(
    _ cell: borrowing Cell, intoColumnAt column: UnsafeMutableRawPointer
  ) throws {
    column.assumingMemoryBound(to: ColumnStorage<Self?>.self)
      .initialize(to: ColumnStorage(loaded: cell.isNull ? nil : try Self(cell)))
  }

  /// Returns the column's value, or NULL if the column's storage has none;
  /// programs do not use it directly.
  @inlinable
  public static func _databaseValue(
    ofColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard let value = column.assumingMemoryBound(to: ColumnStorage<Self>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }

  /// Returns the column's value, or NULL if it is nil; programs do not use it directly.
  @inlinable
  public static func _databaseValue(
    ofOptionalColumnAt column: UnsafeRawPointer, as form: StoredForm
  ) throws -> DatabaseValue {
    guard case let value?? = column.assumingMemoryBound(to: ColumnStorage<Self?>.self).pointee.value
    else { return .null }
    return try value.databaseValue(as: form)
  }
}

/// An item that a query can select: a column, an expression, a whole table, or a value.
///
/// Every `ColumnValue` can be selected, so a value of your own type needs no declaration:
///
/// ```swift
/// Post.select { ($0.$title, Status.draft) }     // SELECT "title", ? FROM "Post"
/// ```
public protocol Selectable<Selected>: Sendable {
  /// The type of the value when it is read.
  associatedtype Selected: Sendable = Self
  /// The item in SQL and the way to read it; programs do not use it directly.
  var _selection: _SelectItem<Selected> { get }
}

/// A selected item and the way to read it; programs do not use it directly.
///
/// `content` is the selected value. For a column or an expression, it has a type of the module that
/// renders queries, which this module cannot use.
public struct _SelectItem<Selected>: Sendable {
  package let content: any Sendable

  package init(_ content: any Sendable) {
    self.content = content
  }
}

extension ColumnValue {
  /// The value as a bound constant; programs do not use it directly.
  public var _selection: _SelectItem<Self> { _SelectItem(self) }
}

/// The nullability of types that are not optional; programs do not use it directly.
public enum _NeverNull {}

/// The nullability of optional types; programs do not use it directly.
public enum _MaybeNull {}
