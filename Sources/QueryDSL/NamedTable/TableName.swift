import SQLCore

/// The name of a table into which plain structs are written.
///
/// ```swift
/// extension TableName { static let profiles: TableName = "profiles" }
///
/// try db.write(Profile(id: 1, name: "Jane"), to: .profiles)
/// let profile: Profile? = try db.read(id: 1, from: .profiles)
/// ```
///
/// It says nothing of the rows: their type comes from the context, and several types may share the
/// table, each with the columns that it has.
public struct TableName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name; it is quoted wherever it stands in SQL.
  public let name: String

  /// A table of that name.
  public init(_ name: String) {
    self.name = name
  }

  /// A table of that name.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name.
  public var description: String { name }
}
