import SQLCore

// The lines are functions with the names of SQL's own clauses, so that a key path takes its root
// from the schema in which the line stands.

/// The value of rows that were there before the column was, and of rows that raw SQL inserts without
/// it.
///
/// ```swift
/// Default(\.$status, .draft)         // "status" TEXT NOT NULL DEFAULT 'draft'
/// ```
///
/// A new column that is not optional needs one where its table has rows, unless
/// `MigrationOptions.missingDefaults` says otherwise: the initial value of
/// `@Column var status: Status = .draft` is code in the initialiser, which a library cannot read.
public func Default<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ value: Value
) -> SchemaElement<M> {
  SchemaElement(kind: .default(column) { BoundValue(value, as: $0) })
}

/// A default in SQL: a literal, `CURRENT_TIMESTAMP`, or an expression.
///
/// ```swift
/// Default(\.$createdAt, sql: "unixepoch() * 1000000")
/// // "createdAt" INTEGER NOT NULL DEFAULT (unixepoch() * 1000000)
/// ```
/// A column with an expression is added by a rebuild of the table.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#the_default_clause>
public func Default<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, sql: SQL
) -> SchemaElement<M> {
  SchemaElement(kind: .defaultSQL(column, sql))
}

/// The form in which a column is stored, where the type has more than one.
///
/// ```swift
/// Stored(\.$id, as: .bytes)          // "id" BLOB: a UUID as its 16 bytes
/// ```
/// In the schema of a `ResultRow` it says the form of what is selected into the property.
public func Stored<M: ResultRow, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, as form: StoredForm
) -> SchemaElement<M> {
  SchemaElement(kind: .stored(column, form))
}

/// The name of a column, where it is another than the property's.
///
/// ```swift
/// Named(\.$title, "headline")        // "headline" TEXT NOT NULL
/// ```
/// It says how the column is called; `Renamed` says how it was called before.
public func Named<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ name: String
) -> SchemaElement<M> {
  SchemaElement(kind: .named(column, name))
}

/// How a column compares and orders its text.
///
/// ```swift
/// Collated(\.$name, .noCase)         // "name" TEXT NOT NULL COLLATE NOCASE
/// ```
public func Collated<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ collation: Collation
) -> SchemaElement<M> {
  SchemaElement(kind: .collated(column, collation))
}

/// A column that SQLite calculates from others of its row.
///
/// ```swift
/// Generated(\.$total) { $0.$price * $0.$count }
/// // "total" INTEGER NOT NULL GENERATED ALWAYS AS ("price" * "count") VIRTUAL
/// ```
///
/// It is never written: a model's own value of it counts for nothing, and is read back after an
/// insertion or update, by one statement more.
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public func Generated<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ storage: GeneratedStorage = .virtual,
  as expression: @escaping (Columns<M>) -> SQLExpression<Value>
) -> SchemaElement<M> {
  SchemaElement(kind: .generated(column, storage) { expression(.declared).node })
}

/// A condition that each row fulfils; several lines must all hold.
///
/// ```swift
/// Check { $0.$views >= 0 }                     // CHECK (("views" >= 0))
/// Check("span") { $0.$start <= $0.$end }       // CONSTRAINT "span" CHECK ("start" <= "end")
/// ```
///
/// A row that does not throws `DatabaseError`, with the name or the text of the condition.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#check_constraints>
public func Check<M: Model>(
  _ name: String? = nil, @PredicateBuilder _ predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  SchemaElement(kind: .check(name: name) { predicates(.declared) })
}

/// The table has no rowid: its rows lie in the tree of the primary key itself.
///
/// For rows that are small and mostly found by a key that is no single integer.
/// - SeeAlso: <https://www.sqlite.org/withoutrowid.html>
public func WithoutRowID<M: Model>() -> SchemaElement<M> {
  SchemaElement(kind: .rowID(isLeftOut: true))
}

/// The table has a rowid again, where it was WITHOUT ROWID before.
public func WithRowID<M: Model>() -> SchemaElement<M> {
  SchemaElement(kind: .rowID(isLeftOut: false))
}
