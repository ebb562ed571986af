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
  let configuration: Configuration
  let cancellation = JobCancellation()
  /// The same path when the working folder is another one.
  private let absolutePath: String
  /// The working folder when the source was opened, from which its connections attach files.
  private let workingFolder: String?

  init(
    path: String, overwriting: Bool, configuration: Configuration, workingFolder: String?
  ) throws {
    // A URI names a file, too, and its parameters say nothing of a copy.
    guard case .file(let file) = try DatabaseLocation(path: path) else {
      throw DatabaseError.misuse("a copy needs the path of a file, not '\(path)'")
    }
    self.path = path
    self.overwriting = overwriting
    self.configuration = configuration
    absolutePath = file.path
    self.workingFolder = workingFolder
  }

  /// Runs the closure with the path of a new, empty file, and puts what it wrote in place.
  ///
  /// - Parameter source: the connection that is copied, whose files the place may not be.
  func replace<Result>(
    copying source: ConnectionCore, _ write: (_ temporaryPath: String) throws -> Result
  ) throws -> Result {
    let databases = source.filePaths
    let place = try CopyPlace(absolutePath, given: path)
    try place.requireApart(from: databases)
    try requireFree(place.path)
    let temporary = "\(place.path).partial-\(UUID().uuidString.lowercased())"
    try create(temporary, for: place.path, copying: source.mainFilePath)
    // Where it was put in place, there is nothing left to remove.
    defer { for suffix in [""] + CopyPlace.companions { unlink(temporary + suffix) } }
    let result = try write(temporary)
    try seal(temporary)
    try verify(temporary)
    try cancellation.check()
    // What stands there may have become a link meanwhile.
    try CopyPlace(place.path, given: path).requireApart(from: databases)
    try put(temporary, at: place.path)
    return result
  }

  // MARK: Before

  private func requireFree(_ place: String) throws {
    guard !overwriting else { return }
    // A log or journal without its file would be applied to the file that comes.
    for suffix in [""] + CopyPlace.companions.dropLast() where FileStatus(place + suffix) != nil {
      throw existing(place + suffix)
    }
  }

  private func existing(_ path: String) -> DatabaseError {
    DatabaseError(
      code: .cannotOpen, message: "\(path) exists already; `overwriting: true` replaces it")
  }

  /// Creates the unfinished file, which nobody may read who could not read what it replaces.
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

  /// Makes it one file, whatever the journal mode of its source, and forces it to disk.
  private func seal(_ temporary: String) throws {
    let handle = try DatabaseFile(path: temporary).open()
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
      location: .file(DatabaseFile(path: temporary, workingFolder: workingFolder)),
      configuration: configuration, isReader: true)
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
      // Unlike `rename`, this refuses what came meanwhile.
      if link(temporary, place) != 0 {
        switch errno {
        case EPERM, ENOTSUP, EOPNOTSUPP:
          // A file system without links.
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

  /// Runs the closure while the old destination is locked, and holds all that its log and its
  /// journal held: a crash then leaves the old file whole without them.
  private func withSettledDestination(_ place: String, _ body: () throws -> Void) throws {
    guard FileStatus(place) != nil else { return try body() }
    let handle = try DatabaseFile(path: place).open()
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

extension ConnectionCore {
  /// The file of the database, as SQLite resolved its path; nil in memory.
  var mainFilePath: String? { filePath(of: "main") }

  /// The files of the database, and of those that are attached.
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
