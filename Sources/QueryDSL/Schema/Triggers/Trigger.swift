import SQLCore

/// A trigger, as a schema declares it.
struct TriggerLine<M: ResultRow> {
  let name: String
  let timing: TriggerTiming
  let operation: TriggerOperation<M>
  /// Makes the statements and the condition. The closure runs once, when the definition is read.
  let content:
    (_ old: Columns<M>, _ new: Columns<M>) -> (
      statements: [TriggerStatement], condition: PredicateLines
    )
}

/// Declares statements that SQLite runs after it inserts, updates or deletes a row.
///
/// ```swift
/// Trigger("Post_touch", after: .update(of: \.$title, \.$body)) { old, new in
///   Post.update { $0.$changes += 1 }.where { $0.$id == new.$id }
/// } when: { old, new in
///   old.$title != new.$title || old.$body != new.$body
/// }
/// // CREATE TRIGGER "Post_touch" /* Apus */ AFTER UPDATE OF "title", "body" ON "Post"
/// // WHEN OLD."title" <> NEW."title" OR OLD."body" <> NEW."body"
/// // BEGIN
/// //   UPDATE "Post" SET "changes" = "Post"."changes" + 1 WHERE "Post"."id" = NEW."id";
/// // END
/// ```
///
/// Each line of the closure is a statement: an `update`, a `delete` or an `insert` of any model, a
/// query, a `Raise`, or SQL in a string literal. The trigger fires only if all conditions in `when`
/// are true. The closures run when a database with the model is first opened, and not when the
/// trigger fires. Swift values in them become literals. If a literal cannot hold a value, such as a
/// text with U+0000, the opening throws `ModelError`.
///
/// The trigger fires for every writer of the file, not only for this program. A migration creates
/// the trigger after all tables. If the declaration changes, the migration drops the trigger and
/// creates it again. A migration recognises the triggers of Apus by a comment, and never changes
/// any other trigger.
///
/// - Parameter name: the name of the trigger, which no other trigger of the database may have.
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html>
public func Trigger<M: TableModel, Rows>(
  _ name: String, after event: TriggerEvent<M, Rows>,
  @TriggerBuilder do statements: @escaping (Rows) -> [TriggerStatement],
  @PredicateBuilder when condition: @escaping (Rows) -> PredicateLines = { _ in [] }
) -> SchemaElement<M> {
  trigger(name, .after, event, statements, condition)
}

/// Declares statements that SQLite runs before it inserts, updates or deletes a row.
///
/// ```swift
/// Trigger("Post_check", before: .insert) { new in
///   Raise(.abort, "the author is unknown").where {
///     !Author.where { $0.$id == new.$authorID }.exists()
///   }
/// }
/// // CREATE TRIGGER "Post_check" /* Apus */ BEFORE INSERT ON "Post"
/// // BEGIN
/// //   SELECT RAISE(ABORT, 'the author is unknown') WHERE NOT EXISTS (SELECT … FROM "Author" …);
/// // END
/// ```
/// If SQLite assigns the key of a new row, the key of `new` is -1, because the row has no key
/// before the insertion. Everything else works as in `Trigger(_:after:)`.
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html>
public func Trigger<M: TableModel, Rows>(
  _ name: String, before event: TriggerEvent<M, Rows>,
  @TriggerBuilder do statements: @escaping (Rows) -> [TriggerStatement],
  @PredicateBuilder when condition: @escaping (Rows) -> PredicateLines = { _ in [] }
) -> SchemaElement<M> {
  trigger(name, .before, event, statements, condition)
}

/// Declares the statements that SQLite runs in place of writing a row of a view.
///
/// ```swift
/// Trigger("AuthorName_insert", insteadOf: .insert) { new in
///   Author.insert {
///     $0.$id = new.$id
///     $0.$name = new.$name
///   }
/// }
/// // CREATE TRIGGER "AuthorName_insert" /* Apus */ INSTEAD OF INSERT ON "AuthorName"
/// // BEGIN
/// //   INSERT INTO "Author" ("id", "name") VALUES (NEW."id", NEW."name");
/// // END
/// ```
/// With this trigger, `run(AuthorName.insert(row))` writes to the view. `AuthorName.update { }` and
/// `AuthorName.delete()` need triggers of their own. SQLite does not count the rows of a view, so
/// `run` returns 0. Everything else works as in `Trigger(_:after:)`.
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html#instead_of_triggers>
public func Trigger<V: SQLView, Rows>(
  _ name: String, insteadOf event: TriggerEvent<V, Rows>,
  @TriggerBuilder do statements: @escaping (Rows) -> [TriggerStatement],
  @PredicateBuilder when condition: @escaping (Rows) -> PredicateLines = { _ in [] }
) -> SchemaElement<V> {
  trigger(name, .insteadOf, event, statements, condition)
}

private func trigger<M: TableModel, Rows>(
  _ name: String, _ timing: TriggerTiming, _ event: TriggerEvent<M, Rows>,
  _ statements: @escaping (Rows) -> [TriggerStatement],
  _ condition: @escaping (Rows) -> PredicateLines
) -> SchemaElement<M> {
  SchemaElement(
    kind: .trigger(
      TriggerLine(name: name, timing: timing, operation: event.operation) { old, new in
        let rows = event.rows(old, new)
        return (statements(rows), condition(rows))
      }))
}

/// The event that fires a trigger, and the rows that the trigger's closures receive.
///
/// ```swift
/// Trigger("count", after: .update(of: \.$title)) { old, new in
///   Post.update { $0.$edits += 1 }.where { $0.$id == new.$id }
/// }
/// ```
///
/// The closures receive the new row of an insertion, the old row of a deletion, or both rows of an
/// update.
public struct TriggerEvent<M: TableModel, Rows> {
  let operation: TriggerOperation<M>
  /// Returns the argument of the trigger's closures: the old row, the new row, or both.
  let rows: (_ old: Columns<M>, _ new: Columns<M>) -> Rows
}

extension TriggerEvent where Rows == Columns<M> {
  /// A row is inserted. The closures receive the new row. SQL: `INSERT`
  public static var insert: TriggerEvent { TriggerEvent(operation: .insert) { $1 } }

  /// A row is deleted. The closures receive the old row. SQL: `DELETE`
  public static var delete: TriggerEvent { TriggerEvent(operation: .delete) { old, _ in old } }
}

extension TriggerEvent where Rows == (Columns<M>, Columns<M>) {
  /// A row is updated. The closures receive the old row and the new one. SQL: `UPDATE`
  public static var update: TriggerEvent { TriggerEvent(operation: .update([])) { ($0, $1) } }

  /// An update assigns at least one of the columns, even if the value stays the same. The closures
  /// receive the old row and the new one. SQL: `UPDATE OF "title", "body"`
  public static func update<First: ColumnValue, each Value: ColumnValue>(
    of first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TriggerEvent {
    var paths: [PartialKeyPath<M>] = [first]
    for path in repeat each others { paths.append(path) }
    return TriggerEvent(operation: .update(paths)) { ($0, $1) }
  }
}

/// The statement that fires a trigger.
enum TriggerOperation<M: ResultRow> {
  case insert
  /// The columns of `UPDATE OF`; empty if every update fires the trigger.
  case update([PartialKeyPath<M>])
  case delete
}

/// The moment at which a trigger runs.
enum TriggerTiming: String {
  case before = "BEFORE"
  case after = "AFTER"
  case insteadOf = "INSTEAD OF"
}
