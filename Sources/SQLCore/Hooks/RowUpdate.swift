import CSQLite

/// A row that was inserted, updated or deleted, as `onUpdate` tells it.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/update_hook.html>
public struct RowUpdate: Hashable, Sendable {
  /// What happened to the row.
  public enum Kind: UInt8, Hashable, Sendable {
    /// It was inserted.
    case insert
    /// It was updated.
    case update
    /// It was deleted.
    case delete

    init(operation: Int32) {
      switch operation {
      case SQLITE_INSERT: self = .insert
      case SQLITE_DELETE: self = .delete
      default: self = .update
      }
    }
  }

  /// What happened to the row.
  public let kind: Kind
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The rowid of the row, after an update the new one.
  public let rowID: Int64
}

extension Registrar {
  /// Calls `body` after each row of a rowid table that a statement inserts, updates or deletes.
  ///
  /// SQLite does not tell of tables WITHOUT ROWID, of rows that REPLACE deletes, nor of a `DELETE`
  /// without a WHERE; `onPreUpdate` does. The row may still be rolled back. While it runs, its
  /// connection runs nothing else. Off until somebody asks.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/update_hook.html>
  @discardableResult
  public func onUpdate(_ body: @escaping @Sendable (RowUpdate) -> Void) throws -> HookListener {
    try listen(\.update, body)
  }

  /// Calls `body` before each row that a statement inserts, updates or deletes, with the values
  /// before and after.
  ///
  /// It throws misuse while a `Session` records on the connection: SQLite has one place for both.
  /// Each row costs a call for as long as somebody listens. While it runs, its connection runs
  /// nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  @discardableResult
  public func onPreUpdate(
    _ body: @escaping @Sendable (borrowing PreUpdateEvent) -> Void
  ) throws -> HookListener {
    try listen(\.preUpdate, body)
  }
}
