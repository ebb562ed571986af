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
public struct PreUpdateEvent: ~Copyable {
  /// What is about to happen to a row.
  public typealias Kind = RowUpdate.Kind

  let handle: OpaquePointer
  /// What is about to happen to the row.
  public let kind: Kind
  /// The name of the attached database; the pointer is the same for all rows of one table.
  package let database: UnsafePointer<CChar>
  /// The name of the table; the pointer is the same for all rows of one table.
  package let table: UnsafePointer<CChar>
  /// The rowid before, of an update or deletion; 0 in a table WITHOUT ROWID.
  public let oldRowID: Int64
  /// The rowid after, of an update or insertion; 0 in a table WITHOUT ROWID.
  public let newRowID: Int64

  /// The name of the attached database, `main` for the first.
  public var databaseName: String { String(cString: database) }
  /// The name of the table.
  public var tableName: String { String(cString: table) }
  /// How many columns the row has.
  public var columnCount: Int { Int(sqlite3_preupdate_count(handle)) }
  /// 0 for the statement itself, more for what its triggers and foreign-key actions do.
  public var depth: Int { Int(sqlite3_preupdate_depth(handle)) }
  /// The column that an incremental BLOB writes, else −1; it shows as a deletion.
  public var blobColumn: Int { Int(sqlite3_preupdate_blobwrite(handle)) }

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

extension PreUpdateEvent {
  /// The value before, copied; nil where SQLite gives none. Text that is no UTF-8 is repaired: an
  /// event is not lost for it.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  public func oldDatabaseValue(at index: Int) -> DatabaseValue? {
    oldValue(at: index).flatMap { DatabaseValue(repairing: $0) }
  }

  /// The value after, copied; nil where SQLite gives none.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/preupdate_blobwrite.html>
  public func newDatabaseValue(at index: Int) -> DatabaseValue? {
    newValue(at: index).flatMap { DatabaseValue(repairing: $0) }
  }
}

extension DatabaseValue {
  /// A copy of a value, its text repaired where it is no UTF-8; nil where there is no memory for it.
  init?(repairing value: OpaquePointer) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      guard let start = sqlite3_value_text(value) else { return nil }
      let count = Int(sqlite3_value_bytes(value))
      self = .text(
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      if start == nil, count > 0 { return nil }
      self = .blob(Data(UnsafeRawBufferPointer(start: start, count: count)))
    default: self = .null
    }
  }
}
