import SQLCore

/// A foreign key, as a schema declares it.
struct ForeignKeyLine<M: ResultRow> {
  let columns: [PartialKeyPath<M>]
  /// Returns the referenced table and columns. The closure is called only when they are needed,
  /// because two models may refer to each other, so that neither can be read before the other.
  let target: () throws -> ForeignKeyTarget
  let onDelete: ForeignKeyAction
  let onUpdate: ForeignKeyAction
  let isDeferred: Bool
}

/// The table and columns that a foreign key references.
package struct ForeignKeyTarget: Hashable, Sendable {
  package var table: String
  package var columns: [String]
}

/// Declares a foreign key.
///
/// ```swift
/// ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
/// // FOREIGN KEY ("authorID") REFERENCES "Author" ("id") ON DELETE CASCADE
/// ```
///
/// A deferred foreign key, `DEFERRABLE INITIALLY DEFERRED`, is checked when the transaction
/// commits, not after each statement.
/// - SeeAlso: <https://www.sqlite.org/foreignkeys.html>
public func ForeignKey<M: TableModel, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>,
  references target: KeyPath<Target, ColumnReference<Value>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey([column], [target], Target.self, onDelete, onUpdate, deferred)
}

/// Declares a foreign key whose column may be NULL.
public func ForeignKey<M: TableModel, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value?>>,
  references target: KeyPath<Target, ColumnReference<Value>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey([column], [target], Target.self, onDelete, onUpdate, deferred)
}

/// Declares a foreign key to a primary key that the database assigns.
public func ForeignKey<M: TableModel, Target: Model, Value: ColumnValue>(
  _ column: KeyPath<M, ColumnReference<Value>>,
  references target: KeyPath<Target, ColumnReference<Value?>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey([column], [target], Target.self, onDelete, onUpdate, deferred)
}

/// Declares a foreign key of two columns.
///
/// ```swift
/// ForeignKey(\.$orderID, \.$line, references: \Line.$orderID, \Line.$number)
/// // FOREIGN KEY ("orderID", "line") REFERENCES "Line" ("orderID", "number")
/// ```
public func ForeignKey<M: TableModel, Target: Model, First: ColumnValue, Second: ColumnValue>(
  _ first: KeyPath<M, ColumnReference<First>>, _ second: KeyPath<M, ColumnReference<Second>>,
  references firstTarget: KeyPath<Target, ColumnReference<First>>,
  _ secondTarget: KeyPath<Target, ColumnReference<Second>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey(
    [first, second], [firstTarget, secondTarget], Target.self, onDelete, onUpdate, deferred)
}

/// Declares a foreign key of two columns that may be NULL. If either column of a row is NULL, the
/// row references no other row.
public func ForeignKey<M: TableModel, Target: Model, First: ColumnValue, Second: ColumnValue>(
  _ first: KeyPath<M, ColumnReference<First?>>, _ second: KeyPath<M, ColumnReference<Second?>>,
  references firstTarget: KeyPath<Target, ColumnReference<First>>,
  _ secondTarget: KeyPath<Target, ColumnReference<Second>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey(
    [first, second], [firstTarget, secondTarget], Target.self, onDelete, onUpdate, deferred)
}

/// Declares a foreign key of three columns.
public func ForeignKey<
  M: TableModel, Target: Model, First: ColumnValue, Second: ColumnValue, Third: ColumnValue
>(
  _ first: KeyPath<M, ColumnReference<First>>, _ second: KeyPath<M, ColumnReference<Second>>,
  _ third: KeyPath<M, ColumnReference<Third>>,
  references firstTarget: KeyPath<Target, ColumnReference<First>>,
  _ secondTarget: KeyPath<Target, ColumnReference<Second>>,
  _ thirdTarget: KeyPath<Target, ColumnReference<Third>>,
  onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
  deferred: Bool = false
) -> SchemaElement<M> {
  foreignKey(
    [first, second, third], [firstTarget, secondTarget, thirdTarget], Target.self, onDelete,
    onUpdate, deferred)
}

private func foreignKey<M: TableModel, Target: Model>(
  _ columns: [PartialKeyPath<M>], _ targets: [PartialKeyPath<Target>], _: Target.Type,
  _ onDelete: ForeignKeyAction, _ onUpdate: ForeignKeyAction, _ isDeferred: Bool
) -> SchemaElement<M> {
  let resolve = {
    let layout = try Target.layout
    let names = try targets.map { target in
      guard let index = layout.index(ofColumn: target) else {
        throw ModelError(M.self, "ForeignKey: \(target) is not a column of \(layout.tableName)")
      }
      return layout.columns[index].name
    }
    return ForeignKeyTarget(table: layout.tableName, columns: names)
  }
  return SchemaElement(
    kind: .foreignKey(
      ForeignKeyLine(
        columns: columns, target: resolve, onDelete: onDelete, onUpdate: onUpdate,
        isDeferred: isDeferred)))
}

/// The action that SQLite takes on a row with a foreign key when the referenced row is deleted or
/// its key changes.
///
/// ```swift
/// ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/foreignkeys.html#fk_actions>
public enum ForeignKeyAction: String, Sendable {
  /// The deletion or change of the referenced row is refused.
  case noAction = "NO ACTION"
  /// The deletion or change is refused immediately, even if the foreign key is deferred.
  case restrict = "RESTRICT"
  /// The reference becomes NULL.
  case setNull = "SET NULL"
  /// The reference becomes the default value of its column.
  case setDefault = "SET DEFAULT"
  /// The row is deleted too, or its reference gets the new key.
  case cascade = "CASCADE"
}
