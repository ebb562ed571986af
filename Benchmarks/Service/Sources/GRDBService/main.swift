// The same service as Examples/Service, but built on GRDB, so that the two can be compared. Both
// have the same file, statements, answers, durability, number of readers and background work. Both
// write their event streams with `EventFeed`.
import ApusHummingbird
import Foundation
import GRDB
import Hummingbird
import Logging
import ServiceLifecycle

struct Details: Codable, Sendable {
  var item: String
  var quantity: Int
  var isGift = false
}

struct Order: Codable, Sendable, FetchableRecord, PersistableRecord, ResponseEncodable {
  static let databaseTableName = "Order"

  var id: Int64
  var customer: String
  var state: String
  var details: Details
  var placedAt: Date

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .custom { value in
      Int64.fromDatabaseValue(value).map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
    }
  }
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .custom { Int64(($0.timeIntervalSince1970 * 1_000_000).rounded()) }
  }

  static let newest = order(Column("placedAt").desc, Column("id").desc).limit(20)
}

struct NewOrder: Codable {
  var customer: String
  var item: String
  var quantity: Int
  var isGift: Bool?
}

let path = CommandLine.arguments[1]
var configuration = GRDB.Configuration()
configuration.maximumReaderCount = 4
configuration.busyMode = .timeout(5)
configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
let pool = try DatabasePool(path: path, configuration: configuration)

let router = Router()
router.get("orders") { request, context in
  let page = try await pool.read { try Order.newest.fetchAll($0) }
  return try context.responseEncoder.encode(page, from: request, context: context)
}
router.post("orders") { request, context in
  let new = try await request.decode(as: NewOrder.self, context: context)
  guard (1...100).contains(new.quantity) else { throw HTTPError(.unprocessableContent) }
  let now = Int64(Date().timeIntervalSince1970 * 1_000)
  let uses = try await pool.write { db in
    try Int.fetchOne(
      db,
      sql: """
        INSERT INTO PersistedValue (key, value, expiresAt) VALUES (?, '1', ?)
        ON CONFLICT (key) DO UPDATE SET
          value = iif(expiresAt > ?, CAST(value AS INTEGER) + 1, '1'),
          expiresAt = iif(expiresAt > ?, expiresAt, excluded.expiresAt)
        RETURNING CAST(value AS INTEGER)
        """, arguments: ["orders of \(new.customer)", now + 60_000, now, now]) ?? 0
  }
  guard uses <= 60 else { throw HTTPError(.tooManyRequests) }
  let order = Order(
    id: .random(in: 1 ... .max), customer: new.customer, state: "placed",
    details: Details(item: new.item, quantity: new.quantity, isGift: new.isGift ?? false),
    placedAt: Date())
  try await pool.write { try order.insert($0) }
  var response = try context.responseEncoder.encode(order, from: request, context: context)
  response.status = .created
  return response
}
let feed = EventFeed<Never>()
router.get("orders/events") { request, _ in
  try feed.response(to: request) { _ in
    let page = try await pool.read { try Order.newest.fetchAll($0) }
    return ([try ServerSentEvent("rows", json: page)], feed.position)
  }
}
router.get("orders/:id") { request, context in
  let id = try context.parameters.require("id", as: Int64.self)
  guard let order = try await pool.read({ try Order.fetchOne($0, key: id) }) else {
    throw HTTPError(.notFound)
  }
  return try context.responseEncoder.encode(order, from: request, context: context)
}

/// Sends the newest orders after each change.
struct Following: Service {
  func run() async throws {
    feed.open()
    await cancelWhenGracefulShutdown {
      let observation = ValueObservation.tracking { try Order.newest.fetchAll($0) }
      do {
        for try await orders in observation.values(in: pool) {
          feed.send(try ServerSentEvent("rows", json: orders))
        }
      } catch {}
    }
  }
}

/// Packs the orders that were placed.
struct Packing: Service {
  func run() async throws {
    await cancelWhenGracefulShutdown {
      let placed = Order.filter(Column("state") == "placed")
      let observation = ValueObservation.tracking { try placed.fetchCount($0) }
      do {
        for try await count in observation.values(in: pool) where count > 0 {
          while try await pool.write({ db in
            try db.execute(
              sql: """
                UPDATE "Order" SET state = 'packed' WHERE id IN
                  (SELECT id FROM "Order" WHERE state = 'placed' ORDER BY placedAt LIMIT 50)
                RETURNING id
                """)
            return db.changesCount
          }) > 0 {}
        }
      } catch {}
    }
  }
}

var logger = Logger(label: "GRDBService")
logger.logLevel = .notice
var app = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
  onServerRunning: {
    print("ready on port \($0.localAddress?.port ?? 0)")
    fflush(nil)
  }, logger: logger)
app.addServices(Following(), Packing())
try await app.runService()
