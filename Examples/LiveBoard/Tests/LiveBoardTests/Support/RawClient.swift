import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A client that sends exactly the bytes that a test names, over a socket of its own.
struct RawClient: Sendable {
  struct Answer: Sendable {
    var status: Int
    var head: String
    var body: String

    /// The value of a header; nil if the answer lacks it.
    func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name.lowercased() {
          return parts[1].trimmingCharacters(in: .whitespaces)
        }
      }
      return nil
    }
  }

  let port: Int

  func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
    try await send("GET", path, headers)
  }

  func post(
    _ path: String, form: [String: String], _ headers: [String: String] = [:]
  ) async throws -> Answer {
    let body = form.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return try await send("POST", path, headers, Data(body.utf8))
  }

  func json(
    _ method: String, _ path: String, _ body: String, _ headers: [String: String] = [:]
  ) async throws -> Answer {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return try await send(method, path, headers, Data(body.utf8))
  }

  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: Data = Data()
  ) async throws -> Answer {
    var fields = ["Host": "localhost:\(port)", "Connection": "close"]
    if !body.isEmpty || method != "GET" { fields["Content-Length"] = "\(body.count)" }
    fields.merge(headers) { _, new in new }
    var request = Data("\(method) \(path) HTTP/1.1\r\n".utf8)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      request.append(Data("\(name): \(value)\r\n".utf8))
    }
    request.append(Data("\r\n".utf8) + body)
    let bytes = try await exchange(request, until: Self.isComplete)
    return try Self.parse(bytes)
  }

  /// Reads a stream of events until its text satisfies a condition, and returns the text.
  func events(
    _ path: String, _ headers: [String: String] = [:],
    until isEnough: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    var request = "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    let bytes = try await exchange(Data((request + "\r\n").utf8)) {
      isEnough(String(decoding: $0, as: UTF8.self))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends bytes and reads until the server closes the connection, or the condition holds, on a thread
  /// of its own.
  private func exchange(
    _ request: Data, until isEnough: @escaping @Sendable (Data) -> Bool
  ) async throws -> Data {
    let port = port
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try Self.exchange(request, port, isEnough) })
      }
    }
  }

  private static func exchange(
    _ request: Data, _ port: Int, _ isEnough: (Data) -> Bool
  ) throws -> Data {
    #if canImport(Glibc)
      let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let noSignal = Int32(MSG_NOSIGNAL)
    #else
      // The server ignores SIGPIPE for the whole process.
      let handle = socket(AF_INET, SOCK_STREAM, 0)
      let noSignal: Int32 = 0
    #endif
    guard handle >= 0 else { throw SocketError(call: "socket", code: errno) }
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw SocketError(call: "connect", code: errno) }
    var sent = 0
    request.withUnsafeBytes { bytes in
      while sent < bytes.count {
        // The server may refuse a request before it has read all of it.
        let count = Foundation.send(
          handle, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, noSignal)
        if count <= 0 { break }
        sent += count
      }
    }
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(answer) {
      let count = recv(handle, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer.append(contentsOf: buffer[..<count])
    }
    return answer
  }

  /// Whether the bytes are a whole answer, by the length in its head.
  private static func isComplete(_ bytes: Data) -> Bool {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)), let answer = try? parse(bytes) else {
      return false
    }
    let length = answer.header("Content-Length").flatMap { Int($0) } ?? 0
    return bytes.count >= end.upperBound + length
  }

  private static func parse(_ bytes: Data) throws -> Answer {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n"),
      let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw SocketError(call: "answer: \(text.prefix(200))", code: 0) }
    return Answer(
      status: status, head: String(text[..<end.lowerBound]), body: String(text[end.upperBound...]))
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

struct SocketError: Error {
  var call: String
  var code: Int32
}
