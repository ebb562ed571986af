import CSQLite
import Synchronization

/// The header of a wal-index: shared memory in which every connection to a file in WAL mode, of any
/// process, finds the newest commit.
///
/// Each commit and each restart of the log changes the header. It is stored twice: a commit writes
/// the second copy first, and is complete when the copies are equal.
/// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_file_format>
///
/// `@unchecked Sendable`: other processes write to the memory; this process only reads it.
struct WALIndex: @unchecked Sendable {
  /// The first page of the wal-index. It stays mapped until the connection closes or leaves WAL
  /// mode. No connection can leave WAL mode while another one has the file open.
  private let page: UnsafeRawPointer

  /// The size in bytes of one copy of the header.
  private static let headerByteCount = 48

  /// Returns nil if the index does not have the format that SQLite documents.
  ///
  /// The connection must use the log through shared memory.
  init?(of handle: OpaquePointer) {
    guard let page = csqlite_wal_index(handle) else { return nil }
    self.init(page: page)
  }

  /// Returns the index whose first page is at an address; nil if it has another format.
  init?(page: UnsafeRawPointer) {
    guard page.load(as: UInt32.self) == 3_007_000 else { return nil }
    self.page = page
  }

  /// The version of the database that the index names now; nil while a commit changes it.
  var version: Version? {
    let first = Version(of: page)
    defer { atomicMemoryFence(ordering: .acquiring) }
    return isAt(first) ? first : nil
  }

  /// Whether a version is still the newest, and the log was not restarted or reset since.
  ///
  /// Notices every commit that was complete before the call, whichever process made it. The caller
  /// learned of such a commit by an earlier load, and the fence orders that load before the loads
  /// of the header.
  @inline(__always)
  func isAt(_ version: Version) -> Bool {
    atomicMemoryFence(ordering: .acquiring)
    return version == Version(of: page)
      && version.header == Header(of: page + Self.headerByteCount)
  }

  /// The header now; nil while a commit changes it.
  var header: Header? {
    atomicMemoryFence(ordering: .acquiring)
    let first = Header(of: page)
    defer { atomicMemoryFence(ordering: .acquiring) }
    return first == Header(of: page + Self.headerByteCount) ? first : nil
  }

  /// Whether the database has the content that a header names: nothing was committed since. A
  /// commit that was complete before the call is noticed, whichever process made it.
  @inline(__always)
  func isAt(_ header: Header) -> Bool {
    atomicMemoryFence(ordering: .acquiring)
    return header == Header(of: page) && header == Header(of: page + Self.headerByteCount)
  }

  /// The content of one copy of the header.
  ///
  /// It includes a count of commits, the number of frames, and a checksum over all frames. It cannot
  /// return to an earlier value while a connection has a snapshot of the earlier one, because such
  /// a snapshot keeps the log from being restarted and overwritten.
  struct Header: Equatable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// The number of commits, by any connection of any process. It starts anywhere and wraps around.
    var commitCount: UInt32 { field(of: words.1) }

    /// The number of frames in the log.
    var frameCount: Int { Int(field(of: words.2)) }

    /// Whether the log was not restarted between the two headers: its frames have the same salts.
    func isOfSameLog(as other: Header) -> Bool { words.4 == other.words.4 }

    /// Returns the field of 32 bits in the first half of a word.
    private func field(of word: UInt64) -> UInt32 {
      UInt32(littleEndian: UInt32(truncatingIfNeeded: word.littleEndian))
    }

    init(of header: UnsafeRawPointer) {
      words = (
        header.load(as: UInt64.self), header.load(fromByteOffset: 8, as: UInt64.self),
        header.load(fromByteOffset: 16, as: UInt64.self),
        header.load(fromByteOffset: 24, as: UInt64.self),
        header.load(fromByteOffset: 32, as: UInt64.self),
        header.load(fromByteOffset: 40, as: UInt64.self)
      )
    }

    @inline(__always)
    static func == (left: Header, right: Header) -> Bool {
      let (a, b) = (left.words, right.words)
      return (a.0 ^ b.0) | (a.1 ^ b.1) | (a.2 ^ b.2) | (a.3 ^ b.3) | (a.4 ^ b.4) | (a.5 ^ b.5) == 0
    }
  }

  /// A commit, and the number of the log's frames that were in the database file then.
  ///
  /// The second part matters for checkpoints. Once the whole log is in the file, new readers no
  /// longer use the log, so that it can be restarted. Readers that kept a snapshot of the log must
  /// take a new one.
  struct Version: Equatable {
    let header: Header
    /// The number of frames that checkpoints have copied into the database file.
    private let copiedFrameCount: UInt32

    init(of page: UnsafeRawPointer) {
      header = Header(of: page)
      copiedFrameCount = page.load(fromByteOffset: 2 * WALIndex.headerByteCount, as: UInt32.self)
    }
  }
}

/// Whether a connection uses an index of the write-ahead log, if that is known.
enum WALIndexSupport {
  /// The connection has not begun to read yet, or nothing has asked for the index.
  case unknown
  /// The connection uses no log in shared memory: it is in memory, has exclusive locking, is
  /// immutable, is in another journal mode, or has its database elsewhere.
  case none
  case log(WALIndex)

  /// The index, if it is known and used.
  var index: WALIndex? {
    if case .log(let index) = self { index } else { nil }
  }
}

extension ConnectionCore {
  /// Returns the index of the log; nil if the connection does not use one in shared memory.
  ///
  /// The connection must have read before, so that it already uses the log if there is one. On a
  /// reader the first call finds the index, and later calls return it: a reader that uses the log
  /// keeps the file in WAL mode, so the index stays at its address until the reader closes.
  func walIndex() -> WALIndex? {
    guard isReader else { return findWALIndex().index }
    if case .unknown = state.pointee.wal.index { state.pointee.wal.use(findWALIndex()) }
    return state.pointee.wal.index.index
  }

  /// If there is no index in shared memory, a request for it would create one.
  private func findWALIndex() -> WALIndexSupport {
    if configuration.isImmutable || isRemote { return .none }
    guard let mode = try? text(pragma: "PRAGMA journal_mode"),
      let locking = try? text(pragma: "PRAGMA locking_mode")
    else { return .unknown }
    guard mode == "wal", locking == "normal", let index = WALIndex(of: handle) else { return .none }
    return .log(index)
  }

  private func text(pragma text: String) throws -> String? {
    let statement = try compileOne(text).handle
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  /// The number of commits to the write-ahead log, by any connection of any process, as the log's
  /// index counts them. It starts anywhere and wraps around: only differences mean something.
  ///
  /// Nil if the database has no such index in shared memory, or while a commit changes the index.
  /// Read it in a read transaction, since only then the index is sure to be open. The number
  /// includes commits after the snapshot of that transaction.
  ///
  /// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_header>
  package var logChangeCount: UInt32? { walIndex()?.version?.header.commitCount }

  /// The number of this connection's own commits to the write-ahead log of the main database; nil
  /// if they are not counted, because the library's log hook is not installed.
  package var loggedCommitCount: UInt32? {
    state.pointee.wal.hasHook ? state.pointee.wal.commitCount : nil
  }
}
