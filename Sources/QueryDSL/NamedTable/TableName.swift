import SQLCore

/// The name of a table into which plain structs are written.
///
/// ```swift
/// extension TableName { static let profiles: TableName = "profiles" }
///
/// try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
/// let profile: Profile? = try db.find(id: 1, from: .profiles)
/// ```
///
/// It does not determine the type of the rows, which comes from the context. Several types may
/// share the table, each with its own columns.
public struct TableName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name, without quotation marks; they are added wherever it is written in SQL.
  public let name: String

  /// Makes the name of a table.
  public init(_ name: String) {
    self.name = name
  }

  /// Makes the name of a table from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name.
  public var description: String { name }
}
