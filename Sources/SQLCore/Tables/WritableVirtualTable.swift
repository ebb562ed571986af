/// A virtual table whose rows can be written and are identified by their rowid.
///
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xupdate_method>
public protocol WritableVirtualTable: TransactionalVirtualTable {
  /// Inserts a row and returns its rowid.
  ///
  /// - Parameter rowID: the requested rowid; nil if the table is to choose it.
  func insert(_ row: borrowing Arguments, rowID: Int64?) throws -> Int64
  /// Updates all columns of a row, and its rowid if `newRowID` differs from `rowID`.
  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) throws
  /// Deletes the row with that rowid.
  func delete(rowID: Int64) throws
}

extension VirtualTable {
  /// Throws misuse if the schema has a rowid but the methods use a key, or the other way round.
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
