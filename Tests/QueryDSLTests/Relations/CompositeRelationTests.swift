import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

// Bookings have a key of two columns. Items refer to it, and couriers through a table between.

private struct Booking: Model, Equatable {
  struct ID: Hashable, Sendable {
    var region: String
    var number: Int
  }
  @PrimaryKey var region: String
  @PrimaryKey var number: Int
  @Column var customer: String
  var id: ID { ID(region: region, number: number) }
}

private struct BookedItem: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var region: String?
  @Column var booking: Int?
  @Column var name: String

  static var schema: Schema<BookedItem> {
    ForeignKey(\.$region, \.$booking, references: \Booking.$region, \Booking.$number)
    Index(\.$region, \.$booking)
  }
}

private struct Courier: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
}

private struct Delivery: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var region: String
  @Column var booking: Int
  @Column var courierID: Int

  static var schema: Schema<Delivery> {
    ForeignKey(\.$region, \.$booking, references: \Booking.$region, \Booking.$number)
    ForeignKey(\.$courierID, references: \Courier.$id)
  }
}

@Suite("Relations by composite keys, and through the foreign keys of a table between")
struct CompositeRelationTests {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [
      Booking.self, BookedItem.self, Courier.self, Delivery.self,
    ])
    try db.insert([
      Booking(region: "N", number: 1, customer: "Ann"),
      Booking(region: "N", number: 2, customer: "Bo"),
      Booking(region: "S", number: 1, customer: "Cy"),
    ])
    try db.insert([
      BookedItem(id: 1, region: "N", booking: 1, name: "pen"),
      BookedItem(id: 2, region: "S", booking: 1, name: "ink"),
      BookedItem(id: 3, region: "N", booking: 1, name: "cap"),
      BookedItem(id: 4, region: "N", name: "lost"),
      BookedItem(id: 5, name: "none"),
    ])
    try db.insert([Courier(id: 1, name: "Zed"), Courier(id: 2, name: "Abe")])
    try db.insert([
      Delivery(id: 1, region: "N", booking: 1, courierID: 1),
      Delivery(id: 2, region: "N", booking: 1, courierID: 2),
      Delivery(id: 3, region: "S", booking: 1, courierID: 2),
    ])
  }

  private let bookings = Booking.order(by: \.$region).order(by: \.$number)

  @Test("a relation by a composite key uses the declared foreign key or the columns in key order")
  func children() throws {
    let items = BookedItem.order(by: \.$name)
    let declared = try db.fetch(bookings.including(items))
    #expect(declared.map { $0.1.map(\.name) } == [["cap", "pen"], [], ["ink"]])
    let named = try db.fetch(bookings.including(items, by: \.$region, \.$booking))
    #expect(named.map { $0.1.map(\.name) } == [["cap", "pen"], [], ["ink"]])
    // The columns must match as pairs, not each by itself.
    try db.insert(Booking(region: "S", number: 2, customer: "Bo"))
    try db.insert(BookedItem(id: 6, region: "S", booking: 2, name: "pad"))
    let few = try db.fetch(
      Booking.where { $0.$customer != "Bo" }.order(by: \.$customer).including(items))
    #expect(few.map { $0.1.map(\.id) } == [[3, 1], [2]])
  }

  @Test("the children of many composite keys are found by one statement with an index")
  func plan() throws {
    try db.insert((10..<1_010).map { Booking(region: "W", number: $0, customer: "") })
    try db.insert((10..<1_010).map { BookedItem(id: $0, region: "W", booking: $0, name: "x\($0)") })
    try db.read { connection in
      let log = Log()
      let listener = try connection.onTrace(.statement) { log.append($0.expandedSQL ?? "") }
      let rows = try connection.fetch(bookings.including(BookedItem.all))
      try connection.remove(listener)
      let statements = log.texts
      #expect(
        rows.count == 1_003 && rows.filter { $0.0.region == "W" }.allSatisfy { $0.1.count == 1 })
      #expect(statements.count == 2)
      let plan = try connection.rows("EXPLAIN QUERY PLAN \(SQL(unsafe: statements[1]))")
        .map { try $0.get(String.self, named: "detail") }
      let name = "BookedItem_on_region_booking"
      #expect(plan[0].contains("SEARCH BookedItem USING INDEX \(name)"), "\(plan)")
    }
  }

  @Test("a relation goes through a table between by its foreign keys, in either direction")
  func through() throws {
    let rows = try db.fetch(
      bookings.including(Courier.order(by: \.$name), through: Delivery.self))
    #expect(rows.map { $0.1.map(\.name) } == [["Abe", "Zed"], [], ["Abe"]])
    let back = try db.fetch(
      Courier.order(by: \.$name).including(bookings, through: Delivery.self))
    #expect(back.map { $0.1.map(\.customer) } == [["Ann", "Cy"], ["Ann"]])
    let both = try db.fetch(
      bookings.including(BookedItem.order(by: \.$id))
        .including(Courier.order(by: \.$id), through: Delivery.self))
    #expect(both.map { ($0.1.count, $0.2.count) }.map { [$0, $1] } == [[2, 2], [0, 0], [1, 1]])
  }

  @Test("columns that do not match the key throw an error that names them")
  func mistakes() throws {
    func expect(_ words: String, _ run: () throws -> Void) {
      let error = #expect(throws: QueryError.self) { try run() }
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
    let one = bookings.including(BookedItem.all, by: \.$region)
    expect("the key has 2, region, number") { _ = try db.fetch(one) }
    let wrong = bookings.including(BookedItem.all, by: \.$booking, \.$region)
    expect("BookedItem.booking is") { _ = try db.fetch(wrong) }
    let none = Courier.all.including(BookedItem.all, through: Delivery.self)
    expect("Delivery has no foreign key to BookedItem") { _ = try db.fetch(none) }
  }
}

/// Records the statements that a connection ran.
private final class Log: Sendable {
  private let list = Lock<[String]>([])
  var texts: [String] { list.withLock { $0 } }
  func append(_ text: String) { list.withLock { $0.append(text) } }
}
