#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension DatabaseFile {
  /// Throws if a log or a journal beside the file holds changes. SQLite neither reads the log of an
  /// immutable file nor rolls back its journal.
  func requireNothingPending() throws {
    // SQLite keeps the log beside the file itself, not beside a link to it.
    let resolved = realpath(realPath, nil)
    defer { free(resolved) }
    let place = resolved.map { String(cString: $0) } ?? realPath
    for suffix in ["-wal", "-journal"] {
      // A journal that SQLite keeps for reuse begins with zeros.
      guard let first = Self.firstByte(of: place + suffix), first != 0 else { continue }
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): \(place)\(suffix) holds changes that are not in the file yet; "
          + "before you open the file as immutable, open it once for writing and close it")
    }
  }

  /// Returns the first byte of a file; nil if the file is empty or does not exist.
  private static func firstByte(of path: String) -> UInt8? {
    let descriptor = Self.openToRead(path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// A function of its own, since it must name the module: methods of this type hide the system's
  /// `open`.
  private static func openToRead(_ path: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Musl)
      Musl.open(path, O_RDONLY | O_CLOEXEC)
    #endif
  }
}
