import SQLCore

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

/// A model that was loaded with one key and has another one now, where the key says which row is
/// meant.
///
/// `update`, `save` and `delete` of such a model throw it, and an upsert whose conflict is that of the
/// key: each would write a row of which the model knows nothing. `insert` takes the model, as a new
/// row.
public struct KeyChanged: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The columns of the key that were set to other values.
  public let columns: [String]
  private let properties: [String]

  init(table: String, columns: [ModelColumn]) {
    self.table = table
    self.columns = columns.map(\.name)
    properties = columns.map(\.property)
  }

  /// What happened, and how to move a row or to copy it.
  public var description: String {
    let names = columns.joined(separator: ", ")
    let assignments = properties.map { "$0.set(\\.$\($0), to: new)" }.joined(separator: "; ")
    let conditions = properties.map { "$0.$\($0) == old" }.joined(separator: " && ")
    return """
      \(table): the key (\(names)) was set to another value since the model was loaded, so that it \
      stands for another row; to move the row, run `\(table).update { \(assignments) }.where { \
      \(conditions) }`, and to store a copy, `insert` the model
      """
  }
}
