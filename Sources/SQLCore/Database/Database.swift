#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A database: one connection that writes and several that read, lent to whoever asks.
///
/// ```swift
/// let db = try Database(path: "blog.sqlite")
/// try await db.write { tx in try tx.execute("CREATE TABLE IF NOT EXISTS greeting (text TEXT)") }
/// let rows = try await db.read { connection in try connection.rows("SELECT text FROM greeting") }
/// ```
///
/// A file is put into WAL mode: readers neither wait for the writer nor make it wait. It closes
/// when the last reference is gone. Calls wait in the order in which they came. In memory, and where
/// `Configuration.maximumReaders` is 0, reads and writes take turns on one connection.
/// - SeeAlso: <https://www.sqlite.org/wal.html>
public final class Database: Sendable {
  /// How the database was opened.
  public let configuration: Configuration
  package let location: DatabaseLocation
  let access: ConnectionAccess
  /// Which lane reads take: in memory, and without readers, there is one connection for all.
  let readLane: ConnectionPool.LaneName
  let temporaryFile: TemporaryFile?
  let writeObserver = Lock<(any WriteObserver)?>(nil)

  /// Opens a file, and creates it where it is missing and the configuration allows writing.
  ///
  /// A relative path is one in the working folder of this moment: the database stays in that file,
  /// whatever the working folder is later. Connections that open later use the very file that the
  /// first one opened, and never create one; where that file was moved, deleted or replaced
  /// meanwhile, they throw `.cannotOpen`.
  ///
  /// A path that begins with `file:` is a URI: `mode=ro` and `immutable=1` do what
  /// `Configuration.isReadOnly` and `isImmutable` do, `mode=rw` creates no file. `":memory:"`, a URI
  /// of a database in memory, and the empty path, a temporary file without a name, are one connection
  /// for readers and writers.
  ///
  /// Throws `DatabaseError`, whose message names the path and the cause: `.cannotOpen` for a folder, a
  /// path that does not exist or cannot be opened, `.notADatabase` for a file that is none,
  /// `.readOnly` for one that cannot be written.
  /// - SeeAlso: <https://www.sqlite.org/uri.html>
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = try DatabaseLocation(path: path)
    try self.init(location: location, configuration: location.restricting(configuration))
  }

  /// A database in the memory of this process, gone with the value.
  ///
  /// It is one connection, lent to readers and writers in turn: SQLite's shared databases in memory
  /// lock each other out. A test of concurrency uses `temporary()`.
  public static func inMemory(configuration: Configuration = Configuration()) throws -> Database {
    try Database(location: .memory, configuration: configuration)
  }

  /// A file in the temporary folder, with the full pool, deleted with the value.
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
    readLane = location.isFile && configuration.maximumReaders > 0 ? .reader : .writer
  }

  deinit {
    // The connections go first, then the file.
    _ = access.pool.removeAll()
    writeObserver.withLock { $0 }?.databaseDidClose()
  }

  /// Whether the database was closed by `close()`.
  package var isClosed: Bool { access.pool.isClosed }

  /// The absolute path of the file; nil in memory, and for a temporary file without a name.
  ///
  /// Links are as they were given; a URI's path is decoded.
  public var path: String? {
    if case .file(let file) = location { file.path } else { nil }
  }

  /// The path of the file behind all links, beside which SQLite makes its other files.
  package var realPath: String? {
    if case .file(let file) = location { file.realPath } else { nil }
  }

  /// What is told of the beginning and end of each write; made when first asked for, and kept.
  package func writeObserver<Observer: WriteObserver>(
    orInstall make: () -> Observer
  ) -> Observer? {
    writeObserver.withLock { installed in
      if installed == nil { installed = make() }
      return installed as? Observer
    }
  }
}

/// Told when the writer begins and ends an access, while it is between transactions.
package protocol WriteObserver: AnyObject, Sendable {
  /// The writer was lent; what this throws ends the access.
  func writeWillBegin(on core: ConnectionCore) throws
  /// The access ended, well or not. `writeWillBegin` may not have been called for it.
  func writeDidEnd(on core: ConnectionCore)
  /// A backup put another content in the place of all that was there.
  func contentWasReplaced(on core: ConnectionCore)
  /// The database was closed, or its last reference went: nothing is written any more.
  func databaseDidClose()
}

/// A file with a name of its own in the temporary folder, deleted with the value.
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
