#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the file system says of a path.
///
/// The file is never opened to find out: closing it again would drop the locks that SQLite holds on
/// it for this process.
/// - SeeAlso: <https://www.sqlite.org/howtocorrupt.html>
struct FileStatus {
  private let status: stat

  /// nil where there is nothing, not even a symbolic link.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var permissions: mode_t { status.st_mode & 0o777 }

  /// Whether two paths lead to one file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    var one = stat()
    var two = stat()
    guard stat(first, &one) == 0, stat(second, &two) == 0 else { return false }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Forces a file that nobody has open to disk.
  static func synchronize(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  /// Forces the names in a file's folder to disk, as far as the file system can.
  static func synchronizeFolder(of path: String) throws {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("write", folder) }
  }

  private static func failure(_ verb: String, _ path: String) -> DatabaseError {
    DatabaseError(
      code: .ioError, message: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
  }
}
