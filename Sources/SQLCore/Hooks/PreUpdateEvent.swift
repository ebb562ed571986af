import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A row that a statement is about to insert, update or delete, while the pre-update hook runs.
///
/// Column indices are SQLite's own at this place: in storage order, virtual generated columns left
/// out of the values. It cannot be copied and so not kept.
/// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
package struct PreUpdateEvent: ~Copyable {
  package enum Kind: UInt8, Sendable {
    case insert, update, delete
  }

  let handle: OpaquePointer
  package let kind: Kind
  /// The name of the attached database; the pointer is the same for all rows of one table.
  package let database: UnsafePointer<CChar>
  /// The name of the table; the pointer is the same for all rows of one table.
  package let table: UnsafePointer<CChar>
  package let oldRowID: Int64
  package let newRowID: Int64

  /// How many columns the hook counts.
  package var columnCount: Int { Int(sqlite3_preupdate_count(handle)) }
  /// 0 for the statement itself, more for what its triggers and foreign-key actions do.
  package var depth: Int { Int(sqlite3_preupdate_depth(handle)) }
  /// The column that an incremental BLOB writes, else −1.
  package var blobColumn: Int { Int(sqlite3_preupdate_blobwrite(handle)) }

  /// The value before, of an update or deletion; nil where SQLite gives none.
  package func oldValue(at index: Int) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(handle, Int32(index), &value) == SQLITE_OK else { return nil }
    return value
  }

  /// The value after, of an update or insertion; nil where SQLite gives none.
  package func newValue(at index: Int) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(handle, Int32(index), &value) == SQLITE_OK else { return nil }
    return value
  }
}

extension ConnectionCore {
  /// Installs the observer and its hooks, between transactions, or takes them away.
  ///
  /// Every cached statement is compiled anew after the first was installed: a `DELETE` without a
  /// WHERE that was compiled without the hook would empty the table without telling of its rows.
  ///
  /// - Parameter hooksRows: whether it is told of rows.
  package func setObserver(
    _ observer: (any ConnectionObserver)?, hooksRows: Bool = true
  ) throws {
    guard !isInTransaction else {
      throw DatabaseError.misuse("hooks are installed between transactions")
    }
    let isFirst = state.pointee.observer == nil
    state.pointee.observer = observer
    let context = observer == nil ? nil : UnsafeMutableRawPointer(state)
    sqlite3_preupdate_hook(handle, observer == nil || !hooksRows ? nil : preUpdate, context)
    sqlite3_commit_hook(handle, observer == nil ? nil : willCommit, context)
    sqlite3_rollback_hook(handle, observer == nil ? nil : didRollBack, context)
    if isFirst, observer != nil { installAuthorizer() }
  }

  package var observer: (any ConnectionObserver)? { state.pointee.observer }

  /// Whether SQLite was built with the pre-update hook.
  package static var hasPreUpdateHook: Bool {
    sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0
  }

  /// What the write that runs is called, for those who observe.
  package var writeLabel: String? {
    get { state.pointee.writeLabel }
    set { state.pointee.writeLabel = newValue }
  }

  /// A number that changes when another connection commits to the file, and not when this one does.
  ///
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_data_version>
  package func dataVersion() throws -> Int32 {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, "PRAGMA data_version", -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }

  /// The number that each change of the main database's schema increases: one short statement,
  /// which nobody is told of.
  package func schemaVersion() throws -> Int32 {
    if state.pointee.schemaVersionStatement == nil {
      try check(
        sqlite3_prepare_v3(
          handle, "PRAGMA schema_version", -1, UInt32(SQLITE_PREPARE_PERSISTENT),
          &state.pointee.schemaVersionStatement, nil))
    }
    let statement = state.pointee.schemaVersionStatement
    let code = sqlite3_step(statement)
    defer { sqlite3_reset(statement) }
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }
}

private func observer(_ context: UnsafeMutableRawPointer?) -> (any ConnectionObserver)? {
  context?.assumingMemoryBound(to: ConnectionState.self).pointee.observer
}

private func preUpdate(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, operation: Int32,
  database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?,
  oldRowID: sqlite3_int64, newRowID: sqlite3_int64
) {
  guard let observer = observer(context), let handle, let database, let table else { return }
  let kind: PreUpdateEvent.Kind =
    switch operation {
    case SQLITE_INSERT: .insert
    case SQLITE_DELETE: .delete
    default: .update
    }
  observer.rowWillChange(
    PreUpdateEvent(
      handle: handle, kind: kind, database: database, table: table,
      oldRowID: oldRowID, newRowID: newRowID))
}

private func willCommit(context: UnsafeMutableRawPointer?) -> Int32 {
  observer(context)?.commitHookDidFire()
  return 0
}

private func didRollBack(context: UnsafeMutableRawPointer?) {
  observer(context)?.rollbackHookDidFire()
}

extension PreUpdateEvent {
  /// The value before, copied; nil where SQLite gives none. Text that is no UTF-8 is repaired: an
  /// event is not lost for it.
  package func oldDatabaseValue(at index: Int) -> DatabaseValue? {
    oldValue(at: index).map { DatabaseValue(copying: $0) }
  }

  /// The value after, copied; nil where SQLite gives none.
  package func newDatabaseValue(at index: Int) -> DatabaseValue? {
    newValue(at: index).map { DatabaseValue(copying: $0) }
  }
}

extension DatabaseValue {
  fileprivate init(copying value: OpaquePointer) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = sqlite3_value_text(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .text(
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      self = .blob(Data(UnsafeRawBufferPointer(start: start, count: count)))
    default: self = .null
    }
  }
}
