import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension DatabaseLocation {
  /// Opens a file that nobody writes, without locks and without anything beside it.
  func openImmutable() throws -> OpaquePointer {
    guard case .file(let path) = self else { return try open(readOnly: true) }
    try requireNothingPending(beside: path)
    // Only a URI can say it.
    let name = (path.hasPrefix("/") ? "file://" : "file:") + Self.percentEncoded(path)
    return try open(name + "?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  /// SQLite neither reads the log of an immutable file nor rolls its journal back.
  private func requireNothingPending(beside path: String) throws {
    // The log stands beside the file, not beside a link to it.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let place = resolved.map { String(cString: $0) } ?? path
    for suffix in ["-wal", "-journal"] {
      // A journal that is kept for the next time begins with zeros.
      guard let first = Self.firstByte(of: place + suffix), first != 0 else { continue }
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): \(place)\(suffix) holds changes that are not in the file yet; open it "
          + "once where it can be written, and close it, before it is opened as immutable")
    }
  }

  /// nil where the file is empty, or there is none.
  private static func firstByte(of path: String) -> UInt8? {
    let descriptor = Self.openToRead(path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// By its own name: a method of this type hides the one of the system.
  private static func openToRead(_ path: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Musl)
      Musl.open(path, O_RDONLY | O_CLOEXEC)
    #endif
  }

  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
