import Apus
import ApusHummingbird
import Hummingbird
import OrderModels

/// The body of a request that places an order. It has no key and no state, because the sender
/// cannot choose them.
struct NewOrder: Codable {
  var customer: String
  var item: String
  var quantity: Int
  var isGift: Bool?
}

/// The routes of the service.
struct OrderRoutes: Sendable {
  let db: Database
  let persist: DatabasePersistDriver
  let live: LiveEvents<Order>
  let health: Health

  /// The number of orders on a page. The stream of events follows the same number of orders.
  static let pageSize = 20

  func add(to router: Router<BasicRequestContext>) {
    let (db, persist, live, health) = (db, persist, live, health)
    router.get("health/live") { _, _ in HTTPResponse.Status.ok }
    router.get("health/ready") { _, _ in try await health.isReady() }

    let orders = router.group("orders")
      .add(middleware: SlowStatementMiddleware())
      .add(middleware: DatabaseFailureMiddleware())
      .add(middleware: DeadlineMiddleware(.seconds(5)))
    orders.get { request, context in
      let cursor = try request.pageCursor(of: Order.self)
      let page = try await db.fetch(
        Order.page(after: cursor, by: OrderStore.newest).limit(Self.pageSize))
      var response = try context.responseEncoder.encode(page, from: request, context: context)
      if page.count == Self.pageSize, let last = page.last {
        response.headers.append(
          request.nextPage(after: try OrderStore.newest.cursor(after: last)))
      }
      return response
    }
    orders.post { request, context in
      let new = try await request.decode(as: NewOrder.self, context: context)
      guard (1...100).contains(new.quantity) else {
        throw HTTPError(.unprocessableContent, message: "an order has 1 to 100 pieces")
      }
      let uses = try await persist.count("orders of \(new.customer)", per: .seconds(60))
      guard uses.count <= 60 else {
        throw HTTPError(
          .tooManyRequests, headers: [.retryAfter: "\(uses.ttl.components.seconds + 1)"])
      }
      let order = Order(
        customer: new.customer,
        details: OrderDetails(
          item: new.item, quantity: new.quantity, isGift: new.isGift ?? false))
      try await db.insert(order)
      var response = try context.responseEncoder.encode(order, from: request, context: context)
      response.status = .created
      return response
    }
    orders.get("events") { request, _ in try live.response(to: request) }
    orders.get(":id") { request, context in
      let id = try context.parameters.require("id", as: Int64.self)
      guard let order = try await db.find(Order.self, Unique64(rawValue: id)) else {
        throw HTTPError(.notFound)
      }
      return try context.responseEncoder.encode(order, from: request, context: context)
    }
  }
}
