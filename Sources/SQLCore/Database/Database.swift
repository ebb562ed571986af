#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A database, with one connection for writes and several connections for reads. Any number of
/// tasks may read and write; each waits until a connection is free.
///
/// ```swift
/// let db = try Database(path: "blog.sqlite")
/// try await db.write { tx in try tx.execute("CREATE TABLE IF NOT EXISTS greeting (text TEXT)") }
/// let rows = try await db.read { connection in try connection.rows("SELECT text FROM greeting") }
/// ```
///
/// A file is put into WAL mode, in which reads never wait for writes, and writes never wait for
/// reads. The database closes when the last reference to it is released. Accesses are served in the
/// order in which they were requested. In memory, and if `Configuration.maximumReaders` is 0, reads
/// and writes take turns on one connection.
/// - SeeAlso: <https://www.sqlite.org/wal.html>
public final class Database: Sendable {
  /// The configuration with which the database was opened.
  public let configuration: Configuration
  package let location: DatabaseLocation
  let access: ConnectionAccess
  /// The lane (the group of connections) that serves reads. It is the writer's lane if the database
  /// is in memory or has no readers.
  let readLane: ConnectionPool.LaneName
  /// The lane on which live queries run again. It is the writer's lane if the database is in memory
  /// or has no readers.
  let liveLane: ConnectionPool.LaneName
  let temporaryFile: TemporaryFile?
  let writeObserver = Lock<(any AccessObserver)?>(nil)
  let cache: DatabaseCache

  /// Opens a database file. Creates the file if it does not exist and the configuration allows
  /// writing.
  ///
  /// A relative path is resolved against the current working folder. The database keeps using the
  /// same file even if the working folder changes later. Connections that open later use the same
  /// file as the first connection, and never create one. If that file was moved, deleted or
  /// replaced in the meantime, they throw `.cannotOpen`.
  ///
  /// A path that begins with `file:` is a URI. Its parameters `mode=ro` and `immutable=1` have the
  /// same effect as `Configuration.isReadOnly` and `isImmutable`. With `mode=rw`, no file is
  /// created. The path `":memory:"` and a URI of a database in memory open a single connection that
  /// serves reads and writes. So does the empty path, which means a temporary file without a name.
  ///
  /// Throws a `DatabaseError` with a message that names the path and the cause. The code is
  /// `.cannotOpen` for a folder, or for a path that does not exist or cannot be opened. It is
  /// `.notADatabase` for a file that is not a database, and `.readOnly` for a file that cannot be
  /// written.
  /// - SeeAlso: <https://www.sqlite.org/uri.html>
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = try DatabaseLocation(path: path)
    try self.init(location: location, configuration: location.restricting(configuration))
  }

  /// Opens a database file. This is the asynchronous form of `init(path:configuration:)`. It opens
  /// the file on a separate thread.
  ///
  /// ```swift
  /// let db = try await Database.open(path: "blog.sqlite")
  /// ```
  /// Throws `CancellationError` if the task is cancelled before the file is opened.
  public static func open(
    path: String, configuration: Configuration = Configuration()
  ) async throws -> Database {
    try await WorkerThreads.run { cancellation in
      try cancellation.check()
      return try Database(path: path, configuration: configuration)
    }
  }

  /// Opens a database in the memory of this process that lives as long as the returned value.
  ///
  /// The database has one connection, which reads and writes use in turn. With several connections
  /// to a shared database in memory, SQLite would let each connection lock out the others. To test
  /// concurrency, use `temporary()`.
  public static func inMemory(configuration: Configuration = Configuration()) throws -> Database {
    try Database(location: .memory, configuration: configuration)
  }

  /// Opens a new file in the temporary folder, with all connections of a pool. The file is deleted
  /// when the returned value and its snapshots are released.
  public static func temporary(configuration: Configuration = Configuration()) throws -> Database {
    let file = try TemporaryFile()
    return try Database(
      location: DatabaseLocation(path: file.path), configuration: configuration,
      temporaryFile: file)
  }

  init(
    location: DatabaseLocation, configuration: Configuration, temporaryFile: TemporaryFile? = nil
  ) throws {
    self.configuration = configuration
    self.temporaryFile = temporaryFile
    let first = try ConnectionCore(
      location: location, configuration: configuration, isReader: false)
    let location = try location.asOpened(by: first)
    self.location = location
    access = ConnectionAccess(
      first, location: location, configuration: configuration,
      maximumReaders: configuration.maximumReaders)
    cache = DatabaseCache(pool: access.pool)
    readLane = location.isShared && configuration.maximumReaders > 0 ? .reader : .writer
    liveLane = readLane == .reader ? .live : .writer
  }

  deinit {
    cache.turnOff()
    // If the database is in a temporary file, the connections must close before the file is
    // deleted. The file is deleted when this object's properties are released.
    _ = access.pool.removeAll()
    writeObserver.withLock { $0 }?.databaseDidClose()
  }

  /// Whether the database was closed by `close()`.
  package var isClosed: Bool { access.pool.isClosed }

  /// The absolute path of the file; nil in memory and for a temporary file without a name.
  ///
  /// Links are not resolved. The path of a URI is percent-decoded.
  public var path: String? {
    if case .file(let file) = location { file.path } else { nil }
  }

  /// The path of the file after all links are resolved. SQLite creates the `-wal` and `-shm` files
  /// beside it.
  package var realPath: String? {
    if case .file(let file) = location { file.realPath } else { nil }
  }

  /// Returns the observer that is notified when a write begins and ends. If no observer is
  /// installed, installs the one that `make` returns. Returns nil if an observer of another type is
  /// installed, or if `make` returns nil.
  package func writeObserver<Observer: AccessObserver>(
    orInstall make: () -> Observer? = { nil }
  ) -> Observer? {
    writeObserver.withLock { installed in
      if installed == nil { installed = make() }
      return installed as? Observer
    }
  }
}

/// A file with a unique name in the temporary folder. The file is deleted when this value is
/// released.
final class TemporaryFile: Sendable {
  private let folder: URL
  var path: String { folder.appending(path: "database.sqlite").path(percentEncoded: false) }

  init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    folder =
      parent
      .appending(path: "apus-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }
}

extension Database {
  /// Interrupts the running statement of every access of this database. Each of these statements
  /// throws `.interrupt`. A stream of rows that has begun throws `.interrupt` as well, after it has
  /// delivered the rows that it has already read.
  ///
  /// Any thread may call this method. It has no effect if nothing runs, and no effect on later
  /// statements. If a write is interrupted, its transaction is rolled back. From then on, every
  /// statement of the `write` closure throws `.abort`, and `write` itself throws `.abort` even if
  /// the closure catches the errors. An access that waits for a lock ends as well. An access that
  /// waits for a connection continues to wait.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/interrupt.html>
  public func interrupt() {
    access.pool.interrupt()
  }

  /// Closes every connection. Later accesses throw misuse; closing again has no effect.
  ///
  /// Calling `close` is optional, because a database closes when its last reference is released. If
  /// an access is running or waiting, or if a stream of rows has begun and not ended, this method
  /// throws `.busy` and leaves the database open. A stream that was just dropped does not count;
  /// its connection closes a moment later. `close` waits for running fetches of observations.
  ///
  /// Streams of changes and observations of results deliver everything that was committed before,
  /// and then end: the next element is nil.
  public func close() throws {
    try access.pool.close { [cache] in cache.turnOff() }
    writeObserver.withLock { $0 }?.databaseDidClose()
  }
}
