/// A model, or a key, that cannot be a table: found when its layout is first read.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model's name.
  public let model: String
  /// What is wrong, and what to write instead.
  public let message: String

  init(_ model: Any.Type, _ message: String) {
    self.model = String(describing: model)
    self.message = message
  }

  /// The model and the message.
  public var description: String { "\(model): \(message)" }
}

/// A row that was to be there is not.
public struct RecordNotFound: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The key, as text.
  public let key: String

  package init(table: String, key: String) {
    self.table = table
    self.key = key
  }

  /// The table and the key.
  public var description: String { "\(table): there is no row with the key \(key)" }
}
