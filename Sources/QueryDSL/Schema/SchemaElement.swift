import SQLCore

/// One line of a model's schema.
public struct SchemaElement<M: Model> {
  enum Kind {
    case index(columns: [PartialKeyPath<M>], isUnique: Bool)
    case foreignKey(
      columns: [PartialKeyPath<M>], target: () throws -> ForeignKeyTarget,
      onDelete: ForeignKeyAction, onUpdate: ForeignKeyAction)
    /// The value is encoded when the column's form is known.
    case `default`(PartialKeyPath<M>, (StoredForm) -> BoundValue)
    case stored(PartialKeyPath<M>, StoredForm)
  }

  let kind: Kind
}

/// The table and column to which a foreign key refers.
struct ForeignKeyTarget: Hashable, Sendable {
  var table: String
  var column: String
}

/// What happens to a row when the row to which it refers goes or changes its key.
///
/// - SeeAlso: <https://www.sqlite.org/foreignkeys.html#fk_actions>
public enum ForeignKeyAction: String, Sendable {
  /// It is refused.
  case noAction = "NO ACTION"
  /// It is refused at once, also where the key is deferred.
  case restrict = "RESTRICT"
  /// The reference becomes NULL.
  case setNull = "SET NULL"
  /// The reference becomes its column's default.
  case setDefault = "SET DEFAULT"
  /// The row is deleted, or its reference follows the key.
  case cascade = "CASCADE"
}

// The lines are functions with the names of SQL's own clauses, so that a key path takes its root
// from the schema in which the line stands.

/// A foreign key.
///
/// ```swift
/// ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
/// // FOREIGN KEY ("authorID") REFERENCES "Author" ("id") ON DELETE CASCADE
/// ```
/// - SeeAlso: <https://www.sqlite.org/foreignkeys.html>
public func ForeignKey<M: Model, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>,
  references target: KeyPath<Target, ColumnReference<Value>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction
) -> SchemaElement<M> {
  foreignKey(column, target, onDelete, onUpdate)
}

/// A foreign key that may be NULL, or that refers to a key which the database assigns.
public func ForeignKey<M: Model, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value?>>,
  references target: KeyPath<Target, ColumnReference<Value>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction
) -> SchemaElement<M> {
  foreignKey(column, target, onDelete, onUpdate)
}

/// A foreign key that refers to a key which the database assigns.
public func ForeignKey<M: Model, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>,
  references target: KeyPath<Target, ColumnReference<Value?>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction
) -> SchemaElement<M> {
  foreignKey(column, target, onDelete, onUpdate)
}

private func foreignKey<M: Model, Target: Model, Value, TargetValue>(
  _ column: KeyPath<M, ColumnReference<Value>>,
  _ target: KeyPath<Target, ColumnReference<TargetValue>>,
  _ onDelete: ForeignKeyAction, _ onUpdate: ForeignKeyAction
) -> SchemaElement<M> {
  // Resolved when it is needed: two models may refer to each other.
  let resolve = {
    let layout = try Target.layout
    guard let index = layout.index(of: target) else {
      throw ModelError(M.self, "ForeignKey: \(target) is no column")
    }
    return ForeignKeyTarget(table: layout.tableName, column: layout.columns[index].name)
  }
  return SchemaElement(
    kind: .foreignKey(columns: [column], target: resolve, onDelete: onDelete, onUpdate: onUpdate))
}

/// An index over one column or several.
///
/// ```swift
/// Index(\.$status, \.$createdAt)
/// // CREATE INDEX "Post_on_status_createdAt" ON "Post" ("status", "createdAt")
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public func Index<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>
) -> SchemaElement<M> {
  var paths: [PartialKeyPath<M>] = []
  for path in repeat each columns { paths.append(path) }
  return SchemaElement(kind: .index(columns: paths, isUnique: false))
}

/// A column, or several together, whose values no two rows share.
///
/// ```swift
/// Unique(\.$url)
/// // CREATE UNIQUE INDEX "Post_unique_url" ON "Post" ("url")
/// ```
public func Unique<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>
) -> SchemaElement<M> {
  var paths: [PartialKeyPath<M>] = []
  for path in repeat each columns { paths.append(path) }
  return SchemaElement(kind: .index(columns: paths, isUnique: true))
}

/// The value that rows have which were there before the column was, and rows that raw SQL inserts
/// without it.
///
/// ```swift
/// Default(\.$status, .draft)         // "status" TEXT NOT NULL DEFAULT 'draft'
/// ```
///
/// The initial value of `@Column var status: Status = .draft` is code in the initialiser, which
/// nobody can read.
public func Default<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, _ value: Value
) -> SchemaElement<M> {
  SchemaElement(kind: .default(column) { BoundValue(value, as: $0) })
}

/// The form in which a column is stored, where the type has more than one.
///
/// ```swift
/// Stored(\.$id, as: .bytes)          // "id" BLOB: a UUID as its 16 bytes
/// ```
public func Stored<M: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>, as form: StoredForm
) -> SchemaElement<M> {
  SchemaElement(kind: .stored(column, form))
}
