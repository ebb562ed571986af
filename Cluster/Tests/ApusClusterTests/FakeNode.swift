import ApusCluster
import ClusterNodes
import Foundation

/// A program that leads a cluster of its own, and gives one answer to every statement: one that no
/// node of dqlite would give, for example.
///
/// `@unchecked Sendable`: the lock guards the number of statements; everything else is constant.
final class FakeNode: @unchecked Sendable {
  /// A message of the protocol: its type, and the words of its body.
  struct Message: Sendable {
    var type: UInt8 = 7
    var words: [UInt64]
  }

  private struct Failed: Error {}

  private let address: String
  private let descriptor: Int32
  private let answer: [Message]
  private let lock = NSLock()
  private var count = 0

  init(answer: [Message]) throws {
    let port = FreePorts.next(1).lowerBound
    address = "127.0.0.1:\(port)"
    self.answer = answer
    // A client that is gone must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    // SOCK_STREAM, which has another type on each system.
    let stream: Int32 = 1
    descriptor = socket(AF_INET, stream, 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = in_port_t(port).bigEndian
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0, listen(descriptor, 16) == 0 else {
      close(descriptor)
      throw Failed()
    }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { break }
        Thread.detachNewThread { [self] in
          serve(client)
          close(client)
        }
      }
      close(descriptor)
    }
  }

  /// A description of the cluster.
  var cluster: Cluster { Cluster(nodes: [address], database: "test") }

  /// The number of statements that were received.
  var statementCount: Int { lock.withLock { count } }

  /// Ends the thread that waits for clients.
  func stop() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func serve(_ client: Int32) {
    // The version of the protocol.
    guard receive(8, from: client) != nil else { return }
    while let head = receive(8, from: client), let length = Self.words(head).first,
      receive(Int(length & 0xFFFF_FFFF) * 8, from: client) != nil
    {
      switch head[4] {
      case 0:
        let text = Array(address.utf8)
        let end = [UInt8](repeating: 0, count: 8 - text.count % 8)
        send([Message(type: 1, words: [1] + Self.words(text + end))], to: client)
      case 3:
        send([Message(type: 4, words: [0])], to: client)
      default:
        lock.withLock { count += 1 }
        send(answer, to: client)
      }
    }
  }

  private static func words(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
  }

  private func receive(_ count: Int, from client: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let start = filled
      let read = bytes.withUnsafeMutableBytes {
        recv(client, $0.baseAddress?.advanced(by: start), count - start, 0)
      }
      guard read > 0 else { return nil }
      filled += read
    }
    return bytes
  }

  private func send(_ messages: [Message], to client: Int32) {
    var bytes: [UInt8] = []
    for message in messages {
      let head = UInt64(message.type) << 32 | UInt64(message.words.count)
      for word in [head] + message.words {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    _ = bytes.withUnsafeBytes { Foundation.send(client, $0.baseAddress, $0.count, 0) }
  }
}
