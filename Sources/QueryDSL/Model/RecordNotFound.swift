import SQLCore

/// An error for a row that does not exist, although an operation needs it.
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
