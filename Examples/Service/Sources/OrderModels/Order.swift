public import Apus
public import Foundation

/// An order of a customer.
public struct Order: Model, Codable, Sendable, Equatable {
  /// The key.
  @PrimaryKey public var id = Unique64()
  /// The name of the customer.
  @Column public var customer: String
  /// How far the order has been processed.
  @Column public var state: OpenEnum<OrderState> = .known(.placed)
  /// The ordered item.
  @Column public var details: JSON<OrderDetails>
  /// When it was ordered.
  @Column public var placedAt = Date()

  /// Makes an order that was just placed. Swift generates no public initializer for a struct, so
  /// this module declares one. Its parameters are the columns that the caller chooses.
  public init(customer: String, details: OrderDetails) {
    self.customer = customer
    self.details = JSON(details)
  }

  /// The schema of the table.
  public static var schema: Schema<Order> {
    Index(\.$placedAt)
    Index(\.$state)
    Check { $0.$customer.length() > 0 && $0.$customer.length() <= 80 }
  }
}

/// The state of an order. A newer version of the program may store a state that this version does
/// not know, so the column is an `OpenEnum`.
public enum OrderState: String, ColumnValue, Codable, Sendable {
  case placed, packed
}

/// The details of an order, which the database stores as JSON.
///
/// A property that a later version adds must be optional or have a default value. Otherwise, the
/// rows of earlier versions could not be read.
public struct OrderDetails: Codable, Hashable, Sendable {
  /// The name of the item.
  public var item: String
  /// The number of pieces.
  public var quantity: Int
  /// Whether the order is a gift. Added in the second version.
  public var isGift: Bool

  /// Makes details.
  public init(item: String, quantity: Int, isGift: Bool = false) {
    self.item = item
    self.quantity = quantity
    self.isGift = isGift
  }

  /// Reads details of this and of earlier versions.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    item = try values.decode(String.self, forKey: .item)
    quantity = try values.decode(Int.self, forKey: .quantity)
    isGift = try values.decodeIfPresent(Bool.self, forKey: .isGift) ?? false
  }
}
