import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A BLOB or TEXT of a table, opened to read and write parts of it.
///
/// ```swift
/// try db.write { tx in
///   try tx.execute("INSERT INTO photo (image) VALUES (\(zeroBlob: size))")
///   let blob = try tx.blob(
///     table: "photo", column: "image", rowID: tx.lastInsertRowID, writing: true)
///   try blob.write(header, at: 0)
/// }
/// ```
///
/// The size of the value cannot be changed. After another statement has updated or deleted the row,
/// reading and writing throw `.abort`. A `Blob` is valid inside the closure to which its connection
/// was passed, until the closure returns. Any later use throws `.misuse`.
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
    try core.requireLocal("incremental BLOB I/O")
    if core.state.pointee.hooks.isInCallback { throw DatabaseError.usedInHook }
    if writing {
      try core.checkWriting()
      guard core.observer == nil || core.isInTransaction else {
        throw DatabaseError.misuse(
          "a BLOB of an observed database can be written only in a transaction; "
            + "open it inside `transaction { }`")
      }
    }
    var opened: OpaquePointer?
    try core.check(
      sqlite3_blob_open(core.handle, database, table, column, rowID, writing ? 1 : 0, &opened))
    guard let opened else { throw DatabaseError.misuse("the BLOB could not be opened") }
    self.connection = connection
    isWritable = writing
    handle = LentHandle(opened) { sqlite3_blob_close($0) }
    core.keep(handle)
  }

  deinit {
    // If `use()` throws, the access to which the BLOB belongs has ended. The core has then closed
    // the BLOB already, and another access may be using the core.
    guard let core = try? connection.use() else { return }
    core.end(handle)
  }

  private func use() throws -> (ConnectionCore, OpaquePointer) {
    let core = try connection.use()
    guard let pointer = handle.pointer else { throw DatabaseError.misuse("the BLOB is closed") }
    return (core, pointer)
  }

  /// The number of bytes.
  public var count: Int {
    get throws { Int(sqlite3_blob_bytes(try use().1)) }
  }

  /// Reads `count` bytes from `offset` on. By default, reads all bytes up to the end.
  ///
  /// Throws `.range` if the bytes are not all within the BLOB.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_read.html>
  public func read(at offset: Int = 0, count: Int? = nil) throws -> Data {
    let range = try checked(offset, count)
    var data = Data(count: range.count)
    try data.withUnsafeMutableBytes { try read(into: $0, at: range.lowerBound) }
    return data
  }

  /// Reads bytes from `offset` on until the buffer is full. Throws `.range` if the BLOB ends before
  /// the buffer is full.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_read.html>
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    let range = try checked(offset, buffer.count)
    let (core, pointer) = try use()
    guard !range.isEmpty, let start = buffer.baseAddress else { return }
    try core.check(
      sqlite3_blob_read(pointer, start, Int32(clamping: range.count), Int32(clamping: offset)))
  }

  /// Overwrites the existing bytes from `offset` on.
  ///
  /// Throws `.range` if the bytes do not all lie within the BLOB, and `.readOnly` if the BLOB was
  /// not opened with `writing: true`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_write.html>
  public func write(_ data: Data, at offset: Int) throws {
    let (core, pointer) = try use()
    guard isWritable else {
      throw DatabaseError(
        code: .readOnly,
        message: "the BLOB was opened only for reading; open it with `writing: true`")
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

  /// Moves this object to the same column of another row, which is faster than opening another
  /// BLOB. Throws `DatabaseError` if there is no such row.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_reopen.html>
  public func reopen(rowID: Int64) throws {
    let (core, pointer) = try use()
    try core.check(sqlite3_blob_reopen(pointer, rowID))
  }

  /// Closes the BLOB. It is also closed when its last reference is released, or when the closure to
  /// which the connection was passed returns.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_close.html>
  public func close() throws { try connection.use().end(handle) }

  private func checked(_ offset: Int, _ count: Int?) throws -> Range<Int> {
    let size = try self.count
    let (end, overflow) = offset.addingReportingOverflow(count ?? max(0, size - max(0, offset)))
    guard !overflow, offset >= 0, offset <= end, end <= size else {
      throw DatabaseError(
        code: .range,
        message: "\(count ?? 0) bytes at offset \(offset) are not within the BLOB, which has "
          + "\(size) bytes")
    }
    return offset..<end
  }
}

extension Connection {
  /// Opens the BLOB or TEXT in a column of a row.
  ///
  /// Throws `DatabaseError` if there is no such row, if the value is neither BLOB nor TEXT, or if
  /// `writing` is true and the column is part of an index or a key.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_open.html>
  public func blob(
    database: String = "main", table: String, column: String, rowID: Int64, writing: Bool = false
  ) throws -> Blob {
    try Blob(
      connection: self, database: database, table: table, column: column, rowID: rowID,
      writing: writing)
  }
}
