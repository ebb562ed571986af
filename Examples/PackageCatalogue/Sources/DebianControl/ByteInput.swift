#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file that a reader's bytes come from.
///
/// It cannot be copied, so that a file that it opened itself is closed exactly once.
struct ByteInput: ~Copyable, Sendable {
  private enum File {
    /// All bytes are in the reader's buffer already.
    case none
    /// Opened by the caller, who also closes it.
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
    // The system would open the path before the NUL.
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

  /// Reads bytes into the array from `start` to its end. Returns their number, which is 0 at the
  /// end of the input.
  ///
  /// `line` is the line to name in an error.
  func fill(_ bytes: inout [UInt8], from start: Int, line: Int) throws(ControlError) -> Int {
    guard let descriptor else { return 0 }
    while true {
      // `read` writes into the memory of the array, from a start that is checked.
      let count = bytes.withUnsafeMutableBytes { memory in
        let free = UnsafeMutableRawBufferPointer(rebasing: memory[start...])
        return read(descriptor, free.baseAddress, free.count)
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR:
        continue
      case EAGAIN:
        // The descriptor does not block by itself, so this waits until there is something to read.
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
