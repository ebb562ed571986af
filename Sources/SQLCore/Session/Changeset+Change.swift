import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Changeset {
  /// The change of one row in a changeset.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_op.html>
  public struct Change: Hashable, Sendable {
    /// The kind of the change.
    public let kind: UpdateEvent.Kind
    /// The name of the table.
    public let table: String
    /// Whether a trigger or a foreign-key action made the change, or the session was set to mark it
    /// so.
    public let isIndirect: Bool
    /// Whether each column is part of the primary key.
    public let isKey: [Bool]
    /// The old values of the columns; nil where the changeset has none, for example for unchanged
    /// columns.
    public let old: [DatabaseValue?]
    /// The new values of the columns; nil where the changeset has none.
    public let new: [DatabaseValue?]

    init?(_ iterator: OpaquePointer) {
      var table: UnsafePointer<CChar>?
      var (count, operation, indirect): (Int32, Int32, Int32) = (0, 0, 0)
      guard
        sqlite3changeset_op(iterator, &table, &count, &operation, &indirect) == SQLITE_OK,
        let table
      else { return nil }
      kind = UpdateEvent.Kind(operation: operation)
      self.table = String(cString: table)
      isIndirect = indirect != 0
      var keys: UnsafeMutablePointer<UInt8>?
      sqlite3changeset_pk(iterator, &keys, nil)
      isKey = (0..<Int(count)).map { keys?[$0] != 0 && keys != nil }
      func values(
        _ read: (OpaquePointer, Int32, UnsafeMutablePointer<OpaquePointer?>) -> Int32
      ) -> [DatabaseValue?] {
        (0..<count).map { index in
          var value: OpaquePointer?
          guard read(iterator, index, &value) == SQLITE_OK, let value else {
            return DatabaseValue?.none
          }
          return DatabaseValue(copying: value)
        }
      }
      old = kind == .insert ? [] : values { sqlite3changeset_old($0, $1, $2) }
      new = kind == .delete ? [] : values { sqlite3changeset_new($0, $1, $2) }
    }
  }
}
