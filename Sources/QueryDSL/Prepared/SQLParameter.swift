import SQLCore

/// A parameter of a prepared query. Each call of the query passes the parameter's value as an
/// argument.
///
/// ```swift
/// let byTitle = try db.prepare { (title: SQLParameter<String>, minimum: SQLParameter<Int>) in
///   Post.where { $0.$title == title && $0.$views >= minimum }
/// }
/// let posts = try db.fetch(byTitle("News", 3))
/// ```
/// A parameter is an expression and can be used wherever an expression can. If it is compared with
/// a column or assigned to one, it takes the stored form of that column. `SQLParameter<String?>`
/// accepts nil.
public typealias SQLParameter<Value: ColumnValue> = SQLExpression<Value>

extension SQLExpression {
  /// Tests whether the value is in a list that each call of the prepared query passes as an
  /// argument.
  /// SQL: `a IN (SELECT value FROM apus_array(?))`
  public func isIn(_ list: SQLParameterList<Value>) -> SQLPredicate {
    if let values = list.values { return isIn(values) }
    return SQLPredicate(
      .isIn(
        collatedNode, .argument(BoundArgument(list.index, as: form, part: .list)),
        containsNull: Value.isOptional
          ? .argument(BoundArgument(list.index, as: form, part: .listHasNil)) : nil))
  }
}

extension SQLExpression: QueryParameter {
  /// Makes the parameter of the query; programs do not use it directly.
  public init(_place place: _ParameterPlace<Value>) {
    self.init(.parameter(ParameterNode(index: place.index, value: place.argument.first)))
  }

  /// Binds a value; programs do not use it directly.
  @inlinable
  public static func _bind(_ argument: Value, to binder: inout _ArgumentBinder) throws {
    try binder.bind(argument)
  }

  /// Wraps a value as a `_PreparedArgument`; programs do not use it directly.
  @inlinable
  public static func _wrapped(_ argument: Value) -> _PreparedArgument {
    _PreparedArgument(content: .value(argument))
  }

  /// Unwraps a value, or returns nil if the argument is a list or of another type; programs do not
  /// use it directly.
  public static func _unwrapped(_ argument: _PreparedArgument) -> Value? {
    guard case .value(let value) = argument.content else { return nil }
    return value as? Value
  }
}

/// A parameter in the tree of a query.
@usableFromInline
package struct ParameterNode: Sendable {
  let index: Int
  /// The argument of a call; nil while the query is prepared.
  let value: (any ColumnValue)?

  /// Returns the value to bind for the parameter: the argument if it is known, otherwise a
  /// placeholder.
  func bound(as form: StoredForm, part: BoundArgument.Part = .value) -> BoundValue {
    guard let value else { return .argument(BoundArgument(index, as: form, part: part)) }
    return BoundValue(value, as: form)
  }
}

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

  /// Skips a list, because it is not bound as a single value; programs do not use it directly.
  public static func _bind(_ argument: [Element], to binder: inout _ArgumentBinder) throws {
    try binder.skipList()
  }

  /// Wraps a list of values as a `_PreparedArgument`; programs do not use it directly.
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

/// The type of a parameter in the closure of `prepare`: `SQLParameter` or `SQLParameterList`.
public protocol QueryParameter: Sendable {
  /// The type of the argument of a call.
  associatedtype Argument: Sendable
  /// Makes the parameter of the query; programs do not use it directly. If the query is made again
  /// with arguments, the parameter contains its argument.
  init(_place place: _ParameterPlace<Argument>)
  /// Binds an argument; programs do not use it directly.
  static func _bind(_ argument: Argument, to binder: inout _ArgumentBinder) throws
  /// Wraps an argument as a `_PreparedArgument`; programs do not use it directly.
  static func _wrapped(_ argument: Argument) -> _PreparedArgument
  /// Unwraps an argument, or returns nil if it is of another type; programs do not use it directly.
  static func _unwrapped(_ argument: _PreparedArgument) -> Argument?
}

/// The index of a parameter of `prepare`, and its argument if the query is made for a call;
/// programs do not use it directly.
public struct _ParameterPlace<Argument: Sendable>: Sendable {
  let index: Int
  let argument: [Argument]
}
