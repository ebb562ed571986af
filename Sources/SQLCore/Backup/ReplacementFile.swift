import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A database file that is written beside its destination, verified, and then moved to the
/// destination.
///
/// At any moment, even after a crash, the destination holds either its old content or the new file.
/// A crash may leave the unfinished file beside it, named `….partial-` and a UUID.
struct ReplacementFile: Sendable {
  let path: String
  let overwriting: Bool
  let configuration: Configuration
  let cancellation: JobCancellation
  /// The registrations of the source. SQLite may need the tokenizers among them to verify the copy.
  private let registrations: ConnectionRegistrations
  /// The absolute path of the destination, which later changes of the working folder do not affect.
  private let absolutePath: String
  /// The working folder at the time when the source was opened. Connections attach files relative
  /// to this folder.
  private let workingFolder: String?

  init(
    path: String, overwriting: Bool, configuration: Configuration,
    cancellation: JobCancellation, registrations: ConnectionRegistrations, workingFolder: String?
  ) throws {
    // The path may also be a URI that names a file. The parameters of the URI do not apply to the
    // copy.
    guard case .file(let file) = try DatabaseLocation(path: path) else {
      throw DatabaseError.misuse("a copy needs the path of a file, not '\(path)'")
    }
    self.path = path
    self.overwriting = overwriting
    self.configuration = configuration
    self.cancellation = cancellation
    self.registrations = registrations
    absolutePath = file.path
    self.workingFolder = workingFolder
  }

  /// Runs the closure with the path of a new, empty file, and then moves the file to the
  /// destination.
  ///
  /// - Parameter source: the connection that is copied; the destination must not be one of its
  ///   files.
  func replace<Result>(
    copying source: ConnectionCore, _ write: (_ temporaryPath: String) throws -> Result
  ) throws -> Result {
    let databases = source.filePaths
    let place = try CopyPlace(absolutePath, given: path)
    try place.requireApart(from: databases)
    try requireFree(place.path)
    let temporary = "\(place.path).partial-\(UUID().uuidString.lowercased())"
    try create(temporary, for: place.path, copying: source.mainFilePath)
    // This removes the unfinished file if an error is thrown. After a success, no file of this name
    // is left, because the file was moved to the destination.
    defer { for suffix in [""] + CopyPlace.companions { unlink(temporary + suffix) } }
    let result = try write(temporary)
    try seal(temporary)
    try verify(temporary)
    try cancellation.check()
    // The check is repeated, because a link may have replaced the file at the destination while the
    // copy was written.
    try CopyPlace(place.path, given: path).requireApart(from: databases)
    try put(temporary, at: place.path)
    return result
  }

  // MARK: Before

  private func requireFree(_ place: String) throws {
    guard !overwriting else { return }
    // A log or journal without its database must not be at the destination either, because SQLite
    // would apply it to the new file.
    for suffix in [""] + CopyPlace.companions.dropLast() where FileStatus(place + suffix) != nil {
      throw existing(place + suffix)
    }
  }

  private func existing(_ path: String) -> DatabaseError {
    DatabaseError(
      code: .cannotOpen, message: "\(path) already exists; pass `overwriting: true` to replace it")
  }

  /// Creates the unfinished file with the permissions of the file that it will replace. Only users
  /// who can read the old file can then read the new one.
  private func create(
    _ temporary: String, for place: String, copying source: String?
  ) throws {
    let replaced = FileStatus(place)?.permissions
    let mode = replaced ?? source.flatMap { FileStatus(following: $0)?.permissions } ?? 0o644
    let descriptor = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Self.systemError("create", temporary) }
    if let replaced { fchmod(descriptor, replaced) }
    close(descriptor)
  }

  // MARK: The new file

  /// Opens a file that will be written or replaced. If `isEncrypted` is true and the source has an
  /// encryption key, uses this key.
  func connect(to path: String, isEncrypted: Bool = true) throws -> ConnectionCore {
    var configuration = configuration
    configuration.isReadOnly = false
    configuration.isImmutable = false
    if !isEncrypted { configuration.unlockConnection = nil }
    return try ConnectionCore(
      location: .file(DatabaseFile(path: path)), configuration: configuration, isReader: false,
      isBare: true)
  }

  /// Converts the copy to a single file, whatever the journal mode of its source, and synchronises
  /// it to disk.
  private func seal(_ temporary: String) throws {
    do {
      let copy = try connect(to: temporary)
      defer { copy.close() }
      // While a connection holds an exclusive lock, SQLite needs no shared memory, and therefore
      // creates no `-shm` file.
      let sql = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE"
      guard sqlite3_exec(copy.handle, sql, nil, nil, nil) == SQLITE_OK else {
        throw copy.error(sqlite3_errcode(copy.handle), sql: sql)
      }
    }
    try FileStatus.synchronize(temporary)
  }

  private func verify(_ temporary: String) throws {
    var configuration = configuration
    configuration.isReadOnly = false
    let copy = try ConnectionCore(
      location: .file(DatabaseFile(path: temporary, workingFolder: workingFolder)),
      configuration: configuration, isReader: true)
    try registrations.applyDefinitions(to: copy)
    try cancellation.cover(copy)
    try copy.requireWhole("the copy")
  }

  // MARK: In place

  private func put(_ temporary: String, at place: String) throws {
    if overwriting {
      try withSettledDestination(place) {
        for suffix in CopyPlace.companions { unlink(place + suffix) }
        guard rename(temporary, place) == 0 else { throw Self.systemError("replace", place) }
      }
    } else {
      // Unlike `rename`, `link` fails if a file has appeared at the destination meanwhile.
      if link(temporary, place) != 0 {
        switch errno {
        case EPERM, ENOTSUP, EOPNOTSUPP:
          // The file system does not support hard links, so the file is renamed instead.
          try requireFree(place)
          guard rename(temporary, place) == 0 else { throw Self.systemError("create", place) }
        case EEXIST:
          throw existing(place)
        default:
          throw Self.systemError("create", place)
        }
      }
      unlink(temporary)
    }
    try FileStatus.synchronizeFolder(of: place)
  }

  /// Locks the old file at the destination, merges its log and its journal into it, and then runs
  /// the closure. After the merge, the old file is complete without the log and the journal, even
  /// if a crash interrupts the closure.
  private func withSettledDestination(_ place: String, _ body: () throws -> Void) throws {
    guard FileStatus(place) != nil else { return try body() }
    // If the copy has an encryption key, the old file is first opened with this key. If it is not a
    // usable database with this key, it is opened again without a key, because it may not be
    // encrypted.
    var old = try settled(place, isEncrypted: true)
    if old == nil, configuration.unlockConnection != nil {
      old = try settled(place, isEncrypted: false)
    }
    // If the old file is not a usable database, it cannot be locked, and is replaced without a
    // lock.
    guard let old else { return try body() }
    defer { old.close() }
    guard FileStatus(place + "-wal") == nil else {
      throw DatabaseError(
        code: .busy, message: "\(place) is open elsewhere and was not replaced; close it first")
    }
    try body()
  }

  /// Merges the log and the journal of a file into the file, and returns a connection that has
  /// locked it. Returns nil if the file is not a usable database.
  private func settled(_ place: String, isEncrypted: Bool) throws -> ConnectionCore? {
    let old = try connect(to: place, isEncrypted: isEncrypted)
    sqlite3_busy_timeout(old.handle, configuration.busyTimeout.wholeMilliseconds)
    // If another connection has the file open in WAL mode, the change of the journal mode fails.
    for sql in ["PRAGMA schema_version", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"] {
      let code = sqlite3_exec(old.handle, sql, nil, nil, nil)
      if code == SQLITE_OK { continue }
      var error = old.error(code, sql: sql)
      switch error.code.primary {
      case .notADatabase, .corrupt: return nil
      case .busy:
        error.message = "\(place) is open elsewhere and was not replaced: \(error.message)"
        throw error
      default: throw error
      }
    }
    return old
  }

  private static func systemError(_ verb: String, _ path: String) -> DatabaseError {
    let reason = String(cString: strerror(errno))
    return DatabaseError(code: .cannotOpen, message: "cannot \(verb) \(path): \(reason)")
  }
}

extension ConnectionCore {
  /// The file of the database, as SQLite resolved its path; nil for a database in memory.
  var mainFilePath: String? { filePath(of: "main") }

  /// The files of the database and of its attached databases.
  var filePaths: [String] {
    var paths: [String] = []
    var index: Int32 = 0
    while let name = sqlite3_db_name(handle, index) {
      if let path = filePath(of: name) { paths.append(path) }
      index += 1
    }
    return paths
  }

  private func filePath(of name: UnsafePointer<CChar>) -> String? {
    guard let path = sqlite3_db_filename(handle, name), path.pointee != 0 else { return nil }
    return String(cString: path)
  }
}
