import SQLCore

/// A parameter of a prepared query that is a list of values, for `isIn`.
///
/// ```swift
/// let some = try db.prepare { (ids: SQLParameterList<Post.ID>) in
///   Post.where { $0.$id.isIn(ids) }
/// }
/// let posts = try db.fetch(some([id, other]))
/// ```
public struct SQLParameterList<Element: ColumnValue>: Sendable {
  let index: Int
  let values: [Element]?
}

extension SQLParameterList: QueryParameter {
  /// Makes the parameter of the query; programs do not use it directly.
  public init(_place place: _ParameterPlace<[Element]>) {
    index = place.index
    values = place.argument.first
  }

  /// Passes over a list, which is not bound as a single value; programs do not use it directly.
  public static func _bind(_ argument: [Element], to binder: inout _ArgumentBinder) throws {
    try binder.skipList()
  }

  /// Wraps a list of values; programs do not use it directly.
  @inlinable
  public static func _wrapped(_ argument: [Element]) -> _PreparedArgument {
    _PreparedArgument(content: .list(argument))
  }

  /// Unwraps a list of values, or returns nil if the argument is a value or has values of another
  /// type; programs do not use it directly.
  public static func _unwrapped(_ argument: _PreparedArgument) -> [Element]? {
    guard case .list(let values) = argument.content else { return nil }
    let elements = values.compactMap { $0 as? Element }
    return elements.count == values.count ? elements : nil
  }
}
