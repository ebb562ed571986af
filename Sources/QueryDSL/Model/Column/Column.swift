import SQLCore

/// A property of a model that is a column of its table.
///
/// ```swift
/// @Column var title: String          // "title" TEXT NOT NULL
/// @Column var url: URL?              // "url" TEXT
/// ```
///
/// The wrapper records whether its value was changed since it was loaded, because `update` writes
/// only changed columns. The wrapper is a value type, so copies of a model track their changes
/// separately. `\.$title` names the column in queries. In all other uses, the wrapper behaves like
/// its value: in `==`, `hash`, JSON and `description`.
@frozen
@propertyWrapper
public struct Column<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// Makes a column with a value that is not in the database yet.
  @inlinable
  public init(wrappedValue: Value) {
    storage = ColumnStorage(changed: Value.canonical(wrappedValue))
  }

  /// The value. Setting a different value marks the column as changed.
  @inlinable
  public var wrappedValue: Value {
    get { storage.requireValue() }
    set { storage.set(newValue) }
  }

  /// The column's name in queries, as in `\.$title`. On a model, `$title.isChanged` says whether
  /// the column was changed.
  @inlinable
  public var projectedValue: ColumnReference<Value> {
    ColumnReference(mark: storage.mark)
  }
}

// The initialisers without a value are in separate extensions. If they were declared in the types
// themselves, with a `where` clause, the compiler would also require them for columns that are not
// optional.

extension Column where Value: ExpressibleByNilLiteral {
  /// Makes a column that is NULL, so that a model's memberwise initialiser may omit an optional
  /// property.
  @inlinable
  public init() {
    storage = ColumnStorage(changed: nil)
  }
}

extension ColumnStorage where Value: ColumnValue {
  /// Returns the value. Stops the program if the column has no value. A program can reach such a
  /// column only in the instance that the layout uses to find columns. This happens if a computed
  /// property returns a `ColumnReference` and reads a value to choose it, as in
  /// `title.isEmpty ? $url : $title`.
  @usableFromInline
  func requireValue() -> Value {
    guard let value else {
      preconditionFailure(
        "the value of a column was read where only its name is known; name the column by its key "
          + "path, `\\.$column`")
    }
    return value
  }

  /// Sets the value, and marks the column as changed if the new value is stored differently.
  @inlinable
  mutating func set(_ newValue: Value) {
    let canonical = Value.canonical(newValue)
    if let value, Value.isStoredAlike(value, canonical) {
      // The new value is stored in the same way as the old value, so the column is not marked as
      // changed. But the two values may differ in Swift, so keep the new one.
      self.value = canonical
    } else {
      change(to: canonical)
    }
  }
}

/// A property of a model that is the primary key of its table, or one of the columns of the key.
///
/// ```swift
/// @PrimaryKey var id = Unique64()    // "id" INTEGER PRIMARY KEY NOT NULL
/// @PrimaryKey var number: Int64?     // "number" INTEGER PRIMARY KEY: the database assigns it
/// ```
///
/// In all other respects, `PrimaryKey` is like `Column`.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowid>
@frozen
@propertyWrapper
public struct PrimaryKey<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// Makes a key with a value that is not in the database yet.
  @inlinable
  public init(wrappedValue: Value) {
    storage = ColumnStorage(changed: Value.canonical(wrappedValue))
  }

  /// The value. Setting a different value marks the column as changed.
  @inlinable
  public var wrappedValue: Value {
    get { storage.requireValue() }
    set { storage.set(newValue) }
  }

  /// The column's name in queries, as in `\.$id`. On a model, `$id.isChanged` says whether the
  /// column was changed.
  @inlinable
  public var projectedValue: ColumnReference<Value> {
    ColumnReference(mark: storage.mark)
  }
}

extension PrimaryKey where Value: ExpressibleByNilLiteral {
  /// Makes a key that the database assigns when the model is inserted.
  @inlinable
  public init() {
    storage = ColumnStorage(changed: nil)
  }
}

/// An optional property of a model that is not a column: it is nil when the model is loaded, and it
/// is not encoded.
///
/// ```swift
/// @Ignored var preview: String?
/// ```
@frozen
@propertyWrapper
public struct Ignored<Wrapped> {
  /// The value, or nil.
  public var wrappedValue: Wrapped?

  /// Makes the property with a value.
  public init(wrappedValue: Wrapped?) {
    self.wrappedValue = wrappedValue
  }
}

// This initialiser is in an extension. If it were declared in the type itself, the memberwise
// initialiser of a model would have a parameter for the wrapper instead of one for the value.
extension Ignored {
  /// Makes the property with nil.
  public init() {
    wrappedValue = nil
  }
}

extension Ignored: Sendable where Wrapped: Sendable {}
extension Ignored: Equatable where Wrapped: Equatable {}
extension Ignored: Hashable where Wrapped: Hashable {}

extension Ignored: Codable {
  /// Makes a property that is nil, whatever the decoder contains.
  public init(from decoder: any Decoder) throws {
    wrappedValue = nil
  }

  /// Encodes null, because an encoder that calls this method needs some value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// The value of `$title`. In a key path, `\.$title` names the column. On a model,
/// `$title.isChanged` says whether the column was changed.
@frozen
public struct ColumnReference<Value>: Sendable {
  @usableFromInline let mark: UInt16

  @inlinable
  init(mark: UInt16) {
    self.mark = mark
  }

  /// Whether the column has a value that was not loaded from the database.
  public var isChanged: Bool { mark == 1 || mark == 2 }

  /// The index of the column if this value comes from a key path in a query; nil if it comes from a
  /// model.
  @inlinable
  package var index: Int? { mark >= 3 ? Int(mark) - 3 : nil }
}

/// A column reference with an unknown value type.
protocol AnyColumnReference {
  var index: Int? { get }
}

extension ColumnReference: AnyColumnReference {}

// A model is compared, hashed and printed by its values only, whether or not a column was changed.
// `PrimaryKey` has the same conformances as `Column`. The conformances to `Codable` are in
// `Column+Codable.swift`.

extension Column: Equatable where Value: Equatable {
  /// Returns whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension PrimaryKey: Equatable where Value: Equatable {
  /// Returns whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Column: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PrimaryKey: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Column: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: wrappedValue) }
}

extension PrimaryKey: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: wrappedValue) }
}

extension Column: CustomDebugStringConvertible {
  /// The debug description of the value.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}

extension PrimaryKey: CustomDebugStringConvertible {
  /// The debug description of the value.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}
