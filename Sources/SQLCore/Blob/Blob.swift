import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One BLOB or TEXT of a table, read and written in parts.
///
/// ```swift
/// try db.write { tx in
///   try tx.execute("INSERT INTO photo (image) VALUES (\(zeroBlob: size))")
///   let blob = try tx.blob(table: "photo", column: "image", rowID: tx.lastInsertRowID, writing: true)
///   try blob.write(header, at: 0)
/// }
/// ```
///
/// Its size cannot be changed. Once the row is updated or deleted by something else, reading and
/// writing throw `.abort`. It is confined to its connection: used after the closure that lent it
/// returned, it throws misuse.
/// - SeeAlso: <https://www.sqlite.org/c3ref/blob.html>
public final class Blob {
  private let connection: Connection
  private let handle: LentHandle
  private let isWritable: Bool

  fileprivate init(
    connection: Connection, database: String, table: String, column: String, rowID: Int64,
    writing: Bool
  ) throws {
    let core = try connection.use()
    if core.state.pointee.hookDepth > 0 { throw ConnectionCore.usedInHook }
    if writing {
      try core.checkWriting()
      guard core.observer == nil || core.isInTransaction else {
        throw DatabaseError.misuse("a BLOB of an observed database is written in a transaction")
      }
    }
    var opened: OpaquePointer?
    try core.check(
      sqlite3_blob_open(core.handle, database, table, column, rowID, writing ? 1 : 0, &opened))
    guard let opened else { throw DatabaseError.misuse("the BLOB did not open") }
    self.connection = connection
    isWritable = writing
    handle = LentHandle(opened) { sqlite3_blob_close($0) }
    core.keep(handle)
  }

  deinit {
    // Once the lease is over, the core has ended it, and may be in use elsewhere.
    guard let core = try? connection.use() else { return }
    core.end(handle)
  }

  private func use() throws -> (ConnectionCore, OpaquePointer) {
    let core = try connection.use()
    guard let pointer = handle.pointer else { throw DatabaseError.misuse("the BLOB is closed") }
    return (core, pointer)
  }

  /// How many bytes it has.
  public var count: Int {
    get throws { Int(sqlite3_blob_bytes(try use().1)) }
  }

  /// Reads bytes; by default all from `offset` on.
  ///
  /// Throws `.range` for bytes that are not there.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_read.html>
  public func read(at offset: Int = 0, count: Int? = nil) throws -> Data {
    let range = try checked(offset, count)
    var data = Data(count: range.count)
    try data.withUnsafeMutableBytes { try read(into: $0, at: range.lowerBound) }
    return data
  }

  /// Reads as many bytes as the buffer holds into it, from `offset` on.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_read.html>
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    let range = try checked(offset, buffer.count)
    let (core, pointer) = try use()
    guard !range.isEmpty, let start = buffer.baseAddress else { return }
    try core.check(
      sqlite3_blob_read(pointer, start, Int32(clamping: range.count), Int32(clamping: offset)))
  }

  /// Writes bytes over those that are there.
  ///
  /// Throws `.range` for a place that is not there, and `.readOnly` where it was not opened for
  /// writing.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_write.html>
  public func write(_ data: Data, at offset: Int) throws {
    let (core, pointer) = try use()
    guard isWritable else {
      throw DatabaseError(code: .readOnly, message: "the BLOB was not opened with `writing: true`")
    }
    try core.checkWriting()
    let range = try checked(offset, data.count)
    guard !range.isEmpty else { return }
    try core.check(
      data.withUnsafeBytes {
        sqlite3_blob_write(
          pointer, $0.baseAddress, Int32(clamping: range.count), Int32(clamping: offset))
      })
  }

  /// Goes to the same column of another row, which is faster than opening it.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_reopen.html>
  public func reopen(rowID: Int64) throws {
    let (core, pointer) = try use()
    try core.check(sqlite3_blob_reopen(pointer, rowID))
  }

  /// Ends it; it also ends when its last reference is gone, or its closure returns.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_close.html>
  public func close() throws { try connection.use().end(handle) }

  private func checked(_ offset: Int, _ count: Int?) throws -> Range<Int> {
    let size = try self.count
    let (end, overflow) = offset.addingReportingOverflow(count ?? max(0, size - offset))
    guard !overflow, offset >= 0, offset <= end, end <= size else {
      throw DatabaseError(
        code: .range,
        message: "the BLOB has \(size) bytes; \(count ?? 0) at \(offset) are not within them")
    }
    return offset..<end
  }
}

extension Connection {
  /// Opens the BLOB or TEXT in a column of a row.
  ///
  /// Throws `DatabaseError` where there is no such row, or its value is neither, and where a column
  /// is to be written that is part of an index or a key.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_open.html>
  public func blob(
    database: String = "main", table: String, column: String, rowID: Int64, writing: Bool = false
  ) throws -> Blob {
    try Blob(
      connection: self, database: database, table: table, column: column, rowID: rowID,
      writing: writing)
  }
}
