import SQLCore

/// An error for a model that was loaded with one key and now has another, in an operation that
/// finds its row by the key.
///
/// `update`, `save` and `delete` throw it, and so does an upsert that could update the row with the
/// new key: each would write a row that the model was not loaded from. `insert` accepts the model
/// and inserts a new row.
public struct KeyChanged: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The columns of the key that were changed.
  public let columns: [String]
  private let properties: [String]

  init(table: String, columns: [ModelColumn]) {
    self.table = table
    self.columns = columns.map(\.name)
    properties = columns.map(\.property)
  }

  /// The cause, and how to move the row or copy it.
  public var description: String {
    let names = columns.joined(separator: ", ")
    let assignments = properties.map { "$0.$\($0) = new" }.joined(separator: "; ")
    let conditions = properties.map { "$0.$\($0) == old" }.joined(separator: " && ")
    return """
      \(table): the key (\(names)) was changed after the model was loaded, so it is now the key of \
      another row; to move the row, run `\(table).update { \(assignments) }.where { \
      \(conditions) }`; to store a copy, `insert` the model
      """
  }
}

extension ModelLayout {
  /// Throws `KeyChanged` if a model was loaded and its key was then set to another one: it would
  /// write a row that it was not loaded from.
  @usableFromInline
  func requireUnchangedKey(of model: UnsafeRawPointer) throws {
    guard keyColumns.contains(where: { slots.isChangedSinceLoading($0, in: model) }) else { return }
    let changed = keyColumns.filter { slots.isChangedSinceLoading($0, in: model) }
    throw KeyChanged(table: tableName, columns: changed.map { columns[$0] })
  }
}
