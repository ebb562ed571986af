import QueryDSL
import SQLCore

// Models with constraints: a customer, orders that refer to one, and lines of an order.

struct Customer: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var mail: String?

  static var schema: Schema<Customer> {
    Unique(\.$mail)
    Unique(\.$name, \.$mail)
  }
}

struct Order: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var customerID: Customer.ID
  @Column var payerID: Customer.ID?
  @Column var total = 0

  static var schema: Schema<Order> {
    ForeignKey(\.$customerID, references: \Customer.$id)
    ForeignKey(\.$payerID, references: \Customer.$id, onDelete: .setNull)
  }
}

struct Line: Model, Equatable {
  struct ID: Hashable, Sendable {
    var orderID: Int64
    var number: Int
  }
  @PrimaryKey var orderID: Int64
  @PrimaryKey var number: Int
  @Column var text: String
  var id: ID { ID(orderID: orderID, number: number) }

  static var schema: Schema<Line> {
    ForeignKey(\.$orderID, references: \Order.$id, onDelete: .cascade)
  }
}
