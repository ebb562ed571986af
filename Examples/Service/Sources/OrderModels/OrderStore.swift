public import Apus

/// The version, the models and the order of rows that all programs of the file share.
public enum OrderStore {
  /// The number of the schema. A program with a lower number changes nothing in the file.
  public static let schemaVersion = 2

  /// The models of the file.
  public static let models: [any TableModel.Type] = [Order.self]

  /// The newest orders first.
  public static var newest: PageOrder<Order> { .descending(\.$placedAt) }
}
