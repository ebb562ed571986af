#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a BLOB as a sequence of chunks: `db.blobChunks(table:column:rowID:)`.
///
/// Each chunk is read when it is requested, on a thread of the database. All chunks belong to one
/// snapshot, on a separate connection. The connection closes after the last chunk, after an error,
/// or when the iterator is released. Until then, `close()` of the database throws `.busy`. In a
/// database in memory, the whole BLOB is read with the first chunk. If a chunk cannot be read, the
/// iterator throws the error. In a cancelled task, the iterator throws `CancellationError`.
/// - SeeAlso: <https://www.sqlite.org/c3ref/blob_open.html>
public struct BlobChunks: AsyncSequence, Sendable {
  /// The bytes of one chunk.
  public typealias Element = Data
  /// The type of the errors that reading may throw.
  public typealias Failure = any Error

  let database: Database
  let address: BlobAddress
  let chunkSize: Int
  let place: SourcePlace

  /// Returns an iterator that starts at the first byte. Nothing is read before a chunk is
  /// requested.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      source: BlobSource(database: database, address: address, place: place), chunkSize: chunkSize)
  }

  /// An iterator over the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let owner: Owner
    private let chunkSize: Int
    private var offset = 0
    private var hasEnded = false

    init(source: BlobSource, chunkSize: Int) {
      owner = Owner(source)
      self.chunkSize = chunkSize
    }

    /// The owner of the `BlobSource`. It closes the source as soon as the iterator is released. The
    /// source's own `deinit` could run later, because the job that delivered the last chunk may
    /// still hold the source for a moment.
    private final class Owner {
      let source: BlobSource

      init(_ source: BlobSource) { self.source = source }

      deinit { source.end() }
    }

    /// Returns the next chunk; nil after the last chunk and after an error.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      guard !hasEnded else { return nil }
      hasEnded = true
      let source = owner.source
      do {
        try Task.checkCancellation()
      } catch {
        source.end()
        throw error
      }
      guard let chunk = try await source.read(at: offset, count: chunkSize) else { return nil }
      offset += chunk.count
      hasEnded = false
      return chunk
    }
  }
}

@available(*, unavailable, message: "chunks are iterated over in one place at a time")
extension BlobChunks.AsyncIterator: Sendable {}

struct BlobAddress: Sendable {
  let schema: String
  let table: String
  let column: String
  let rowID: Int64
}

/// A reader of a BLOB on a thread of the database.
///
/// `@unchecked Sendable`: only one chunk is read at a time, because the iterator is not Sendable.
final class BlobSource: @unchecked Sendable {
  private let database: Database
  private let address: BlobAddress
  private let place: SourcePlace
  private var core: ConnectionCore?
  private var blob: Blob?
  private var whole: Data?
  private var isAtEnd = false

  init(database: Database, address: BlobAddress, place: SourcePlace) {
    self.database = database
    self.address = address
    self.place = place
  }

  /// Returns at most `count` bytes from `offset` on; nil at the end.
  func read(at offset: Int, count: Int) async throws -> Data? {
    guard database.location.isFile else {
      if whole == nil {
        whole = try await database.read { [address] in try $0.blob(address).read() }
      }
      let rest = (whole ?? Data()).dropFirst(offset)
      return rest.isEmpty ? nil : Data(rest.prefix(count))
    }
    return try await suspending { continuation in
      database.access.threads.submit { [self] in
        continuation.resume(with: Result { try readFromFile(at: offset, count: count) })
      }
    }
  }

  private func readFromFile(at offset: Int, count: Int) throws -> Data? {
    guard !isAtEnd else { return nil }
    do {
      let blob = try blob ?? begin()
      let size = try blob.count
      let chunk = try blob.read(at: offset, count: min(count, size - offset))
      if offset + chunk.count >= size { end() }
      return chunk.isEmpty ? nil : chunk
    } catch {
      end()
      throw error
    }
  }

  private func begin() throws -> Blob {
    let pool = database.access.pool
    try pool.check()
    let core = try ConnectionCore(
      location: database.location, configuration: database.configuration, isReader: true)
    try pool.admit(core, for: place)
    self.core = core
    // While the BLOB is open, its connection keeps the snapshot to which all chunks belong.
    let blob = try core.lend().blob(address)
    self.blob = blob
    return blob
  }

  /// Closes the connection. After that, this BLOB no longer prevents the database from being
  /// closed.
  func end() {
    isAtEnd = true
    blob = nil
    guard let core else { return }
    self.core = nil
    core.endLease()
    database.access.pool.leave(core)
    core.close()
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
  /// Returns the bytes of the BLOB or TEXT in a column of a row as a sequence of chunks.
  ///
  /// ```swift
  /// for try await chunk in db.blobChunks(table: "photo", column: "image", rowID: id) { … }
  /// ```
  /// - Parameters:
  ///   - chunkSize: the number of bytes in each chunk except the last, which may have fewer.
  ///   - fileID: the source file of the caller, which `Configuration.onPinnedWAL` reports.
  ///   - line: the line in that file.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/blob_open.html>
  public func blobChunks(
    database schema: String = "main", table: String, column: String, rowID: Int64,
    chunkSize: Int = 1 << 16, fileID: StaticString = #fileID, line: UInt = #line
  ) -> BlobChunks {
    BlobChunks(
      database: self,
      address: BlobAddress(schema: schema, table: table, column: column, rowID: rowID),
      chunkSize: Swift.max(1, chunkSize), place: SourcePlace(fileID, line))
  }
}
