import Apus
import ApusHummingbird
import Foundation
import Hummingbird
import Logging
import OrderModels
import ServiceLifecycle
import UnixSignals

@main
struct Program {
  static let usage = """
    OrderService migrate FILE               creates or migrates the database
    OrderService serve FILE [PORT] [COPY]   serves it until SIGTERM, and copies it every hour
    OrderService backup FILE COPY           copies it now, while others write

    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("OrderService: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    switch (arguments.first, arguments.dropFirst().first) {
    case ("migrate", let path?):
      let db = try Database.migrating(path, progress: report)
      try await db.close()
    case ("serve", let path?):
      let port = arguments.count > 2 ? Int(arguments[2]) ?? 8080 : 8080
      var logger = Logger(label: "OrderService")
      logger.logLevel = .notice
      try await OrderServer(
        db: try .serving(path), copy: arguments.count > 3 ? arguments[3] : nil, logger: logger
      ).run(port: port) { port in
        print("ready on port \(port)")
        fflush(nil)
      }
    case ("backup", let path?) where arguments.count == 3:
      let db = try Database.serving(path)
      try await db.backup(to: arguments[2], overwriting: true) {
        report("copying: \($0.completedPageCount) of \($0.pageCount) pages")
      }
      try await db.close()
    default:
      FileHandle.standardError.write(Data(usage.utf8))
      exit(2)
    }
  }

  /// Writes a line about the progress of a migration or a backup to standard error.
  private static func report(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}

/// The service. It has the routes, and the background services that run at the same time.
struct OrderServer: Sendable {
  let db: Database
  var copy: String?
  var packs = true
  let logger: Logger

  /// Runs the service until SIGTERM or SIGINT. Then the event streams end first, then the requests,
  /// then the background services. At the end, the database is closed.
  func run(
    port: Int, signals: [UnixSignal] = [.sigterm, .sigint],
    onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) async throws {
    let health = Health(db)
    let persist = DatabasePersistDriver(db)
    let newest = Order.order(by: \.$placedAt, .descending).limit(OrderRoutes.pageSize)
    let live = LiveEvents(db.observe(newest), logger: logger)
    let router = Router()
    OrderRoutes(db: db, persist: persist, live: live, health: health).add(to: router)
    var app = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { await onRunning($0.localAddress?.port ?? port) }, logger: logger)
    app.addServices(persist, live)
    if packs { app.addServices(Packer(db: db, logger: logger)) }
    if let copy {
      app.addServices(
        Backups(db: db, path: copy, interval: .seconds(3_600), logger: logger, health: health))
    }
    var configuration = ServiceGroupConfiguration(
      services: [app], gracefulShutdownSignals: signals, logger: logger)
    // A request that does not end must not keep the program alive.
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
    try await db.close()
  }
}
