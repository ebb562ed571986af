import CSQLite
import Synchronization

/// The header of a wal-index. The wal-index is memory that all connections to a file in WAL mode
/// share, in all processes. Its header says which commit is the newest.
///
/// Each commit and each restart of the log changes the header. The header is stored twice. A commit
/// writes the second copy first, and is complete when the copies are equal.
/// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_file_format>
///
/// `@unchecked Sendable`: other processes write to the memory; this process only reads it.
struct WALIndex: @unchecked Sendable {
  /// The first page of the wal-index. It stays mapped until the connection closes or leaves WAL
  /// mode. No connection can leave WAL mode while another one has the file open.
  private let page: UnsafeRawPointer

  /// The size in bytes of one copy of the header.
  private static let headerByteCount = 48

  /// Finds the wal-index of a connection. Returns nil if the wal-index does not have the format
  /// that SQLite documents.
  ///
  /// The connection must use the log through shared memory.
  init?(of handle: OpaquePointer) {
    guard let page = csqlite_wal_index(handle) else { return nil }
    self.init(page: page)
  }

  /// Makes a wal-index from the address of its first page. Returns nil if the page has another
  /// format.
  init?(page: UnsafeRawPointer) {
    guard page.load(as: UInt32.self) == 3_007_000 else { return nil }
    self.page = page
  }

  /// The current version of the database; nil while a commit changes the wal-index.
  var version: Version? {
    let first = Version(of: page)
    defer { atomicMemoryFence(ordering: .acquiring) }
    return isAt(first) ? first : nil
  }

  /// Returns whether a version is still the newest, and the log has not been restarted or reset
  /// since.
  ///
  /// The result takes account of every commit, of any process, that was complete before the call.
  /// This is the purpose of the fence. Without it, the processor could load the header earlier, for
  /// example before the caller learned from a message that another process has committed.
  @inline(__always)
  func isAt(_ version: Version) -> Bool {
    atomicMemoryFence(ordering: .acquiring)
    return version == Version(of: page)
      && version.header == Header(of: page + Self.headerByteCount)
  }

  /// The current header; nil while a commit changes the header.
  var header: Header? {
    atomicMemoryFence(ordering: .acquiring)
    let first = Header(of: page)
    defer { atomicMemoryFence(ordering: .acquiring) }
    return first == Header(of: page + Self.headerByteCount) ? first : nil
  }

  /// Returns whether nothing was committed since a header was read. The result takes account of
  /// every commit, of any process, that was complete before the call.
  @inline(__always)
  func isAt(_ header: Header) -> Bool {
    atomicMemoryFence(ordering: .acquiring)
    return header == Header(of: page) && header == Header(of: page + Self.headerByteCount)
  }

  /// The content of one copy of the header.
  ///
  /// The header includes a count of commits, the number of frames, and a checksum over all frames.
  /// While a connection keeps a snapshot, a header that is equal to the snapshot's header means
  /// that nothing was committed since. The snapshot keeps the log from being restarted, so an old
  /// header cannot come back.
  struct Header: Equatable {
    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    /// The number of commits by all connections of all processes. It starts at an arbitrary value
    /// and wraps around.
    var commitCount: UInt32 { field(of: words.1) }

    /// The number of frames in the log.
    var frameCount: Int { Int(field(of: words.2)) }

    /// Returns whether the log was not restarted between the times at which the two headers were
    /// read. A restart changes the salts of the log's frames, and the header contains these salts.
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

  /// A version of the database. It consists of the header for a commit, and of the number of the
  /// log's frames that had been copied into the database file when the header was read.
  ///
  /// The number of copied frames matters for checkpoints. Once the whole log is in the file, new
  /// readers no longer use the log, so that it can be restarted. A reader that kept a snapshot of
  /// the log must then take a new snapshot.
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

/// The known facts about a connection's use of the wal-index.
enum WALIndexSupport {
  /// Nothing is known yet: the connection has not begun to read, or no caller has asked for the
  /// wal-index.
  case unknown
  /// The connection uses no log through shared memory. The database is in memory, immutable, remote
  /// or in another journal mode, or the connection has exclusive locking.
  case none
  case log(WALIndex)

  /// The wal-index, if it is known and used.
  var index: WALIndex? {
    if case .log(let index) = self { index } else { nil }
  }
}

extension ConnectionCore {
  /// Returns the wal-index of the log; nil if the connection does not use a log through shared
  /// memory.
  ///
  /// Call this only after the connection has read, because a connection begins to use the log with
  /// its first read. On a reader, the first call finds the wal-index, and later calls return the
  /// same one. A reader that uses the log keeps the file in WAL mode, so the wal-index stays at its
  /// address until the reader closes.
  func walIndex() -> WALIndex? {
    guard isReader else { return findWALIndex().index }
    if case .unknown = state.pointee.wal.index { state.pointee.wal.use(findWALIndex()) }
    return state.pointee.wal.index.index
  }

  /// Finds the wal-index. Checks the settings first, because asking SQLite for the wal-index would
  /// create one if none existed.
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

  /// The number of commits to the write-ahead log, by all connections of all processes. The number
  /// starts at an arbitrary value and wraps around, so only differences have a meaning.
  ///
  /// Nil if the log has no wal-index in shared memory, or while a commit changes the wal-index.
  /// Read the number only in a read transaction, because only then is the wal-index certain to be
  /// open. The number includes commits after the snapshot of that transaction.
  ///
  /// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_header>
  package var logChangeCount: UInt32? { walIndex()?.version?.header.commitCount }

  /// The number of this connection's own commits to the write-ahead log of the main database. Nil
  /// if the library's log hook, which counts these commits, is not installed.
  package var loggedCommitCount: UInt32? {
    state.pointee.wal.hasHook ? state.pointee.wal.commitCount : nil
  }
}
