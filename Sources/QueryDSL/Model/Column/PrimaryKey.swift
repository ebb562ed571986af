import SQLCore

/// A property of a model that is the primary key of its table, or one column of it.
///
/// ```swift
/// @PrimaryKey var id = Unique64()    // "id" INTEGER PRIMARY KEY NOT NULL
/// @PrimaryKey var number: Int64?     // "number" INTEGER PRIMARY KEY: the database assigns it
/// ```
///
/// In all other respects it is like `Column`.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowid>
@frozen
@propertyWrapper
public struct PrimaryKey<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// Makes a key with a value that the database does not have yet.
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

  /// The column's name in queries, as in `\.$id`. On a model it says whether the column was
  /// changed.
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
