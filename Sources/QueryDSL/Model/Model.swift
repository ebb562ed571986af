import SQLCore

/// A struct whose column properties are a table.
///
/// ```swift
/// struct Author: Model {
///   @PrimaryKey var id = Unique64()
///   @Column var name: String
/// }
/// ```
///
/// The table is called as the type and its columns as the properties; an optional property is a
/// column that may be NULL. The layout is read from the type, once: no macro, no `Codable`, no
/// instance. Every stored property is a `@PrimaryKey`, a `@Column` or `@Ignored`.
///
/// What its columns cannot say themselves, such as indexes and foreign keys, stands in its `schema`.
///
/// A model may be `Codable`, `Equatable` and `Hashable` by synthesis; each sees only the values. Its
/// JSON is that of the same struct without `@PrimaryKey`, `@Column` and `JSON`, under each strategy
/// of the encoder; `CodingKeys` rename its members and not the columns; `@Ignored` is left out. A
/// decoded model counts as new: `insert` inserts it, and `update` writes all its columns.
///
/// With one key column, `id` is that column. With several, `id` is a value of a struct whose
/// properties are called and typed as they are:
///
/// ```swift
/// struct Membership: Model {
///   struct ID: Hashable, Sendable { var person: Unique64; var group: Unique64 }
///   @PrimaryKey var person: Unique64
///   @PrimaryKey var group: Unique64
///   var id: ID { ID(person: person, group: group) }
/// }
/// ```
public protocol Model: ResultRow, Identifiable where ID: Sendable {
  /// The name of the table. Default: the name of the type.
  static var tableName: String { get }

  /// How the columns are called after the properties. Default: as the properties.
  static var columnNaming: ColumnNaming { get }
}

extension Model {
  /// The name of the type, without the types around it.
  public static var tableName: String {
    TableNaming.asked?.isDefault.withLock { $0 = true }
    return String(describing: Self.self)
  }

  /// As the properties.
  public static var columnNaming: ColumnNaming { .asDeclared }
}
