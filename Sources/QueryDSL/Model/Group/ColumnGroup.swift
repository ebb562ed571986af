import SQLCore

/// A struct with several columns of a model as its properties. The columns are read and written
/// together.
///
/// ```swift
/// struct Address: ColumnGroup, Equatable {
///   @Column var street: String
///   @Column var city: String
/// }
///
/// struct Person: Model {
///   @PrimaryKey var id = Unique64()
///   @Column var name: String
///   @Embedded var home: Address        // "home_street" TEXT NOT NULL, "home_city" TEXT NOT NULL
///   @Embedded var work: Address?       // "work_street" TEXT, "work_city" TEXT
/// }
/// ```
/// A group may contain groups, and `@Ignored` properties, but no key. Its `schema` may declare the
/// names of its columns, their stored forms, and the prefixes of its own groups.
public protocol ColumnGroup: ResultRow, _ColumnGroupValue where _Group == Self {}

extension ColumnGroup {
  /// Makes the value of an `@Embedded` property from a group; programs do not use it directly.
  public init(_group: Self) { self = _group }

  /// The group itself; programs do not use it directly.
  public var _presentGroup: Self? { self }

  /// Nil, because a property of this type is not optional; programs do not use it directly.
  public static var _missing: Self? { nil }
}

/// The type of an `@Embedded` property: a group, or an optional group. Programs do not use it
/// directly.
public protocol _ColumnGroupValue: Sendable {
  /// The group.
  associatedtype _Group: ColumnGroup

  /// Makes the value of an `@Embedded` property from a group; programs do not use it directly.
  init(_group: _Group)

  /// The group, or nil if an optional group is nil; programs do not use it directly.
  var _presentGroup: _Group? { get }

  /// The value of an `@Embedded` property whose group is nil; nil if the property is not optional.
  /// Programs do not use it directly.
  static var _missing: Self? { get }
}

extension Optional: _ColumnGroupValue where Wrapped: ColumnGroup {
  /// Makes the value of an `@Embedded` property from a group; programs do not use it directly.
  public init(_group: Wrapped) { self = _group }

  /// The group, or nil; programs do not use it directly.
  public var _presentGroup: Wrapped? { self }

  /// The value of a property whose group is nil; programs do not use it directly.
  public static var _missing: Wrapped?? { .some(nil) }
}

/// A property of a model that stands for several columns of the model's table. A `ColumnGroup`
/// declares these columns.
///
/// ```swift
/// @Embedded var home: Address          // "home_street" TEXT NOT NULL, "home_city" TEXT NOT NULL
/// @Embedded var work: Address?         // "work_street" TEXT, "work_city" TEXT
/// ```
///
/// A column's name is the name of the property, followed by `_` and the column's name in the group;
/// `Prefixed` declares another prefix. `\.$home` names the group in queries, and `\.$home.$city`
/// names a column of the group. `update` writes only the columns that changed.
///
/// If an optional group is nil, NULL is written to each of its columns. When an optional group is
/// read, it is nil if NULL is in a column that the group declares as not optional. If the group
/// declares all of its columns as optional, it is nil if all of them are NULL.
@propertyWrapper
public struct Embedded<Group: _ColumnGroupValue>: Sendable {
  /// The columns. If the group is nil, the columns that are not optional have no value.
  private var group: Group._Group

  /// Makes a group whose values are not in the database yet.
  public init(wrappedValue: Group) {
    group = wrappedValue._presentGroup.map { GroupMemory.new($0) } ?? GroupMemory.missing()
  }

  /// The group. Setting it marks the columns with new values as changed.
  public var wrappedValue: Group {
    get {
      guard let missing = Group._missing, GroupMemory.isMissing(group) else {
        return Group(_group: group)
      }
      return missing
    }
    set { GroupMemory.set(newValue._presentGroup, to: &group) }
  }

  /// The group's name in queries, as in `\.$home`. On a model, `$home.isChanged` says whether any
  /// column of the group was changed.
  public var projectedValue: GroupReference<Group> { GroupReference(group: group) }
}

extension Embedded where Group: ExpressibleByNilLiteral {
  /// Makes a group that is nil, so that a model's memberwise initialiser may omit an optional
  /// property.
  public init() { self.init(wrappedValue: nil) }
}

extension Embedded: Equatable where Group: Equatable {
  /// Returns whether the groups are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Embedded: Hashable where Group: Hashable {
  /// Hashes the group.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Embedded: Encodable where Group: Encodable {
  /// Encodes the group.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Embedded: Decodable where Group: Decodable {
  /// Decodes the group. Its columns count as changed, like the columns of a new model.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Group(from: decoder))
  }
}

extension Embedded: CustomStringConvertible {
  /// The description of the group.
  public var description: String { String(describing: wrappedValue) }
}

extension Embedded: CustomDebugStringConvertible {
  /// The debug description of the group.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}

/// The property wrapper of a group of columns: `Embedded`.
protocol GroupWrapper {
  static var isOptionalGroup: Bool { get }
  /// Returns the stored properties of the group, and its columns. Throws `ModelError` if the type
  /// of the group is invalid.
  static func fields() throws -> (fields: ModelFields, columns: [ModelColumn])
}

extension Embedded: GroupWrapper {
  static var isOptionalGroup: Bool { Group._missing != nil }

  static func fields() throws -> (fields: ModelFields, columns: [ModelColumn]) {
    (try ModelFields(of: Group._Group.self), try Group._Group.layout.columns)
  }
}
