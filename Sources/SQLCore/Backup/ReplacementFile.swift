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

/// A database that is written beside its place, verified, and put there when it is whole.
///
/// At any moment, also in a crash, the place holds what it held before or the new file. A crash
/// may leave the unfinished file beside it, named `….partial-` and a UUID.
struct ReplacementFile: Sendable {
  let path: String
  let overwriting: Bool
  /// The file that is copied, where there is one.
  let sourcePath: String?
  let configuration: Configuration
  let cancellation = JobCancellation()

  /// What belongs to a database file beside it: SQLite would apply what it finds there.
  private static let companions = ["-journal", "-wal", "-shm"]

  /// Runs the closure with the path of a new, empty file, and puts what it wrote in place.
  func replace<Result>(_ write: (_ temporaryPath: String) throws -> Result) throws -> Result {
    let place = try resolvedPlace()
    try checkPlace(place)
    let temporary = "\(place).partial-\(UUID().uuidString.lowercased())"
    try create(temporary, for: place)
    // Where it was put in place, there is nothing left to remove.
    defer { for suffix in [""] + Self.companions { unlink(temporary + suffix) } }
    let result = try write(temporary)
    try seal(temporary)
    try verify(temporary)
    try cancellation.check()
    try put(temporary, at: place)
    return result
  }

  // MARK: Before

  /// The path behind symbolic links: what they point to is replaced, not they.
  private func resolvedPlace() throws -> String {
    guard DatabaseLocation(path: path).isFile, !path.utf8.contains(0) else {
      throw DatabaseError.misuse("a backup needs the path of a file, not '\(path)'")
    }
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func checkPlace(_ place: String) throws {
    if let sourcePath, FileStatus.isSame(sourcePath, place) {
      throw DatabaseError.misuse("\(path) is the source of the backup itself")
    }
    if let status = FileStatus(place), status.isFolder {
      throw DatabaseError(code: .cannotOpen, message: "\(path) is a folder")
    }
    guard !overwriting else { return }
    // A log or journal without its file would be applied to the file that comes.
    for suffix in [""] + Self.companions.dropLast() where FileStatus(place + suffix) != nil {
      throw existing(place + suffix)
    }
  }

  private func existing(_ path: String) -> DatabaseError {
    DatabaseError(
      code: .cannotOpen, message: "\(path) exists already; `overwriting: true` replaces it")
  }

  /// Creates the unfinished file, which nobody may read who could not read what it replaces.
  private func create(_ temporary: String, for place: String) throws {
    let replaced = FileStatus(place)?.permissions
    let mode = replaced ?? sourcePath.flatMap { FileStatus($0)?.permissions } ?? 0o644
    let descriptor = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Self.systemError("create", temporary) }
    if let replaced { fchmod(descriptor, replaced) }
    close(descriptor)
  }

  // MARK: The new file

  /// Makes it one file, whatever the journal mode of its source, and forces it to disk.
  private func seal(_ temporary: String) throws {
    let handle = try DatabaseLocation.file(temporary).open(readOnly: false)
    do {
      defer { sqlite3_close_v2(handle) }
      // The lock for one connection alone: no memory is shared, so no file is made for it.
      let sql = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE"
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
        throw DatabaseError(code: sqlite3_errcode(handle), handle: handle, sql: sql)
      }
    }
    try FileStatus.synchronize(temporary)
  }

  private func verify(_ temporary: String) throws {
    var configuration = configuration
    configuration.isReadOnly = false
    let copy = try ConnectionCore(
      location: .file(temporary), configuration: configuration, isReader: true)
    try cancellation.cover(copy)
    try copy.requireWhole("the copy")
  }

  // MARK: In place

  private func put(_ temporary: String, at place: String) throws {
    if overwriting {
      try withSettledDestination(place) {
        for suffix in Self.companions { unlink(place + suffix) }
        guard rename(temporary, place) == 0 else { throw Self.systemError("replace", place) }
      }
    } else {
      // Unlike `rename`, this refuses what came meanwhile.
      if link(temporary, place) != 0 {
        switch errno {
        case EPERM, ENOTSUP, EOPNOTSUPP:
          // A file system without links.
          try checkPlace(place)
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

  /// Runs the closure while the old destination is locked, and holds all that its log and its
  /// journal held: a crash then leaves the old file whole without them.
  private func withSettledDestination(_ place: String, _ body: () throws -> Void) throws {
    guard FileStatus(place) != nil else { return try body() }
    let handle = try DatabaseLocation.file(place).open(readOnly: false)
    defer { sqlite3_close_v2(handle) }
    sqlite3_busy_timeout(handle, configuration.busyTimeout.wholeMilliseconds)
    // Changing the mode fails where anybody has the file open in WAL mode.
    for sql in ["PRAGMA schema_version", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"] {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      if code == SQLITE_OK { continue }
      var error = DatabaseError(code: code, handle: handle, sql: sql)
      switch error.code.primary {
      case .notADatabase, .corrupt:
        // Nothing of worth is lost with it.
        return try body()
      case .busy:
        error.message = "\(place) is open elsewhere, and is not replaced: \(error.message)"
        throw error
      default:
        throw error
      }
    }
    guard FileStatus(place + "-wal") == nil else {
      throw DatabaseError(
        code: .busy, message: "\(place) is open elsewhere, and is not replaced")
    }
    try body()
  }

  private static func systemError(_ verb: String, _ path: String) -> DatabaseError {
    let reason = String(cString: strerror(errno))
    return DatabaseError(code: .cannotOpen, message: "cannot \(verb) \(path): \(reason)")
  }
}
