import SQLCore

// The functions below make the lines of a schema, and are named after SQL's clauses. The model of
// the schema is the root type of their key paths, so `\.$title` needs no type name.

/// Declares the default of a column. Existing rows get the default when a migration adds the
/// column. Rows that raw SQL inserts without the column get it, too.
///
/// ```swift
/// Default(\.$status, .draft)         // "status" TEXT NOT NULL DEFAULT 'draft'
/// ```
///
/// A number of more than 15 digits is written as a quotient or a product, which SQLite reads
/// exactly. Adding a column with such a default costs a rebuild of the table. Opening the database
/// throws `QueryError` for a text with U+0000.
///
/// If the table has rows, a new column that is not optional needs this line, or the option
/// `MigrationOptions.missingDefaults`. The default cannot come from an initial value, as in
/// `@Column var status: Status = .draft`, because that value is code in the initialiser, which a
/// library cannot read.
public func Default<M: TableModel, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ value: Value
) -> SchemaElement<M> {
  SchemaElement(kind: .default(column) { BoundValue(value, as: $0) })
}

/// Declares a default in SQL: a literal, `CURRENT_TIMESTAMP`, or an expression.
///
/// ```swift
/// Default(\.$createdAt, sql: "unixepoch() * 1000000")
/// // "createdAt" INTEGER NOT NULL DEFAULT (unixepoch() * 1000000)
/// ```
/// Adding a column whose default is an expression costs a rebuild of the table.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#the_default_clause>
public func Default<M: TableModel, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, sql: SQL
) -> SchemaElement<M> {
  SchemaElement(kind: .defaultSQL(column, sql))
}

/// Declares in which form a column stores its values. A UUID, for example, is stored as text or as
/// bytes.
///
/// ```swift
/// Stored(\.$id, as: .bytes)          // "id" BLOB: a UUID as its 16 bytes
/// ```
/// In the schema of a `ResultRow`, it declares in which form a query returns the value of the
/// property.
public func Stored<M: ResultRow, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, as form: StoredForm
) -> SchemaElement<M> {
  SchemaElement(kind: .stored(column, form))
}

/// Declares the name of a column that is not named after its property.
///
/// ```swift
/// Named(\.$title, "headline")        // "headline" TEXT NOT NULL
/// ```
/// `Named` declares the present name; `Renamed` declares a former name.
public func Named<M: ResultRow, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ name: String
) -> SchemaElement<M> {
  SchemaElement(kind: .named(column, name))
}

/// Declares the prefix for the names of all columns of a column group. By default, the prefix is
/// the name of the group's property, followed by `_`.
///
/// ```swift
/// Prefixed(\Person.$home, "")        // "city" TEXT NOT NULL, not "home_city"
/// ```
/// `Named(\.$home.$city, "town")` names a single column, without the prefix.
public func Prefixed<M: ResultRow, Group: _ColumnGroupValue>(
  _ group: KeyPath<M, GroupReference<Group>>, _ prefix: String
) -> SchemaElement<M> {
  SchemaElement(kind: .prefixed(group, prefix))
}

/// Declares how a column compares and orders its text.
///
/// ```swift
/// Collated(\.$name, .noCase)         // "name" TEXT NOT NULL COLLATE NOCASE
/// ```
public func Collated<M: TableModel, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ collation: Collation
) -> SchemaElement<M> {
  SchemaElement(kind: .collated(column, collation))
}

/// Declares a column that SQLite calculates from other columns of its row.
///
/// ```swift
/// Generated(\.$total) { $0.$price * $0.$count }
/// // "total" INTEGER NOT NULL GENERATED ALWAYS AS ("price" * "count") VIRTUAL
/// ```
///
/// Apus never writes the column, and ignores its value in a model. After an insertion or update,
/// one more statement reads the calculated value.
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public func Generated<M: TableModel, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ storage: GeneratedStorage = .virtual,
  as expression: @escaping (Columns<M>) -> SQLExpression<Value>
) -> SchemaElement<M> {
  SchemaElement(kind: .generated(column, storage) { expression(.declared).node })
}

/// Declares a condition that each row must fulfil. If the closure has several conditions, a row
/// must fulfil all of them.
///
/// ```swift
/// Check { $0.$views >= 0 }                     // CHECK (("views" >= 0))
/// Check("span") { $0.$start <= $0.$end }       // CONSTRAINT "span" CHECK ("start" <= "end")
/// ```
///
/// Writing a row that does not fulfil the condition throws `DatabaseError`, with the name or the
/// text of the condition.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#check_constraints>
public func Check<M: TableModel>(
  _ name: String? = nil, @PredicateBuilder _ predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  SchemaElement(kind: .check(name: name) { predicates(.declared) })
}

/// Declares that the table has no rowid: its rows are stored in the B-tree of the primary key.
///
/// Use it for small rows that are mostly found by a key other than a single integer.
/// - SeeAlso: <https://www.sqlite.org/withoutrowid.html>
public func WithoutRowID<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(kind: .rowID(isLeftOut: true))
}

/// Declares that a table that was WITHOUT ROWID has a rowid again.
public func WithRowID<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(kind: .rowID(isLeftOut: false))
}

/// How SQLite stores a generated column.
///
/// ```swift
/// Generated(\.$slug, .stored) { $0.$title.lower() }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public enum GeneratedStorage: String, Sendable {
  /// The value is calculated when it is read.
  case virtual = "VIRTUAL"
  /// The value is calculated when the row is written, and takes space in the file.
  case stored = "STORED"
}

/// A rule for comparing and ordering text in SQLite.
///
/// ```swift
/// Collated(\.$title, .noCase)
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#collation>
public struct Collation: Hashable, Sendable {
  /// The name of the collation in SQL.
  public let name: String

  /// Creates a collation with its name in SQL. If it is your own collation, register it in
  /// `Configuration.prepareConnection`.
  public init(_ name: String) {
    self.name = name
  }

  /// Compares bytes: SQLite's default.
  public static let binary = Collation("BINARY")
  /// Ignores the case of ASCII letters.
  public static let noCase = Collation("NOCASE")
  /// Compares bytes, ignoring spaces at the end.
  public static let trimmed = Collation("RTRIM")
  /// Compares texts by their values as decimal numbers. Queries compare Decimal columns in this
  /// way, and can use an index with this collation: `Index { $0.$price.collated(.decimal) }`. A
  /// program that has not registered the collation cannot write to a table with such an index.
  public static let decimal = Collation("decimal")
}
