#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An explanation of why a file could not be opened as a database, with advice.
///
/// SQLite reports everything that the system refuses as "unable to open database file". The
/// system's error code, and the kind of file at the path, explain more.
struct OpeningFailure {
  let file: DatabaseFile
  let isReadOnly: Bool
  /// The `errno` of the last system call that failed in SQLite, or 0.
  let systemError: Int32
  /// Whether SQLite could open the file itself. If so, the failure occurred in a later step.
  let isOpen: Bool
  /// Whether the configuration has a closure that sets an encryption key.
  var isUnlocked = false

  /// The longest path that SQLite can open on Unix, without the suffix of a journal.
  private static let maximumPathBytes = 504

  /// Returns the error with a message that adds the path, the cause and advice.
  func describe(_ error: DatabaseError) -> DatabaseError {
    var described = error
    // Opening a folder for reading succeeds, and only the first read fails.
    if error.code.primary == .ioError, status?.isFolder == true { described.code = .cannotOpen }
    let reason: String? =
      switch described.code.primary {
      case .cannotOpen: cause
      case .notADatabase where isUnlocked:
        "the key is wrong, or the file is not encrypted, or it is not an SQLite database; it was not "
          + "changed"
      case .notADatabase:
        "the file is not an SQLite database, or it is encrypted; it was not changed"
      case .readOnly: readOnlyCause
      case .busy: "another connection has locked it; raise `busyTimeout` to wait longer"
      default: nil
      }
    described.message = "\(file.path): \(error.message)" + (reason.map { " (\($0))" } ?? "")
    return described
  }

  /// The status of the file to which the path leads.
  private var status: FileStatus? { FileStatus(following: file.realPath) }

  private var path: String { file.realPath }

  // MARK: Cannot open

  /// The reason for `.cannotOpen`.
  private var cause: String {
    if let exhausted { return exhausted }
    guard let status else { return missing }
    guard status.isFile else {
      return "it is \(status.noun), and a database must be a file"
        + (status.isFolder ? "; name a file in it, such as `\(path)/database.sqlite`" : "")
    }
    if path.utf8.count > Self.maximumPathBytes { return tooLong }
    if isOpen { return companionCause }
    return switch systemError {
    case EACCES, EPERM: "this user may not read it: change its permissions, or those of its folder"
    case 0: "SQLite does not say why"
    default: Self.words(systemError)
    }
  }

  /// The message for an exhausted resource, such as open files or memory; nil for any other error.
  private var exhausted: String? {
    switch systemError {
    case EMFILE:
      "this process has too many files open (its limit is \(Self.fileLimit)): close databases, "
        + "streams and snapshots that are not needed, or raise the limit with `ulimit -n`"
    case ENFILE: "the system has too many files open"
    case ENOMEM: "the system does not have enough memory"
    default: nil
    }
  }

  private static var fileLimit: String {
    var limit = rlimit()
    #if canImport(Glibc)
      let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
      let code = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return code == 0 ? "\(limit.rlim_cur)" : "unknown"
  }

  /// The message for a database whose `-wal` or `-shm` file could not be opened.
  private var companionCause: String {
    let reason = systemError == 0 ? "" : " (\(Self.words(systemError)))"
    return "its `-wal` or `-shm` file cannot be opened or created beside it\(reason): make its "
      + "folder writable, or use `Configuration.isImmutable` if nothing writes to the file"
  }

  private var tooLong: String {
    "the path has \(path.utf8.count) bytes, and SQLite opens paths of at most "
      + "\(Self.maximumPathBytes) after links are resolved: use a folder with a shorter path"
  }

  /// The message for a path at which there is no file.
  private var missing: String {
    if file.opened != nil {
      return "the file was moved or deleted while this database has it open; close the database, "
        + "and open the file at its new path"
    }
    errno = 0
    var buffer = stat()
    _ = stat(path, &buffer)
    switch errno {
    case ENAMETOOLONG:
      return path.utf8.count > Self.maximumPathBytes
        ? tooLong : "a name in the path is too long for the file system"
    case ELOOP: return "its symbolic links lead in a circle"
    case EACCES: return "this user may not access its folder"
    default: break
    }
    if path.utf8.count > Self.maximumPathBytes { return tooLong }
    if let obstacle = missingFolder { return obstacle }
    if let target = FileStatus.target(ofLink: path) {
      return "it is a symbolic link to \(target), which does not exist"
    }
    guard isReadOnly || !file.mayCreate else { return creationCause }
    let option = isReadOnly ? "opening read-only (`isReadOnly`, `isImmutable`)" : "`mode=rw`"
    return "there is no such file, and \(option) does not create one: check the path, or open "
      + "it once without that option"
  }

  /// The message if one of the folders in the path does not exist or is not a folder. Nil if all of
  /// them exist.
  private var missingFolder: String? {
    let folder = FileStatus.folder(of: path)
    guard FileStatus(following: folder)?.isFolder != true else { return nil }
    var obstacle = folder
    var parent = FileStatus.folder(of: obstacle)
    while FileStatus(following: parent)?.isFolder != true, parent != obstacle {
      obstacle = parent
      parent = FileStatus.folder(of: obstacle)
    }
    if let status = FileStatus(following: obstacle) {
      return status.isFolder ? nil : "\(obstacle) is not a folder, but \(status.noun)"
    }
    if let target = FileStatus.target(ofLink: obstacle) {
      return "the folder \(obstacle) is a symbolic link to \(target), which does not exist"
    }
    guard !isReadOnly, file.mayCreate else { return "the folder \(obstacle) does not exist" }
    return "the folder \(obstacle) does not exist; create it first, with "
      + "`try FileManager.default.createDirectory(atPath: \(folder.debugDescription), "
      + "withIntermediateDirectories: true)`"
  }

  /// The message for a file that could not be created although its folder exists.
  private var creationCause: String {
    let folder = FileStatus.folder(of: path)
    return switch systemError {
    case EACCES, EPERM: "this user may not create files in \(folder)"
    case EROFS: "the file system of \(folder) is mounted read-only"
    case ENOSPC, EDQUOT: "there is no space left in \(folder)"
    case 0: "it cannot be created in \(folder)"
    default: "it cannot be created in \(folder): \(Self.words(systemError))"
    }
  }

  // MARK: Read-only

  private var readOnlyCause: String {
    errno = 0
    let isFile = access(path, W_OK) != 0
    let reason =
      switch isFile ? errno : 0 {
      case EROFS: "its file system is mounted read-only"
      case EACCES, EPERM: "this user may not write to it"
      case 0: "it, its folder or its `-wal` file cannot be written"
      case let other: Self.words(other)
      }
    return "\(reason): open it with `Configuration.isReadOnly` to read it"
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
