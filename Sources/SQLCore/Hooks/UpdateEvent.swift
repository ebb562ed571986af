import CSQLite

/// A row that was inserted, updated or deleted, as `onUpdate` reports it.
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
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The rowid of the row; after an update, the new one.
  public let rowID: Int64
}

extension Registrar {
  /// Calls `body` after a statement inserts, updates or deletes a row of a rowid table.
  ///
  /// SQLite does not report tables WITHOUT ROWID, rows that REPLACE deletes, or the rows of a
  /// `DELETE` without a WHERE clause (the truncate optimization); `onPreUpdate` reports them all.
  /// The change may still be rolled back. While `body` runs, its connection runs nothing else. The
  /// hook is off until a listener is added.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/update_hook.html>
  @discardableResult
  public func onUpdate(_ body: @escaping @Sendable (UpdateEvent) -> Void) throws -> HookListener {
    try listen(\.update, body)
  }

  /// Calls `body` before a statement inserts, updates or deletes a row, with the values before and
  /// after.
  ///
  /// Throws misuse while a `Session` records on the connection, since both use the same slot in
  /// SQLite. While there is a listener, each row change costs a call. While `body` runs, its
  /// connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  @discardableResult
  public func onPreUpdate(
    _ body: @escaping @Sendable (borrowing PreUpdateEvent) -> Void
  ) throws -> HookListener {
    try listen(\.preUpdate, body)
  }
}
