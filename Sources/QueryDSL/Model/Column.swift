import SQLCore

/// A property of a model that is a column of its table.
///
/// ```swift
/// @Column var title: String          // "title" TEXT NOT NULL
/// @Column var url: URL?              // "url" TEXT
/// ```
///
/// It knows whether its value was changed since it was loaded: `update` writes changed columns
/// alone. It is a value, so that copies of a model track their changes apart. `\.$title` names the
/// column in queries. Otherwise the wrapper is not to be seen: `==`, `hash`, JSON and `description`
/// are those of the value.
@frozen
@propertyWrapper
public struct Column<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// A column with a value that the database does not have yet.
  @inlinable
  public init(wrappedValue: Value) {
    storage = ColumnStorage(changed: Value.canonical(wrappedValue))
  }

  /// The value; setting another one marks the column as changed.
  @inlinable
  public var wrappedValue: Value {
    get { storage.requireValue() }
    set { storage.set(newValue) }
  }

  /// The name of the column in queries, `\.$title`; of a model's own, whether it was changed.
  @inlinable
  public var projectedValue: ColumnReference<Value> {
    ColumnReference(mark: storage.mark)
  }
}

/// A property of a model that is the primary key of its table, or one column of it.
///
/// ```swift
/// @PrimaryKey var id = Unique64()    // "id" INTEGER PRIMARY KEY NOT NULL
/// @PrimaryKey var id: Int64?         // "id" INTEGER PRIMARY KEY: the database assigns it
/// ```
///
/// Otherwise it is as `Column`.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowid>
@frozen
@propertyWrapper
public struct PrimaryKey<Value: ColumnValue>: Sendable {
  @usableFromInline var storage: ColumnStorage<Value>

  /// A key with a value that the database does not have yet.
  @inlinable
  public init(wrappedValue: Value) {
    storage = ColumnStorage(changed: Value.canonical(wrappedValue))
  }

  /// The value; setting another one marks the column as changed.
  @inlinable
  public var wrappedValue: Value {
    get { storage.requireValue() }
    set { storage.set(newValue) }
  }

  /// The name of the column in queries, `\.$id`; of a model's own, whether it was changed.
  @inlinable
  public var projectedValue: ColumnReference<Value> {
    ColumnReference(mark: storage.mark)
  }
}

// In an extension of their own: as a member of the type itself, with a `where` behind it, the
// initialiser would be asked of columns that are not optional, too.

extension Column where Value: ExpressibleByNilLiteral {
  /// A column that is NULL, so that a memberwise initialiser may leave an optional out.
  @inlinable
  public init() {
    storage = ColumnStorage(changed: nil)
  }
}

extension PrimaryKey where Value: ExpressibleByNilLiteral {
  /// A key that the database assigns when the model is inserted.
  @inlinable
  public init() {
    storage = ColumnStorage(changed: nil)
  }
}

extension ColumnStorage where Value: ColumnValue {
  /// The value. It is nil in the layout's own instance alone, which no user holds: only a property
  /// of type `ColumnReference` that somebody calculates from another column's value gets here.
  @usableFromInline
  func requireValue() -> Value {
    guard let value else {
      preconditionFailure("a column was read where it stands for its name; name it by `\\.$column`")
    }
    return value
  }

  /// Takes a value, and notes that it is another one.
  @inlinable
  mutating func set(_ newValue: Value) {
    let canonical = Value.canonical(newValue)
    if let value, Value.isStoredAlike(value, canonical) {
      // Equal as stored, perhaps not the same: the new one is what the user has in hand.
      self.value = canonical
    } else {
      change(to: canonical)
    }
  }
}
