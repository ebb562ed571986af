import Apus
import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

/// The web application: its routes, and the services that it consists of.
struct BoardServer: Sendable {
  let board: Board
  let feed: BoardFeed
  let logger: Logger

  init(board: Board, logger: Logger) {
    self.board = board
    self.logger = logger
    feed = BoardFeed(board: board, logger: logger)
  }

  var router: Router<BoardContext> {
    let router = Router(context: BoardContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityMiddleware())
    router.add(middleware: RefusalMiddleware())
    router.add(middleware: PersonMiddleware(board: board))
    addPages(to: router)
    addForms(to: router)
    addEvents(to: router)
    addAPI(to: router)
    addFiles(to: router)
    return router
  }

  /// Runs the server on a loopback address until it is stopped by SIGTERM or SIGINT.
  func run(
    host: String = "127.0.0.1", port: Int, signals: [UnixSignal] = [.sigterm, .sigint],
    onRunning: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    var app = Application(
      router: router, configuration: .init(address: .hostname(host, port: port)),
      onServerRunning: { await onRunning($0.localAddress?.port ?? port) }, logger: logger)
    app.addServices(feed)
    var configuration = ServiceGroupConfiguration(
      services: [app], gracefulShutdownSignals: signals, logger: logger)
    // A client that does not read its answer must not keep the server alive.
    configuration.maximumGracefulShutdownDuration = .seconds(1)
    try await ServiceGroup(configuration: configuration).run()
  }
}
