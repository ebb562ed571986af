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

  /// Which file it is, whatever its name.
  struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// The status of a file, a folder or a symbolic link itself; nil where there is nothing.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// The status of what a path leads to; nil where it leads to nothing.
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

  /// What it is, in words.
  var noun: String {
    switch kind {
    case S_IFREG: "a file"
    case S_IFDIR: "a folder"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "no file"
    }
  }

  private var kind: mode_t { status.st_mode & S_IFMT }

  /// Whether two paths lead to one file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard let one = FileStatus(following: first), let two = FileStatus(following: second) else {
      return false
    }
    return one.identity == two.identity
  }

  /// The path of a symbolic link's target, as the link has it; nil for what is no link.
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

  /// The folder in which a path lies.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last name of a path.
  static func name(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
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
