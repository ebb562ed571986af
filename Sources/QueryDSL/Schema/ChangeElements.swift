import SQLCore

// What a schema says of its own past: what was called otherwise, what goes, and how values become
// others. The lines may stay when it is done: they find nothing left to do.

/// Something that a migration may remove, since a schema says so.
enum Removal: Hashable, Sendable {
  case column(String)
  case index(String)
  case trigger(String)
  case view(String)
  case table(String)
  case foreignKey([String])
  case unique([String])
  case check(String)
  case attribute(column: String, Attribute)

  /// What a column may have besides its type.
  enum Attribute: Hashable, Sendable {
    case `default`
    case collation
  }
}

/// The column was called otherwise; it keeps its values.
///
/// ```swift
/// Renamed(\.$title, from: "headline")
/// // ALTER TABLE "Post" RENAME COLUMN "headline" TO "title"
/// ```
/// Indexes, triggers, views and foreign keys that name it follow.
public func Renamed<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, from name: String
) -> SchemaElement<M> {
  SchemaElement(kind: .renamed(column, from: name))
}

/// The table was called otherwise; it keeps its rows.
///
/// ```swift
/// RenamedTable(from: "Article")      // ALTER TABLE "Article" RENAME TO "Post"
/// ```
public func RenamedTable<M: Model>(from name: String) -> SchemaElement<M> {
  SchemaElement(kind: .renamedTable(from: name))
}

/// The column goes, with its values.
///
/// ```swift
/// Dropped("headline")
/// ```
public func Dropped<M: Model>(_ column: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.column(column)))
}

/// The index goes.
public func Dropped<M: Model>(index name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.index(name)))
}

/// The trigger goes.
public func Dropped<M: Model>(trigger name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.trigger(name)))
}

/// The view goes.
public func Dropped<M: Model>(view name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.view(name)))
}

/// Another table goes, with its rows; it may stand in the schema of any model.
public func Dropped<M: Model>(table name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.table(name)))
}

/// The foreign key on these columns of the table goes; the columns stay.
public func Dropped<M: Model>(foreignKey columns: String...) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.foreignKey(columns)))
}

/// The UNIQUE constraint over these columns of the table goes; the columns stay.
public func Dropped<M: Model>(unique columns: String...) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.unique(columns)))
}

/// The CHECK of that name, or with that text between its parentheses, goes.
public func Dropped<M: Model>(check nameOrText: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.check(nameOrText)))
}

/// The column has no default any more.
public func Dropped<M: Model, Value: ColumnValue>(
  defaultOf column: KeyPath<M, ColumnReference<Value>>
) -> SchemaElement<M> {
  SchemaElement(kind: .droppedAttribute(column, .default))
}

/// The column has no collation any more, and compares by bytes.
public func Dropped<M: Model, Value: ColumnValue>(
  collationOf column: KeyPath<M, ColumnReference<Value>>
) -> SchemaElement<M> {
  SchemaElement(kind: .droppedAttribute(column, .collation))
}

/// How the values of a column become those of its new type.
///
/// ```swift
/// Converted(\.$price, from: String.self) { Int($0) ?? 0 }
/// Converted(\.$name, from: String?.self) { $0 ?? "" }     // it may be NULL no more
/// ```
///
/// It runs once for each row of a file: where the column in the file is stored otherwise than the
/// property, in another storage class or with NULL, and once where both are stored alike, as `Bool`
/// and `Date`, or a `String` and an enumeration over it. Of the latter the table `apus_migration`
/// keeps a note, so that the line may stay; a table or column that the model creates has nothing to
/// convert, which is noted, too. From an optional of the same type, it runs where the column may be
/// NULL. Where several models are one table, and are not opened together, each declares the line.
///
/// A value that is none of `old`, such as NULL where that is no optional, throws `MigrationError`,
/// which names the row. What the closure throws ends the migration. In both cases nothing is done.
public func Converted<M: Model, Old: ColumnValue, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, from old: Old.Type,
  stored form: StoredForm = .standard, _ convert: @escaping @Sendable (Old) throws -> Value
) -> SchemaElement<M> {
  SchemaElement(
    kind: .converted(column) { newForm in
      DeclaredConversion(
        source: StoredType(Old.self, form: form), target: StoredType(Value.self, form: newForm)
      ) { value in
        let converted = try convert(try value.read(Old.self, as: form))
        return try Value.canonical(converted).databaseValue(as: newForm)
      }
    })
}

/// A stored value turned into another.
struct ValueConversion: Sendable {
  let convert: @Sendable (DatabaseValue) throws -> DatabaseValue

  init(_ convert: @escaping @Sendable (DatabaseValue) throws -> DatabaseValue) {
    self.convert = convert
  }
}
