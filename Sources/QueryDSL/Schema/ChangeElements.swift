import SQLCore

// The functions below make the lines of a schema that declare what has changed since earlier
// versions of the schema: former names, dropped objects, and conversions of values. Such a line may
// stay in the schema. Once a migration has carried out the line, it has no further effect.

/// A part of the database that a migration may drop, because a model declares it with `Dropped(…)`.
package enum Removal: Hashable, Sendable {
  case column(String)
  case index(String)
  case trigger(String)
  case searchIndex(String)
  /// The triggers that write each change of the model's table into the change log.
  case log
  case view(String)
  case table(String)
  case foreignKey([String])
  case unique([String])
  case check(String)
  case attribute(column: String, Attribute)

  /// A clause in the definition of a column, DEFAULT or COLLATE, that a migration may drop. The
  /// column itself stays.
  package enum Attribute: Hashable, Sendable {
    case `default`
    case collation
  }
}

/// Declares the former name of a column. The column keeps its values.
///
/// ```swift
/// Renamed(\.$title, from: "headline")
/// // ALTER TABLE "Post" RENAME COLUMN "headline" TO "title"
/// ```
/// Indexes, triggers, views and foreign keys that name the column get the new name, too.
public func Renamed<M: TableModel, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, from name: String
) -> SchemaElement<M> {
  SchemaElement(kind: .renamed(column, from: name))
}

/// Declares the former name of the table. The table keeps its rows.
///
/// ```swift
/// RenamedTable(from: "Article")      // ALTER TABLE "Article" RENAME TO "Post"
/// ```
public func RenamedTable<M: TableModel>(from name: String) -> SchemaElement<M> {
  SchemaElement(kind: .renamedTable(from: name))
}

/// Declares that a column and its values are dropped.
///
/// ```swift
/// Dropped("headline")
/// ```
public func Dropped<M: TableModel>(_ column: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.column(column)))
}

/// Declares that an index is dropped. SQL: `DROP INDEX "name"`
public func Dropped<M: TableModel>(index name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.index(name)))
}

/// Declares that a trigger is dropped. SQL: `DROP TRIGGER "name"`
public func Dropped<M: TableModel>(trigger name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.trigger(name)))
}

/// Declares that a full-text index is dropped, with its triggers. SQL: `DROP TABLE "Post_search"`
public func Dropped<M: TableModel>(fullText name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.searchIndex(name)))
}

/// Declares that a vector index is dropped, with its triggers.
/// SQL: `DROP TABLE "Post_embedding_index"`
public func Dropped<M: TableModel>(vectorIndex name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.searchIndex(name)))
}

/// Declares that a view is dropped. SQL: `DROP VIEW "name"`
public func Dropped<M: TableModel>(view name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.view(name)))
}

/// Declares that another table and its rows are dropped. You may write this in the schema of any
/// model. SQL: `DROP TABLE "name"`
public func Dropped<M: TableModel>(table name: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.table(name)))
}

/// Declares that the foreign key on these columns of the table is dropped. The columns stay.
public func Dropped<M: TableModel>(foreignKey columns: String...) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.foreignKey(columns)))
}

/// Declares that the UNIQUE constraint over these columns of the table is dropped. The columns
/// stay.
public func Dropped<M: TableModel>(unique columns: String...) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.unique(columns)))
}

/// Declares that a CHECK is dropped. The CHECK is found by its name, or by the text between its
/// parentheses.
public func Dropped<M: TableModel>(check nameOrText: String) -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.check(nameOrText)))
}

/// Declares that a column no longer has a default.
public func Dropped<M: TableModel, Value: ColumnValue>(
  defaultOf column: KeyPath<M, ColumnReference<Value>>
) -> SchemaElement<M> {
  SchemaElement(kind: .droppedAttribute(column, .default))
}

/// Declares that a column no longer has a collation. SQLite then compares its text by bytes.
public func Dropped<M: TableModel, Value: ColumnValue>(
  collationOf column: KeyPath<M, ColumnReference<Value>>
) -> SchemaElement<M> {
  SchemaElement(kind: .droppedAttribute(column, .collation))
}

/// Declares how the values of a column are converted to its new type.
///
/// ```swift
/// Converted(\.$price, from: String.self) { Int($0) ?? 0 }
/// Converted(\.$name, from: String?.self) { $0 ?? "" }     // it may no longer be NULL
/// ```
///
/// The conversion runs once for each row of a file. A migration decides as follows whether the
/// conversion has already run:
///
/// - If the existing column has a different storage class from the property, the conversion has not
///   run yet. The same is true if the column allows NULL and the property is not optional.
/// - If the old and the new type have the same storage class, such as `Bool` and `Date`, or a
///   `String` and an enumeration of strings, the schema does not show whether the conversion has
///   run. In this case, a migration records the conversion by a note in the table `apus_migration`.
///   So you may leave the declaration in the schema. If the migration itself creates the table or
///   the column, it writes the note and converts nothing.
/// - As an exception, if `old` is only the optional form of the property's type, such as `String?`
///   for `String`, the conversion runs if the existing column allows NULL.
///
/// If several models share a table and are not opened together, each model must declare the
/// conversion.
///
/// Throws `MigrationError`, which names the row, if a value cannot be read as `old`, for example
/// NULL as a type that is not optional. If the closure throws an error, the migration ends. In both
/// cases nothing is changed.
public func Converted<M: TableModel, Old: ColumnValue, Value: ColumnValue>(
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

/// A function that converts one stored value to another.
package struct ValueConversion: Sendable {
  package let convert: @Sendable (DatabaseValue) throws -> DatabaseValue

  init(_ convert: @escaping @Sendable (DatabaseValue) throws -> DatabaseValue) {
    self.convert = convert
  }
}
