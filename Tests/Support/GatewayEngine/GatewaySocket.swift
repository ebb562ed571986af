import Foundation
import SQLCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A request of a test to the gateway.
struct GatewayRequest: Codable {
  enum Kind: String, Codable { case open, rows, run }

  var kind: Kind
  /// The statement, or the name of the database.
  var text: String
  var values: [GatewayValue] = []
  var isReader = false
  var isReadOnly = false
  var isInTransaction = false
  /// The names of the columns, and their declared types.
  var columnNames: [String] = []
  var columnTypes: [String?] = []
}

/// The answer of the gateway: an outcome, all rows of a query, or an error.
struct GatewayAnswer: Codable {
  var lastInsertRowID: Int64 = 0
  var changeCount = 0
  var columnCount = 0
  var values: [GatewayValue] = []
  /// The code of SQLite's error, if the statement failed.
  var errorCode: Int32?
  /// Whether the outcome is unknown, if the session was lost.
  var isUnknown: Bool?
  var message = ""
}

enum GatewayValue: Codable {
  case null
  case integer(Int64)
  /// The bits of a real number, so that none is rounded.
  case real(UInt64)
  /// The bytes of a text: a property list would change some of its characters.
  case text(Data)
  case blob(Data)

  init(_ value: DatabaseValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real.bitPattern)
      case .text(let text): .text(Data(text.utf8))
      case .invalidText(let data): .text(data)
      case .blob(let data): .blob(data)
      }
  }

  var value: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let bits): .real(Double(bitPattern: bits))
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let data): .blob(data)
    }
  }
}

/// A Unix socket that carries property lists, each after its length. One thread at a time uses it.
final class GatewaySocket: @unchecked Sendable {
  private var descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  convenience init(connectingTo path: String) throws {
    self.init(Self.open())
    let code = Self.withAddress(path) { Foundation.connect(descriptor, $0, $1) }
    guard code == 0 else {
      close()
      throw RemoteSessionError(outcome: .notRun, message: "there is no gateway at \(path)")
    }
  }

  convenience init(listeningAt path: String) throws {
    self.init(Self.open())
    let code = Self.withAddress(path) { Foundation.bind(descriptor, $0, $1) }
    guard code == 0, Foundation.listen(descriptor, 256) == 0 else {
      close()
      throw RemoteSessionError(outcome: .notRun, message: "cannot listen at \(path)")
    }
  }

  private static func open() -> Int32 {
    #if os(Linux)
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  var isOpen: Bool { descriptor >= 0 }

  /// Waits for a client. Returns nil when the socket is closed.
  func accept() -> GatewaySocket? {
    let client = Foundation.accept(descriptor, nil, nil)
    return client >= 0 ? GatewaySocket(client) : nil
  }

  func close() {
    guard descriptor >= 0 else { return }
    // What still waits for this socket returns.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
    descriptor = -1
  }

  /// Whether the other side has gone.
  var isAbandoned: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, peeking) <= 0
  }

  func send<Message: Encodable>(_ message: Message) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let body = try encoder.encode(message)
    var rest = withUnsafeBytes(of: UInt32(body.count)) { Data($0) } + body
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal)
      }
      guard count > 0 else { throw Self.lost }
      rest = Data(rest.dropFirst(count))
    }
  }

  /// Waits for a message. Returns nil if the other side has gone.
  func receive<Message: Decodable>(
    _ type: Message.Type, isStopped: () -> Bool = { false }
  ) throws -> Message? {
    guard let head = try receive(4, isStopped) else { return nil }
    let length = head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    guard let body = try receive(Int(length), isStopped) else { return nil }
    return try PropertyListDecoder().decode(type, from: body)
  }

  private func receive(_ count: Int, _ isStopped: () -> Bool) throws -> Data? {
    var bytes = Data(count: count)
    var filled = 0
    while filled < count {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 20) > 0 else {
        if isStopped() { throw Self.lost }
        continue
      }
      let start = filled
      let read = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: start), count - start, 0)
      }
      guard read > 0 else { return nil }
      filled += read
    }
    return bytes
  }

  private static let lost = RemoteSessionError(
    outcome: .unknown, message: "the connection with the gateway was lost")
}

#if os(Linux)
  private let peeking = Int32(MSG_PEEK)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let peeking = MSG_PEEK
  private let noSignal: Int32 = 0
#endif
