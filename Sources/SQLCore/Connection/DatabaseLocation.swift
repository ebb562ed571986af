import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where a database is: a file, or the memory of this process.
package enum DatabaseLocation: Hashable, Sendable {
  case file(String)
  case memory

  /// `":memory:"` and the empty path mean what they mean to SQLite: nothing on disk.
  package init(path: String) {
    self = path == ":memory:" || path.isEmpty ? .memory : .file(path)
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  private var path: String {
    switch self {
    case .file(let path): path
    case .memory: ":memory:"
    }
  }

  func open(readOnly: Bool, immutable: Bool = false) throws -> OpaquePointer {
    guard !path.utf8.contains(0) else {
      throw DatabaseError(code: .cannotOpen, message: "a path cannot hold U+0000")
    }
    if immutable, isFile { return try openImmutable() }
    let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    return try open(path, flags: access)
  }

  func open(_ name: String, flags: Int32) throws -> OpaquePointer {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle = opened else {
      let error = DatabaseError(code: code, handle: opened)
      sqlite3_close_v2(opened)
      throw describe(error)
    }
    return handle
  }

  /// Adds to an error of opening which file it was, and what may help.
  func describe(_ error: DatabaseError) -> DatabaseError {
    guard case .file(let path) = self else { return error }
    var described = error
    // To read alone, a folder opens, and fails at the first read.
    if error.code.primary == .ioError, isFolder { described.code = .cannotOpen }
    let advice: String? =
      switch described.code.primary {
      case .cannotOpen:
        "is it a folder, or does its folder not exist, or not allow writing? "
          + "`Configuration.isImmutable` opens a file that nobody writes"
      case .notADatabase: "the file is no SQLite database, or it is encrypted; it was not changed"
      case .readOnly: "open it with `Configuration.isReadOnly` to read it"
      case .busy: "another process holds it; a longer `busyTimeout` waits longer"
      default: nil
      }
    described.message = "\(path): \(error.message)" + (advice.map { " (\($0))" } ?? "")
    return described
  }

  private var isFolder: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
