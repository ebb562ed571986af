import Foundation

/// The process at the other end of a Unix socket. Messages are lines of JSON.
final class Peer {
  private let file: FileHandle
  private var received = Data()

  private init(_ descriptor: Int32) {
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func send(_ message: some Encodable) throws {
    try file.write(contentsOf: JSONEncoder().encode(message) + Data("\n".utf8))
  }

  /// Waits for the next message. Throws `SocketError` if the other side ends the connection.
  func receive<Message: Decodable>(_ type: Message.Type) throws -> Message {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received = Data(received[(end + 1)...]) }
        return try JSONDecoder().decode(type, from: received[..<end])
      }
      // `availableData` waits for the first bytes only, and returns those that have arrived.
      // `read(upToCount:)` would wait until the given number of bytes has arrived.
      let data = file.availableData
      guard !data.isEmpty else { throw SocketError(action: "receive", code: ECONNRESET) }
      received += data
    }
  }
}

/// The error that is thrown if a call of the operating system fails.
struct SocketError: Error, CustomStringConvertible {
  let action: String
  var code = errno

  var description: String { "\(action): \(String(cString: strerror(code)))" }
}

// MARK: Connecting

extension Peer {
  /// Creates a socket at a path, and waits until one process connects to it.
  static func waiting(at path: String) throws -> Peer {
    let socket = try newSocket()
    defer {
      close(socket)
      unlink(path)
    }
    unlink(path)
    guard try withAddress(path, { bind(socket, $0, $1) }) == 0, listen(socket, 1) == 0 else {
      throw SocketError(action: "listen at \(path)")
    }
    let descriptor = accept(socket, nil, nil)
    guard descriptor >= 0 else { throw SocketError(action: "accept") }
    return Peer(descriptor)
  }

  /// Connects to the socket at a path. If no process waits there yet, it tries again for some
  /// seconds.
  static func connecting(to path: String) throws -> Peer {
    for _ in 0..<200 {
      let socket = try newSocket()
      if try withAddress(path, { connect(socket, $0, $1) }) == 0 { return Peer(socket) }
      let error = SocketError(action: "connect to \(path)")
      close(socket)
      guard [ENOENT, ECONNREFUSED].contains(error.code) else { throw error }
      usleep(50_000)
    }
    throw SocketError(action: "connect to \(path)", code: ETIMEDOUT)
  }

  private static func newSocket() throws -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw SocketError(action: "socket") }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let hasRoom = withUnsafeMutableBytes(of: &address.sun_path) { room in
      room.copyBytes(from: path.utf8)
      return path.utf8.count < room.count
    }
    guard hasRoom else { throw SocketError(action: path, code: ENAMETOOLONG) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
