import Apus
import ApusHistory

/// A line of a shopping list.
struct Item: Model, Equatable {
  /// A key that no other database creates. So both databases can add items while they are not
  /// connected.
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var count = 1
  @Column var isBought = false

  /// Each transaction that changes items is recorded in the change log, from which it is sent.
  static var schema: Schema<Item> { Logged() }
}
