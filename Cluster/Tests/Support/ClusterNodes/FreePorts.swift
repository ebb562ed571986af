import Foundation

/// Free ports of the loopback interface.
package enum FreePorts {
  private static let lock = NSLock()
  /// Ports stay taken while this process runs: a node that was killed is started again at its own.
  nonisolated(unsafe) private static var taken: Set<Int> = []

  /// Returns ports in a row, below those that the system gives to clients.
  package static func next(_ count: Int) -> Range<Int> {
    lock.withLock {
      while true {
        let first = Int.random(in: 10_000..<30_000)
        let ports = first..<first + count
        guard taken.isDisjoint(with: ports), ports.allSatisfy(isFree) else { continue }
        taken.formUnion(ports)
        return ports
      }
    }
  }

  /// Whether a server could listen at a port.
  private static func isFree(_ port: Int) -> Bool {
    // SOCK_STREAM, which has another type on each system.
    let stream: Int32 = 1
    let descriptor = socket(AF_INET, stream, 0)
    // A process that has no room for a socket fails where it needs one.
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
