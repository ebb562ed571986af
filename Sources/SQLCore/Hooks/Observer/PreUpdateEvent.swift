import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A row that a statement is about to insert, update or delete. It exists while the pre-update hook
/// runs.
///
/// Columns are counted in storage order, as in SQLite's pre-update functions. Virtual generated
/// columns have no values. The event is not copyable, so it cannot be kept.
/// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
public struct PreUpdateEvent: ~Copyable {
  /// The kind of change.
  public typealias Kind = UpdateEvent.Kind

  package let handle: OpaquePointer
  /// The kind of change.
  public let kind: Kind
  /// The name of the database. For all rows of one table, the pointer to the name is the same.
  package let database: UnsafePointer<CChar>
  /// The name of the table. For all rows of one table, the pointer to the name is the same.
  package let table: UnsafePointer<CChar>
  /// The rowid before an update or deletion; 0 in a table WITHOUT ROWID.
  public let oldRowID: Int64
  /// The rowid after an update or insertion; 0 in a table WITHOUT ROWID.
  public let newRowID: Int64

  /// The name of the database: `main`, or the name under which it is attached.
  public var databaseName: String { String(cString: database) }
  /// The name of the table.
  public var tableName: String { String(cString: table) }
  /// The number of columns of the row.
  public var columnCount: Int { Int(sqlite3_preupdate_count(handle)) }
  /// The nesting depth of the change. It is 0 for a change by the statement itself, and greater for
  /// a change by one of its triggers or foreign-key actions.
  public var depth: Int { Int(sqlite3_preupdate_depth(handle)) }
  /// The index of the column that an incremental BLOB writes; −1 for any other change. SQLite
  /// reports the write of an incremental BLOB as a deletion.
  public var blobColumn: Int { Int(sqlite3_preupdate_blobwrite(handle)) }

  /// Returns the value of a column before an update or deletion; nil if SQLite has no such value.
  package func oldValue(at index: Int) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(handle, Int32(index), &value) == SQLITE_OK else { return nil }
    return value
  }

  /// Returns the value of a column after an update or insertion; nil if SQLite has no such value.
  package func newValue(at index: Int) -> OpaquePointer? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(handle, Int32(index), &value) == SQLITE_OK else { return nil }
    return value
  }
}

extension PreUpdateEvent {
  /// Returns a copy of the value before the change; nil if SQLite has none. A text that is not
  /// UTF-8 is `.invalidText` with its bytes.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  public func oldDatabaseValue(at index: Int) -> DatabaseValue? {
    oldValue(at: index).flatMap { DatabaseValue(copying: $0) }
  }

  /// Returns a copy of the value after the change; nil if SQLite has none. A text that is not UTF-8
  /// is `.invalidText` with its bytes.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  public func newDatabaseValue(at index: Int) -> DatabaseValue? {
    newValue(at: index).flatMap { DatabaseValue(copying: $0) }
  }
}

extension DatabaseValue {
  /// Copies a value. Returns nil if there is not enough memory.
  package init?(copying value: OpaquePointer) {
    guard let copy = try? Cell(value: value, form: .standard).databaseValue() else { return nil }
    self = copy
  }
}
