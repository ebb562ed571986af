import ApusHummingbird
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// A server on a free port of the loopback interface.
struct TestServer: Sendable {
  let port: Int
  private let group: ServiceGroup

  /// Runs a test with a server, and shuts the server down gracefully after it.
  static func run(
    _ router: Router<BasicRequestContext>, services: [any Service] = [], logger: Logger? = nil,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let logger = logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    var app = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { found.yield($0.localAddress?.port ?? 0) }, logger: logger)
    for service in services { app.addServices(service) }
    let group = ServiceGroup(services: [app], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { found.finish() }
        try await group.run()
      }
      for await port in ports {
        try await body(TestServer(port: port, group: group))
        break
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  /// Begins what SIGTERM begins.
  func shutDown() async { await group.triggerGracefulShutdown() }

  func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
    try await Wire.answer(port, "GET", path, headers)
  }

  /// Opens a stream of events.
  func events(_ path: String, _ headers: [String: String] = [:]) throws -> Wire {
    let wire = try Wire(port: port)
    try wire.request("GET", path, headers)
    return wire
  }
}
