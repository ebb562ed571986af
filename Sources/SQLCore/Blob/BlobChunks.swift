#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a BLOB, chunk after chunk: `db.blobChunks(table:column:rowID:)`.
///
/// A chunk is read when it is asked for, on a thread of the database. All are of one snapshot, on a
/// connection of their own that closes with the iterator. A BLOB of a database in memory is read
/// whole at first. An error is thrown at its place; a cancelled task throws `CancellationError`.
public struct BlobChunks: AsyncSequence, Sendable {
  /// A chunk.
  public typealias Element = Data
  /// Reading may fail.
  public typealias Failure = any Error

  let database: Database
  let address: BlobAddress
  let chunkSize: Int

  /// Begins at the first byte; nothing is read before a chunk is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: BlobSource(database: database, address: address), chunkSize: chunkSize)
  }

  /// Gives the chunks, one after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let source: BlobSource
    let chunkSize: Int
    private var offset = 0
    private var hasEnded = false

    init(source: BlobSource, chunkSize: Int) {
      self.source = source
      self.chunkSize = chunkSize
    }

    /// The next chunk; nil after the last, and after an error.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      guard !hasEnded else { return nil }
      hasEnded = true
      try Task.checkCancellation()
      guard let chunk = try await source.read(at: offset, count: chunkSize) else { return nil }
      offset += chunk.count
      hasEnded = false
      return chunk
    }
  }
}

@available(*, unavailable, message: "chunks are iterated over in one place at a time")
extension BlobChunks.AsyncIterator: Sendable {}

/// Where a BLOB is.
struct BlobAddress: Sendable {
  let schema: String
  let table: String
  let column: String
  let rowID: Int64
}

/// Reads a BLOB on a thread of the database.
///
/// `@unchecked Sendable`: an iterator, which is not Sendable, has one chunk read at a time.
final class BlobSource: @unchecked Sendable {
  private let database: Database
  private let address: BlobAddress
  private var open: (connection: Connection, blob: Blob)?
  private var whole: Data?

  init(database: Database, address: BlobAddress) {
    self.database = database
    self.address = address
  }

  /// The bytes from `offset` on, at most `count`; nil at the end.
  func read(at offset: Int, count: Int) async throws -> Data? {
    guard database.location.isFile else {
      if whole == nil {
        whole = try await database.read { [address] in try $0.blob(address).read() }
      }
      let rest = (whole ?? Data()).dropFirst(offset)
      return rest.isEmpty ? nil : Data(rest.prefix(count))
    }
    return try await withCheckedThrowingContinuation { continuation in
      database.access.threads.submit { [self] in
        continuation.resume(with: Result { try readFromFile(at: offset, count: count) })
      }
    }
  }

  private func readFromFile(at offset: Int, count: Int) throws -> Data? {
    let blob: Blob
    if let open {
      blob = open.blob
    } else {
      let core = try ConnectionCore(
        location: database.location, configuration: database.configuration, isReader: true)
      let connection = core.lend()
      // The BLOB holds its snapshot as long as it is open.
      blob = try connection.blob(address)
      open = (connection, blob)
    }
    let size = try blob.count
    guard offset < size else { return nil }
    return try blob.read(at: offset, count: min(count, size - offset))
  }
}

extension Connection {
  fileprivate func blob(_ address: BlobAddress) throws -> Blob {
    try blob(
      database: address.schema, table: address.table, column: address.column,
      rowID: address.rowID)
  }
}

extension Database {
  /// The bytes of the BLOB or TEXT in a column of a row, chunk after chunk.
  ///
  /// ```swift
  /// for try await chunk in db.blobChunks(table: "photo", column: "image", rowID: id) { … }
  /// ```
  /// - Parameter chunkSize: how many bytes a chunk has; the last has less.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_open.html>
  public func blobChunks(
    database schema: String = "main", table: String, column: String, rowID: Int64,
    chunkSize: Int = 1 << 16
  ) -> BlobChunks {
    BlobChunks(
      database: self,
      address: BlobAddress(schema: schema, table: table, column: column, rowID: rowID),
      chunkSize: Swift.max(1, chunkSize))
  }
}
