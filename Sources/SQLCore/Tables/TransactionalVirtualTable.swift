import CSQLite

/// A virtual table that can be written and is notified of transactions. Conform to
/// `WritableVirtualTable` or `KeyedVirtualTable` rather than to this protocol.
///
/// By default, each method does nothing.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbegin_method>
public protocol TransactionalVirtualTable: VirtualTable {
  /// Called when a transaction begins to write to the table.
  func begin() throws
  /// Called before the transaction commits; throwing an error refuses the commit.
  func prepareToCommit() throws
  /// Called after the transaction was committed.
  func commit()
  /// Called after the transaction was rolled back.
  func rollback()
  /// Called when a savepoint begins. Savepoints are numbered from 0, outermost first.
  func savepoint(_ number: Int) throws
  /// Called when a savepoint and the savepoints inside it are released. Their changes stay.
  func release(_ number: Int) throws
  /// Called when the changes since a savepoint are undone. The savepoint stays open.
  func rollback(to number: Int) throws
}

extension TransactionalVirtualTable {
  /// Does nothing.
  public func begin() throws {}
  /// Does nothing.
  public func prepareToCommit() throws {}
  /// Does nothing.
  public func commit() {}
  /// Does nothing.
  public func rollback() {}
  /// Does nothing.
  public func savepoint(_ number: Int) throws {}
  /// Does nothing.
  public func release(_ number: Int) throws {}
  /// Does nothing.
  public func rollback(to number: Int) throws {}
}

/// A virtual table whose rows can be written and are identified by their rowid.
///
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xupdate_method>
public protocol WritableVirtualTable: TransactionalVirtualTable {
  /// Inserts a row and returns its rowid.
  ///
  /// - Parameter rowID: the requested rowid; nil if the table chooses the rowid.
  func insert(_ row: borrowing Arguments, rowID: Int64?) throws -> Int64
  /// Updates all columns of a row, and its rowid if `newRowID` differs from `rowID`.
  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) throws
  /// Deletes the row whose rowid is `rowID`.
  func delete(rowID: Int64) throws
}

extension VirtualTable {
  /// Throws `DatabaseError` (`.misuse`) if the schema does not fit the protocol. The schema of a
  /// `KeyedVirtualTable` must be WITHOUT ROWID. The schema of any other writable table must not be
  /// WITHOUT ROWID.
  func checkSchema() throws {
    guard self is any TransactionalVirtualTable else { return }
    let words = schema.split { $0.isWhitespace || $0 == ";" }.suffix(2)
      .map { String($0).lowercasedASCII }
    let hasNoRowID = words.last == "rowid" && words.first?.hasSuffix("without") ?? false
    guard hasNoRowID == (self is any KeyedVirtualTable) else {
      throw DatabaseError.misuse(
        hasNoRowID
          ? "a schema WITHOUT ROWID identifies rows by a key; to write them, conform to "
            + "KeyedVirtualTable"
          : "the schema of a KeyedVirtualTable must end with WITHOUT ROWID: \(schema)")
    }
  }
}

/// The action of a statement when a row violates a constraint, as in `INSERT OR IGNORE`.
///
/// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
public enum ConflictResolution: Hashable, Sendable {
  /// The statement is undone; the transaction continues.
  case abort
  /// The statement ends; its earlier changes stay.
  case fail
  /// The row is skipped.
  case ignore
  /// The conflicting rows are deleted.
  case replace
  /// The transaction is rolled back.
  case rollback

  init(of core: ConnectionCore) {
    switch sqlite3_vtab_on_conflict(core.handle) {
    case SQLITE_FAIL: self = .fail
    case SQLITE_IGNORE: self = .ignore
    case SQLITE_REPLACE: self = .replace
    case SQLITE_ROLLBACK: self = .rollback
    default: self = .abort
    }
  }
}

/// A virtual table whose rows can be written and are identified by a primary key of one column.
///
/// Its schema has no rowid:
///
/// ```swift
/// let schema = "CREATE TABLE x (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"
/// ```
/// - SeeAlso: <https://www.sqlite.org/vtab.html#_without_rowid_virtual_tables_>
public protocol KeyedVirtualTable: TransactionalVirtualTable {
  /// Inserts a row. Its key is the value that `row` has in the primary key's column.
  func insert(_ row: borrowing Arguments) throws
  /// Updates all columns of the row whose key is `key`. If the key changes, `row` has the new key.
  func update(key: DatabaseValue, _ row: borrowing Arguments) throws
  /// Deletes the row whose key is `key`.
  func delete(key: DatabaseValue) throws
}
