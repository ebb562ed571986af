import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An answer as it was sent.
struct Answer {
  var status: Int
  var head: String
  var body: String

  init(_ text: String) {
    let parts = text.components(separatedBy: "\r\n\r\n")
    head = parts[0]
    body = parts.dropFirst().joined(separator: "\r\n\r\n")
    status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  func header(_ name: String) -> String? {
    for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("\(name): ")
    {
      return String(line.dropFirst(name.count + 2))
    }
    return nil
  }
}

/// A connection on which a test sends and receives exactly what it says. Reading blocks a thread of its
/// own.
final class Wire: Sendable {
  struct Failure: Error {
    var call: String
    var code = errno
  }

  private let handle: Int32

  init(port: Int, receiveBuffer: Int32? = nil) throws {
    #if canImport(Glibc)
      handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      handle = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard handle >= 0 else { throw Failure(call: "socket") }
    if var size = receiveBuffer {
      setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(call: "connect") }
  }

  deinit { close(handle) }

  /// Whether an answer that has no length is complete.
  static let isEnd: @Sendable (String) -> Bool = { $0.hasSuffix("0\r\n\r\n") }

  /// Sends a request on a connection of its own, and returns the answer.
  static func answer(
    _ port: Int, _ method: String, _ path: String, _ headers: [String: String] = [:],
    body: String = ""
  ) async throws -> Answer {
    let wire = try Wire(port: port)
    var headers = headers
    headers["Connection"] = "close"
    try wire.request(method, path, headers, body: body)
    return Answer(try await wire.read())
  }

  func request(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: String = ""
  ) throws {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Type: application/json\r\n" }
    if !body.isEmpty || method != "GET" { text += "Content-Length: \(body.utf8.count)\r\n" }
    let bytes = Array("\(text)\r\n\(body)".utf8)
    guard send(handle, bytes, bytes.count, 0) == bytes.count else { throw Failure(call: "send") }
  }

  /// Reads until the server closes the connection, or the text so far satisfies a condition.
  func read(until isEnough: (@Sendable (String) -> Bool)? = nil) async throws -> String {
    let handle = handle
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while isEnough.map({ !$0(String(decoding: data, as: UTF8.self)) }) ?? true {
          let count = recv(handle, &buffer, buffer.count, 0)
          // The server may also reset the connection.
          guard count > 0 else { break }
          data.append(contentsOf: buffer[..<count])
        }
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }
}

/// An event as a client receives it.
struct Received: Equatable {
  var id = ""
  var name = ""
  var data = ""

  /// Parses the events of a stream, whose parts have lines with their sizes between them.
  static func all(in text: String) -> [Received] {
    var events: [Received] = []
    var event = Received()
    let text = text.replacing("\r\n", with: "\n")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let value = line.drop { $0 != ":" }.dropFirst(2)
      if line.hasPrefix("id: ") { event.id = String(value) }
      if line.hasPrefix("event: ") { event.name = String(value) }
      if line.hasPrefix("data: ") { event.data += event.data.isEmpty ? "\(value)" : "\n\(value)" }
      if line.isEmpty, !event.name.isEmpty {
        events.append(event)
        event = Received()
      }
    }
    return events
  }
}
