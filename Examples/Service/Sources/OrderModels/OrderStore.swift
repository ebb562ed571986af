public import Apus

/// The version of the schema, the models and the order of rows. All programs that use the file
/// share these.
public enum OrderStore {
  /// The number of the schema. A program with a lower number does not change the schema of the
  /// file.
  public static let schemaVersion = 2

  /// The models of the file.
  public static let models: [any TableModel.Type] = [Order.self]

  /// The newest orders first.
  public static var newest: PageOrder<Order> { .descending(\.$placedAt) }
}
