#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The status of a path in the file system.
///
/// Reading the status does not open the file, because closing it again would release the locks that
/// SQLite holds on the file for this process.
/// - SeeAlso: <https://www.sqlite.org/howtocorrupt.html>
struct FileStatus {
  private let status: stat

  /// The identity of a file, whatever its name: its device and inode number.
  struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// Returns the status of a path; nil if the path does not exist. A symbolic link is not followed.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// Returns the status of the file or folder that a path leads to; nil if it leads to nothing.
  init?(following path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  var identity: Identity { Identity(status) }
  var isFolder: Bool { kind == S_IFDIR }
  var isFile: Bool { kind == S_IFREG }
  var isLink: Bool { kind == S_IFLNK }
  var permissions: mode_t { status.st_mode & 0o777 }

  /// The kind of file, in words such as `a folder`.
  var noun: String {
    switch kind {
    case S_IFREG: "a file"
    case S_IFDIR: "a folder"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "an object of an unknown kind"
    }
  }

  private var kind: mode_t { status.st_mode & S_IFMT }

  /// Whether two paths lead to the same existing file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard let one = FileStatus(following: first), let two = FileStatus(following: second) else {
      return false
    }
    return one.identity == two.identity
  }

  /// Returns the target of a symbolic link, as stored in the link; nil if the path is not a link.
  static func target(ofLink path: String) -> String? {
    guard FileStatus(path)?.isLink == true else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count >= 0 else { return nil }
      return String(
        decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Returns the folder that contains a path.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the last component of a path.
  static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }

  /// Synchronises a file to disk. No connection may have it open.
  static func synchronize(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  /// Synchronises the directory entries of a file's folder to disk, if the file system supports it.
  static func synchronizeFolder(of path: String) throws {
    let folder = folder(of: path)
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
