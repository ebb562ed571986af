#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The input from which a reader gets its bytes: a file, or nothing if all bytes are in memory.
///
/// The type cannot be copied. So if it has opened the file itself, the file is closed exactly once.
struct ByteInput: ~Copyable, Sendable {
  private enum File {
    /// There is no file. All bytes are already in the reader's buffer.
    case none
    /// A file that the caller has opened, and closes.
    case borrowed(Int32)
    /// Opened here.
    case owned(Int32)
  }

  private let file: File

  /// The name of the input in error messages.
  let name: String

  init() {
    file = .none
    name = "memory"
  }

  init(descriptor: Int32) {
    file = .borrowed(descriptor)
    name = descriptor == STDIN_FILENO ? "standard input" : "file descriptor \(descriptor)"
  }

  init(path: String) throws(ControlError) {
    // The system ends a path at a NUL byte, so it would open another file.
    guard !path.utf8.contains(0) else {
      throw .cannotOpen(path: path, reason: "the path contains a NUL byte")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: reason(of: errno)) }
    file = .owned(descriptor)
    name = path
  }

  deinit {
    if case .owned(let descriptor) = file { close(descriptor) }
  }

  private var descriptor: Int32? {
    switch file {
    case .none: nil
    case .borrowed(let descriptor), .owned(let descriptor): descriptor
    }
  }

  /// The size of the input, if it is a regular file; nil if not.
  var byteCount: Int? {
    guard let descriptor else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Reads bytes into the part of the array that begins at `start`. Returns their number, which is
  /// 0 at the end of the input.
  ///
  /// If reading fails, the error names `line`.
  func fill(_ bytes: inout [UInt8], from start: Int, line: Int) throws(ControlError) -> Int {
    guard let descriptor else { return 0 }
    while true {
      // `read` writes directly into the memory of the array. The subscript checks that `start` is
      // within the array.
      let count = bytes.withUnsafeMutableBytes { memory in
        let free = UnsafeMutableRawBufferPointer(rebasing: memory[start...])
        return read(descriptor, free.baseAddress, free.count)
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR:
        continue
      case EAGAIN:
        // The caller has opened the descriptor in non-blocking mode, so `poll` waits until there is
        // something to read.
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&interest, 1, -1)
      case let code:
        throw .cannotRead(source: name, line: line, reason: reason(of: code))
      }
    }
  }
}

private func reason(of code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
