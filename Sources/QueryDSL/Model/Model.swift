import SQLCore

/// A struct whose properties are the columns of a table.
///
/// ```swift
/// struct Author: Model {
///   @PrimaryKey var id = Unique64()
///   @Column var name: String
/// }
/// ```
///
/// The table has the name of the type, and its columns have the names of the properties; an
/// optional property is a column that may be NULL. The layout is read once, from the type: no
/// macro, `Codable` conformance or instance is needed. Every stored property must be a
/// `@PrimaryKey`, a `@Column` or `@Ignored`.
///
/// Its `schema` declares what the properties cannot express, such as indexes and foreign keys.
///
/// A model may be `Codable`, `Equatable` and `Hashable` by synthesis, which considers only the
/// values. Its JSON is that of the same struct without `@PrimaryKey`, `@Column` and `JSON`, for
/// every strategy of the encoder. `CodingKeys` rename the members of the JSON, not the columns;
/// `@Ignored` properties are omitted. A decoded model counts as new: `insert` inserts it, and
/// `update` writes all of its columns.
///
/// With one key column, `id` is that column. With several, `id` is a struct whose properties have
/// their names and types:
///
/// ```swift
/// struct Membership: Model {
///   struct ID: Hashable, Sendable { var person: Unique64; var group: Unique64 }
///   @PrimaryKey var person: Unique64
///   @PrimaryKey var group: Unique64
///   var id: ID { ID(person: person, group: group) }
/// }
/// ```
public protocol Model: TableModel, Identifiable where ID: Sendable {}
