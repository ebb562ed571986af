import Apus
import Foundation
import OrderModels
import Testing

@testable import OrderService

/// The program in processes of its own, on a file of its own.
struct Deployment: Sendable {
  let folder: URL
  var path: String { folder.appending(path: "orders.sqlite").path }
  /// The standard error of the last command.
  var log: String {
    get throws { try String(contentsOf: logFile, encoding: .utf8) }
  }
  private var logFile: URL { folder.appending(path: "log") }

  static func run(_ body: (Deployment) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "orders-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let deployment = Deployment(folder: folder)
    try #require(try await deployment.command("migrate", deployment.path) == 0)
    try await body(deployment)
  }

  private static let program = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "OrderService")

  /// Runs a command to its end, and returns its status.
  func command(_ arguments: String...) async throws -> Int32 {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    try Data().write(to: logFile)
    process.standardError = try FileHandle(forWritingTo: logFile)
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }

  /// A process that serves the file.
  final class Server: Sendable {
    let port: Int
    private let process: Process

    init(_ path: String) async throws {
      let (process, output) = (Process(), Pipe())
      process.executableURL = Deployment.program
      process.arguments = ["serve", path, "0"]
      process.standardOutput = output
      try process.run()
      let line = try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            returning: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
        }
      }
      self.process = process
      port = try #require(line.split(separator: " ").last.flatMap { Int($0.dropLast()) })
    }

    func post(_ order: NewOrder) async throws -> Answer {
      let body = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
      return try await Wire.answer(port, "POST", "/orders", body: body)
    }

    /// Sends SIGTERM, and returns the status with which the process ends.
    func stop() async -> Int32 {
      process.terminate()
      return await withCheckedContinuation { continuation in
        Thread.detachNewThread { [process] in
          process.waitUntilExit()
          continuation.resume(returning: process.terminationStatus)
        }
      }
    }

    deinit { if process.isRunning { process.terminate() } }
  }
}

@Suite struct ServiceTests {
  private static func order(_ customer: String, _ item: String = "Seeds") -> NewOrder {
    NewOrder(customer: customer, item: item, quantity: 1)
  }

  private static func orders(in answer: Answer) throws -> [Order] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Order].self, from: Data(answer.body.utf8))
  }

  @Test func `Two processes share the orders, the packing and the limits, and end on SIGTERM`()
    async throws
  {
    try await Deployment.run { deployment in
      let servers = [
        try await Deployment.Server(deployment.path), try await Deployment.Server(deployment.path),
      ]
      let streams = try servers.map { server in
        let wire = try Wire(port: server.port)
        try wire.request("GET", "/orders/events")
        return wire
      }
      for stream in streams { _ = try await stream.read { $0.contains("event: rows") } }
      var statuses: [Int: Int] = [:]
      for number in 0..<64 {
        statuses[try await servers[number % 2].post(Self.order("Ada")).status, default: 0] += 1
      }
      #expect(statuses == [201: 60, 429: 4])
      #expect(try await servers[0].post(Self.order("Bob", "Nesting box")).status == 201)
      for stream in streams { _ = try await stream.read { $0.contains("Nesting box") } }

      // Every order is packed by one of them.
      let db = try Database(path: deployment.path, models: OrderStore.models)
      for try await count in db.observe({ try $0.count(Packer.placed) }) where count == 0 { break }
      #expect(try await db.count(Order.all) == 61)

      // Pages of one process are continued by the other.
      let first = try await Wire.answer(servers[0].port, "GET", "/orders")
      let next = try #require(first.header("link")).dropFirst().prefix { $0 != ">" }
      let second = try await Wire.answer(servers[1].port, "GET", String(next))
      let shown = try Self.orders(in: first) + Self.orders(in: second)
      let newest = try await db.fetch(Order.page(by: OrderStore.newest).limit(40))
      #expect(shown.map(\.id) == newest.map(\.id))

      for server in servers { #expect(await server.stop() == 0) }
      for stream in streams { #expect(try await stream.read().hasSuffix("0\r\n\r\n")) }
    }
  }

  @Test func `Bad requests are refused without details of the database`() async throws {
    try await Deployment.run { deployment in
      let server = try await Deployment.Server(deployment.path)
      #expect(try await server.post(Self.order("")).status == 422)
      var many = Self.order("Ada")
      many.quantity = 1_000
      #expect(try await server.post(many).status == 422)
      #expect(try await Wire.answer(server.port, "POST", "/orders", body: "{}").status == 400)
      #expect(try await Wire.answer(server.port, "GET", "/orders/7").status == 404)
      #expect(try await Wire.answer(server.port, "GET", "/orders?after=7").status == 400)
      let refused = try await server.post(Self.order(String(repeating: "x", count: 81)))
      #expect(refused.body.contains(#""columns":["customer"]"#) && !refused.body.contains("SELECT"))
      #expect(await server.stop() == 0)
    }
  }

  @Test func `A service that another process locks out is alive, and not ready`() async throws {
    try await Deployment.run { deployment in
      let server = try await Deployment.Server(deployment.path)
      func status(_ path: String) async throws -> Int {
        try await Wire.answer(server.port, "GET", path).status
      }
      #expect(try await status("/health/ready") == 200)
      let other = try Connection(path: deployment.path)
      try other.execute("BEGIN IMMEDIATE")
      #expect(try await status("/health/ready") == 503)
      #expect(try await status("/health/live") == 200)
      #expect(try await status("/orders") == 200)
      try other.execute("ROLLBACK")
      #expect(try await status("/health/ready") == 200)
      #expect(await server.stop() == 0)
    }
  }

  @Test func `A copy that is made while others write is whole`() async throws {
    try await Deployment.run { deployment in
      let server = try await Deployment.Server(deployment.path)
      let copy = deployment.folder.appending(path: "copy.sqlite").path
      async let status = deployment.command("backup", deployment.path, copy)
      for number in 0..<100 {
        #expect(try await server.post(Self.order("Customer \(number)")).status == 201)
      }
      #expect(try await status == 0)
      #expect(try deployment.log.contains(/copying: (\d+) of \1 pages\n$/))
      let restored = try Database(path: copy, models: OrderStore.models)
      #expect(try await restored.fetch(String.self, "PRAGMA integrity_check") == ["ok"])
      #expect(try await restored.count(Order.all) <= 100)
      #expect(await server.stop() == 0)
    }
  }

  // MARK: Deployments

  /// The order of the next version of the program: a column, a state and a detail are new.
  struct NextOrder: Model {
    static let tableName = "Order"

    struct Details: Codable, Hashable, Sendable {
      var item: String
      var quantity: Int
      var isGift: Bool?
      var color: String?
    }

    @PrimaryKey var id = Unique64()
    @Column var customer: String
    @Column var state: String = "placed"
    @Column var details: JSON<Details>
    @Column var placedAt = Date()
    @Column var carrier: String?

    static var schema: Schema<NextOrder> {
      Index(\.$placedAt)
      Index(\.$state)
      Check { $0.$customer.length() > 0 && $0.$customer.length() <= 80 }
    }
  }

  @Test func `A migration by the next version suits the old one, which goes on and starts again`()
    async throws
  {
    try await Deployment.run { deployment in
      let old = try await Deployment.Server(deployment.path)
      #expect(try await old.post(Self.order("Ada")).status == 201)
      let next = try Database(
        path: deployment.path, models: [NextOrder.self],
        migration: MigrationOptions(schemaVersion: OrderStore.schemaVersion + 1))
      let sent = NextOrder(
        customer: "Bob", state: "sent",
        details: JSON(.init(item: "Pot", quantity: 2, color: "red")), carrier: "Owl Post")
      try await next.insert(sent)
      // The newer program reads the rows of the older one, and the other way round.
      #expect(
        try await next.fetch(NextOrder.order(by: \.$placedAt)).map(\.customer) == ["Ada", "Bob"])
      for _ in 0..<2 {
        let server = try await Deployment.Server(deployment.path)
        let order = try Self.orders(
          in: try await Wire.answer(server.port, "GET", "/orders"))[0]
        #expect(order.customer == "Bob" && order.state == .unknown("sent"))
        #expect(order.details.value == OrderDetails(item: "Pot", quantity: 2))
        #expect(await server.stop() == 0)
      }
      #expect(try await old.post(Self.order("Cid")).status == 201)
      #expect(await old.stop() == 0)
      // The step of the older deployment changes nothing either.
      #expect(try await deployment.command("migrate", deployment.path) == 0)
      #expect(
        try await next.fetch(NextOrder.where { $0.$carrier == "Owl Post" }).map(\.id) == [sent.id])
    }
  }

  @Test func `A service does not start on a file that it would have to migrate`() async throws {
    try await Deployment.run { deployment in
      let db = try Database(path: deployment.path)
      try await db.execute(
        """
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
        INSERT INTO "Order" (id, customer, state, details, placedAt)
        SELECT i, 'Ada', 'packed', '{"item":"Seeds","quantity":1,"isGift":false}', i FROM n;
        DROP INDEX Order_on_placedAt
        """)
      #expect(try await deployment.command("serve", deployment.path) == 1)
      #expect(try await deployment.command("migrate", deployment.path) == 0)
      // The log of the deployment says how far the index has come.
      let log = try deployment.log
      #expect(log.contains(/Order: 1\d{4} of 25000 rows\n/), "\(log)")
      let server = try await Deployment.Server(deployment.path)
      #expect(await server.stop() == 0)
    }
  }

  @Test func `Rows of the first version, without the newer detail, can be read`() async throws {
    try await Deployment.run { deployment in
      let db = try Database(path: deployment.path)
      try await db.execute(
        """
        INSERT INTO "Order" (id, customer, state, details, placedAt)
        VALUES (1, 'Ada', 'placed', '{"item":"Seeds","quantity":3}', 1767225600000000)
        """)
      let orders = try Database(path: deployment.path, models: OrderStore.models)
      #expect(
        try await orders.find(Order.self, Unique64(rawValue: 1))?.details.value
          == OrderDetails(item: "Seeds", quantity: 3))
    }
  }
}
