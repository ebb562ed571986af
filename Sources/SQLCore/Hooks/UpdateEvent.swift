import CSQLite

/// A row that was inserted, updated or deleted, as `onUpdate` reports it.
///
/// ```swift
/// try db.onUpdate { event in print(event.kind, event.table, event.rowID) }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/update_hook.html>
public struct UpdateEvent: Hashable, Sendable {
  /// The kinds of row changes.
  public enum Kind: UInt8, Hashable, Sendable {
    /// The row was inserted.
    case insert
    /// The row was updated.
    case update
    /// The row was deleted.
    case delete

    init(operation: Int32) {
      switch operation {
      case SQLITE_INSERT: self = .insert
      case SQLITE_DELETE: self = .delete
      default: self = .update
      }
    }
  }

  /// The kind of change.
  public let kind: Kind
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The rowid of the row; after an update, the new rowid.
  public let rowID: Int64
}

extension Registrar {
  /// Calls `body` after a statement inserts, updates or deletes a row of a rowid table.
  ///
  /// SQLite does not report the changes of tables WITHOUT ROWID, the rows that REPLACE deletes, or
  /// the rows that a `DELETE` without a WHERE clause deletes (the truncate optimization).
  /// `onPreUpdate` reports all of these. A reported change may still be rolled back. While `body`
  /// runs, its connection runs nothing else. The hook is off until a listener is added.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/update_hook.html>
  @discardableResult
  public func onUpdate(_ body: @escaping @Sendable (UpdateEvent) -> Void) throws -> HookListener {
    try listen(\.update, body)
  }

  /// Calls `body` before a statement inserts, updates or deletes a row. The event has the values of
  /// the row before and after the change.
  ///
  /// Throws `DatabaseError` (`.misuse`) while a `Session` records on the connection, because SQLite
  /// has only one pre-update hook for each connection, and a session uses this hook. Also throws
  /// `DatabaseError` if SQLite was built without the hook (`SQLiteLibrary.Feature.preUpdateHook`).
  /// As long as there is a listener, every change of a row calls it. While `body` runs, its
  /// connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  @discardableResult
  public func onPreUpdate(
    _ body: @escaping @Sendable (borrowing PreUpdateEvent) -> Void
  ) throws -> HookListener {
    try SQLiteLibrary.Feature.preUpdateHook.require(for: "`onPreUpdate`")
    return try listen(\.preUpdate, body)
  }
}

/// A commit to the write-ahead log, as `onWALCommit` reports it.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
public struct WALCommit: Hashable, Sendable {
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The number of pages in the log.
  public let pageCount: Int
}

extension Registrar {
  /// Calls `body` when a write is about to commit. If `body` throws, the transaction is rolled back
  /// instead, and the writer throws a `DatabaseError` with the message of that error and the code
  /// `SQLITE_CONSTRAINT_COMMITHOOK` (531).
  ///
  /// `body` is called once for each `write { }` that commits, even if asynchronous writes share a
  /// transaction. Outside `write`, it is called once for each transaction. When a write or
  /// transaction ends, either this listener or the listener of `onRollback` is called. If a
  /// listener refuses the commit by throwing, or if the commit fails on the disk, both are called:
  /// first this listener, then the listener of `onRollback`. A refusal undoes all writes that share
  /// the transaction. While `body` runs, its connection runs nothing else. The library installs no
  /// hooks for these listeners before one is added.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onCommit(_ body: @escaping @Sendable () throws -> Void) throws -> HookListener {
    try listen(\.commit, body)
  }

  /// Calls `body` after a write was rolled back. The cause may be an error in its closure, SQLite
  /// itself, or a failed commit.
  ///
  /// `body` is called once for each `write { }` that is rolled back, even if other writes share its
  /// transaction and commit. Outside `write`, it is called once for each transaction. `ROLLBACK TO`
  /// a savepoint within a write is not reported. While `body` runs, its connection runs nothing
  /// else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onRollback(_ body: @escaping @Sendable () -> Void) throws -> HookListener {
    try listen(\.rollback, body)
  }

  /// Calls `body` after each commit in WAL mode.
  ///
  /// Adding a listener changes neither the limit of the log nor the effect of `PRAGMA
  /// wal_autocheckpoint`. This PRAGMA sets how many pages the log must have for a commit to copy
  /// the log into the database file. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  @discardableResult
  public func onWALCommit(_ body: @escaping @Sendable (WALCommit) -> Void) throws -> HookListener {
    try listen(\.writeAheadLog, body)
  }
}
