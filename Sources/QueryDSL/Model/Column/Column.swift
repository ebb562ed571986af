import SQLCore

/// A property of a model that is a column of its table.
///
/// ```swift
/// @Column var title: String          // "title" TEXT NOT NULL
/// @Column var url: URL?              // "url" TEXT
/// ```
///
/// It records whether its value was changed since it was loaded: `update` writes only changed
/// columns. It is a value, so copies of a model track their changes separately. `\.$title` names
/// the column in queries. Otherwise the wrapper is invisible: `==`, `hash`, JSON and `description`
/// are those of the value.
@frozen
@propertyWrapper
public struct Column<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// Makes a column with a value that the database does not have yet.
  @inlinable
  public init(wrappedValue: Value) {
    storage = ColumnStorage(changed: Value.canonical(wrappedValue))
  }

  /// The value. Setting a different one marks the column as changed.
  @inlinable
  public var wrappedValue: Value {
    get { storage.requireValue() }
    set { storage.set(newValue) }
  }

  /// The column's name in queries, as in `\.$title`. On a model it says whether the column was
  /// changed.
  @inlinable
  public var projectedValue: ColumnReference<Value> {
    ColumnReference(mark: storage.mark)
  }
}

// In extensions of their own: if these initialisers were members of the types, with a `where`
// clause, the compiler would require them for columns that are not optional as well.

extension Column where Value: ExpressibleByNilLiteral {
  /// Makes a column that is NULL, so that a memberwise initialiser may omit an optional.
  @inlinable
  public init() {
    storage = ColumnStorage(changed: nil)
  }
}

extension ColumnStorage where Value: ColumnValue {
  /// The value. It is nil only in the layout's own instance, which callers cannot reach, except
  /// through a computed property of type `ColumnReference` that reads the value of another column.
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
      // It is stored in the same way but may differ in Swift, so keep what the caller set.
      self.value = canonical
    } else {
      change(to: canonical)
    }
  }
}
