/// What a virtual table that can be written is told of transactions; it is a `WritableVirtualTable` or
/// a `KeyedVirtualTable`.
///
/// Each method does nothing by default.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbegin_method>
public protocol TransactionalVirtualTable: VirtualTable {
  /// A transaction begins to write the table.
  func begin() throws
  /// The transaction is about to commit, and may be refused.
  func prepareToCommit() throws
  /// The transaction was committed.
  func commit()
  /// The transaction was rolled back.
  func rollback()
  /// A savepoint begins; they are numbered from 0, from the outermost.
  func savepoint(_ number: Int) throws
  /// That savepoint and those within end, and what they did stays.
  func release(_ number: Int) throws
  /// What was done since that savepoint began is undone; it stays open.
  func rollback(to number: Int) throws
}

extension TransactionalVirtualTable {
  /// Nothing.
  public func begin() throws {}
  /// Nothing.
  public func prepareToCommit() throws {}
  /// Nothing.
  public func commit() {}
  /// Nothing.
  public func rollback() {}
  /// Nothing.
  public func savepoint(_ number: Int) throws {}
  /// Nothing.
  public func release(_ number: Int) throws {}
  /// Nothing.
  public func rollback(to number: Int) throws {}
}

/// A virtual table whose rows can be written, and are known by their rowid.
///
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xupdate_method>
public protocol WritableVirtualTable: TransactionalVirtualTable {
  /// Inserts a row and gives its rowid.
  ///
  /// - Parameter rowID: the rowid that is asked for; nil where the table chooses it.
  func insert(_ row: borrowing Arguments, rowID: Int64?) throws -> Int64
  /// Gives a row new values in all columns, and another rowid where that is asked for.
  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) throws
  /// Deletes a row.
  func delete(rowID: Int64) throws
}

/// A virtual table whose rows can be written, and are known by a primary key of one column.
///
/// Its schema has no rowid:
///
/// ```swift
/// let schema = "CREATE TABLE x (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"
/// ```
/// - SeeAlso: <https://www.sqlite.org/vtab.html#_without_rowid_virtual_tables_>
public protocol KeyedVirtualTable: TransactionalVirtualTable {
  /// Inserts a row, whose key stands in its column.
  func insert(_ row: borrowing Arguments) throws
  /// Gives the row of a key new values in all columns, its key among them.
  func update(key: DatabaseValue, _ row: borrowing Arguments) throws
  /// Deletes the row of a key.
  func delete(key: DatabaseValue) throws
}

extension VirtualTable {
  /// Throws misuse where the rows of the schema are known by something else than the methods name.
  func checkSchema() throws {
    guard self is any TransactionalVirtualTable else { return }
    let words = schema.split { $0.isWhitespace || $0 == ";" }.suffix(2)
      .map { String($0).lowercasedASCII }
    let hasNoRowID = words.last == "rowid" && words.first?.hasSuffix("without") ?? false
    guard hasNoRowID == (self is any KeyedVirtualTable) else {
      throw DatabaseError.misuse(
        hasNoRowID
          ? "the rows of a schema WITHOUT ROWID are known by a key; to write them, conform to "
            + "KeyedVirtualTable"
          : "a KeyedVirtualTable has a schema that ends with WITHOUT ROWID: \(schema)")
    }
  }
}
