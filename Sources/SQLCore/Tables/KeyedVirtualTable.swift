/// A virtual table whose rows can be written and are identified by a primary key of one column.
///
/// Its schema has no rowid:
///
/// ```swift
/// let schema = "CREATE TABLE x (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"
/// ```
/// - SeeAlso: <https://www.sqlite.org/vtab.html#_without_rowid_virtual_tables_>
public protocol KeyedVirtualTable: TransactionalVirtualTable {
  /// Inserts a row. The key is the value of the primary key's column.
  func insert(_ row: borrowing Arguments) throws
  /// Updates all columns of the row with that key, including the key itself.
  func update(key: DatabaseValue, _ row: borrowing Arguments) throws
  /// Deletes the row with that key.
  func delete(key: DatabaseValue) throws
}
