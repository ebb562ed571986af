/// A database of a connection: its own, which is called `main`, or an attached one.
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_database_list>
public struct AttachedDatabase: Hashable, Sendable {
  /// The name by which SQL addresses its tables: `name.table`.
  public let name: String
  /// The path of the file; nil for a database in memory.
  public let path: String?
  /// Whether it can only be read.
  public let isReadOnly: Bool
}
