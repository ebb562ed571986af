import SQLCore

/// Declares that each change of the table is written into the change log of the database.
///
/// ```swift
/// Logged()
/// // CREATE TRIGGER "Post_log_insert" /* Apus log */ AFTER INSERT ON "Post" …
/// // CREATE TRIGGER "Post_log_update" …, CREATE TRIGGER "Post_log_delete" …
/// ```
///
/// Triggers write the old and the new values of each changed row into tables of the library,
/// in the transaction of the change, whichever program makes it. `db.log` reads them. The migration
/// creates the tables and the triggers, and creates the triggers again if the columns of the table
/// change. Each write of a program that opens the database with such a model is one entry of the
/// log; it also ends the entry that another program left open.
///
/// Because SQLite fires no delete trigger for a row that REPLACE removes unless
/// `recursive_triggers` is on, opening a database with such a model switches it on for the writing
/// connection of this program. Another program must do so before it writes with REPLACE.
///
/// The order in which SQLite fires the triggers of the table does not matter. A trigger that hides
/// changes from all others cannot be declared beside this line: one before an update or a deletion
/// that writes the table, one on deletions that writes the table, and one after a change that calls
/// `RAISE(IGNORE)`. `AnyLogChange.uncertainColumns` says more.
///
/// The table needs a primary key. Generated columns are not logged; columns that no model declares
/// are, from the next migration on. A model without a key, or a view, throws `ModelError` when it is
/// opened, as does such a trigger.
///
/// Each changed row costs one row in the log, with the values that changed. Each write costs two
/// short statements.
/// - SeeAlso: <https://www.sqlite.org/lang_createtrigger.html>
public func Logged<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(kind: .logged)
}

/// Declares that changes of the table are no longer written into the change log. The next migration
/// drops the triggers of `Logged()`. The entries that the log has stay until they are purged.
///
/// Without the line, a migration that cannot know whether this program is newer than the file keeps
/// the triggers.
public func NotLogged<M: TableModel>() -> SchemaElement<M> {
  SchemaElement(kind: .dropped(.log))
}
