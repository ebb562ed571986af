import SQLCore

/// A struct whose properties are several columns of a model, which are read and written together.
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
  /// Makes the value of a group; programs do not use it directly.
  public init(_group: Self) { self = _group }

  /// The group itself; programs do not use it directly.
  public var _presentGroup: Self? { self }

  /// Nil, since the group is always there; programs do not use it directly.
  public static var _missing: Self? { nil }
}

/// The type of an `@Embedded` property, a group or an optional one; programs do not use it directly.
public protocol _ColumnGroupValue: Sendable {
  /// The group.
  associatedtype _Group: ColumnGroup

  /// Makes the value of a group; programs do not use it directly.
  init(_group: _Group)

  /// The present group, if any; programs do not use it directly.
  var _presentGroup: _Group? { get }

  /// The value if there is no group; nil if there must be one. Programs do not use it directly.
  static var _missing: Self? { get }
}

extension Optional: _ColumnGroupValue where Wrapped: ColumnGroup {
  /// Makes the value of a group; programs do not use it directly.
  public init(_group: Wrapped) { self = _group }

  /// The group, or nil; programs do not use it directly.
  public var _presentGroup: Wrapped? { self }

  /// The optional that is nil; programs do not use it directly.
  public static var _missing: Wrapped?? { .some(nil) }
}
