import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Row changes that a session recorded, as bytes that can be kept and sent anywhere.
///
/// - SeeAlso: <https://www.sqlite.org/session/changegroup.html>
public struct Changeset: Hashable, Sendable {
  /// The changes in SQLite's format.
  public let bytes: Data

  /// Makes a changeset from its bytes. Malformed bytes are detected only when the changeset is
  /// used.
  public init(bytes: Data) {
    self.bytes = bytes
  }

  /// Calls an SQLite function that returns a changeset, copies the bytes, and frees SQLite's
  /// memory.
  init(
    _ fill: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Int32,
    onError: (Int32) -> DatabaseError = { Changeset.failure($0) }
  ) throws {
    var count: Int32 = 0
    var memory: UnsafeMutableRawPointer?
    let code = fill(&count, &memory)
    defer { sqlite3_free(memory) }
    guard code == SQLITE_OK else { throw onError(code) }
    bytes = memory.map { Data(bytes: $0, count: Int(count)) } ?? Data()
  }

  static func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(code: code, handle: nil)
  }

  /// Whether there are no changes.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Returns the changes that undo the changes of this changeset. Throws `.corrupt` for a patchset,
  /// which cannot be inverted.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_invert.html>
  public func inverted() throws -> Changeset {
    try withPointer { count, pointer in
      try Changeset { sqlite3changeset_invert(count, pointer, $0, $1) }
    }
  }

  /// Returns a changeset with the changes of this changeset, followed by the changes of another
  /// changeset. If both change the same row, the two changes become one. Throws if only one of the
  /// two is a patchset.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_concat.html>
  public func appending(_ other: Changeset) throws -> Changeset {
    try withPointer { count, pointer in
      try other.withPointer { otherCount, otherPointer in
        try Changeset {
          sqlite3changeset_concat(count, pointer, otherCount, otherPointer, $0, $1)
        }
      }
    }
  }

  /// Returns the changes of the changeset, one for each changed row.
  ///
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_start.html>
  public func changes() throws -> [Change] {
    try withPointer { count, pointer in
      var iterator: OpaquePointer?
      var code = sqlite3changeset_start(&iterator, count, pointer)
      guard code == SQLITE_OK, let iterator else { throw Self.failure(code) }
      var changes: [Change] = []
      code = sqlite3changeset_next(iterator)
      while code == SQLITE_ROW {
        if let change = Change(iterator) { changes.append(change) }
        code = sqlite3changeset_next(iterator)
      }
      let last = sqlite3changeset_finalize(iterator)
      guard code == SQLITE_DONE, last == SQLITE_OK else {
        throw Self.failure(last == SQLITE_OK ? code : last)
      }
      return changes
    }
  }

  /// Passes the number and the address of the bytes to a closure, so that the closure can call
  /// functions of SQLite's session extension.
  func withPointer<Result>(
    _ body: (Int32, UnsafeMutableRawPointer?) throws -> Result
  ) throws -> Result {
    try SQLiteLibrary.Feature.sessions.require(for: "using a changeset")
    guard let count = Int32(exactly: bytes.count) else {
      throw DatabaseError(
        code: .tooBig,
        message: "a changeset must be smaller than 2 GiB; this one has \(bytes.count) bytes")
    }
    // SQLite declares the pointer as mutable, but only reads from it.
    return try bytes.withUnsafeBytes {
      try body(count, UnsafeMutableRawPointer(mutating: $0.baseAddress))
    }
  }
}

extension Changeset {
  /// The change of one row in a changeset.
  /// - SeeAlso: <https://www.sqlite.org/session/sqlite3changeset_op.html>
  public struct Change: Hashable, Sendable {
    /// The kind of the change.
    public let kind: UpdateEvent.Kind
    /// The name of the table.
    public let table: String
    /// Whether the change is marked as indirect: a trigger or a foreign-key action made it, or
    /// `Session.setIndirect(_:)` was on.
    public let isIndirect: Bool
    /// For each column, whether it is part of the primary key.
    public let isKey: [Bool]
    /// The old values of the columns. A value is nil if the changeset does not have it, for example
    /// because the column is unchanged. The array is empty for an insertion.
    public let old: [DatabaseValue?]
    /// The new values of the columns. A value is nil if the changeset does not have it. The array
    /// is empty for a deletion.
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
