import SQLCore

/// A parameter of a prepared query: a value that is given when it is called.
///
/// ```swift
/// let byTitle = try db.prepare { (title: Param<String>, minimum: Param<Int>) in
///   Post.where { $0.$title == title && $0.$views >= minimum }
/// }
/// let posts = try db.fetch(byTitle("News", 3))
/// ```
/// It is an expression, and stands where one does. Beside a column, and where it is assigned to
/// one, it takes the form in which the column is stored. `Param<String?>` takes nil.
public typealias Param<Value: ColumnValue> = SQLExpression<Value>

/// A list of values that is given when a prepared query is called, for `isIn`.
///
/// ```swift
/// let some = try db.prepare { (ids: ParamList<Post.ID>) in Post.where { $0.$id.isIn(ids) } }
/// let posts = try db.fetch(some([id, other]))
/// ```
public struct ParamList<Element: ColumnValue>: Sendable {
  fileprivate let index: Int
  fileprivate let values: [Element]?
}

extension SQLExpression {
  /// One of the values that are given when the prepared query is called.
  /// SQL: `a IN (SELECT value FROM apus_array(?))`
  public func isIn(_ list: ParamList<Value>) -> SQLPredicate {
    if let values = list.values { return isIn(values) }
    return SQLPredicate(
      .isIn(
        node, .argument(BoundArgument(list.index, as: form, part: .list)),
        containsNull: Value.isOptional
          ? .argument(BoundArgument(list.index, as: form, part: .listHasNil)) : nil))
  }
}

/// What a parameter of the closure of `prepare` may be: `Param` and `ParamList`.
public protocol QueryParameter: Sendable {
  /// What is given when the query is called.
  associatedtype Argument: Sendable
  /// The parameter in the query, or the argument where the query is made again with it.
  init(_ place: ParameterPlace<Argument>)
  /// The argument on its way to the statement.
  static func argument(_ argument: Argument) -> PreparedArgument
  /// The argument back from its way; nil for one of another type.
  static func value(of argument: PreparedArgument) -> Argument?
}

/// Which parameter of a prepared query, and its argument where that is known.
public struct ParameterPlace<Argument: Sendable>: Sendable {
  let index: Int
  let argument: [Argument]
}

/// An argument of a prepared query.
public struct PreparedArgument: Sendable {
  @usableFromInline
  enum Content: Sendable {
    case value(any ColumnValue)
    case list([any ColumnValue])
  }

  @usableFromInline let content: Content

  @inlinable
  init(content: Content) {
    self.content = content
  }
}

extension SQLExpression: QueryParameter {
  /// The parameter in the query.
  public init(_ place: ParameterPlace<Value>) {
    self.init(.parameter(ParameterNode(index: place.index, value: place.argument.first)))
  }

  /// The value.
  @inlinable
  public static func argument(_ argument: Value) -> PreparedArgument {
    PreparedArgument(content: .value(argument))
  }

  /// The value back.
  public static func value(of argument: PreparedArgument) -> Value? {
    guard case .value(let value) = argument.content else { return nil }
    return value as? Value
  }
}

extension ParamList: QueryParameter {
  /// The parameter in the query.
  public init(_ place: ParameterPlace<[Element]>) {
    index = place.index
    values = place.argument.first
  }

  /// The values.
  @inlinable
  public static func argument(_ argument: [Element]) -> PreparedArgument {
    PreparedArgument(content: .list(argument))
  }

  /// The values back.
  public static func value(of argument: PreparedArgument) -> [Element]? {
    guard case .list(let values) = argument.content else { return nil }
    let elements = values.compactMap { $0 as? Element }
    return elements.count == values.count ? elements : nil
  }
}

/// A parameter in a query.
@usableFromInline
package struct ParameterNode: Sendable {
  let index: Int
  /// The argument, where it is known.
  let value: (any ColumnValue)?

  /// What is bound in its place.
  func bound(as form: StoredForm, part: BoundArgument.Part = .value) -> BoundValue {
    guard let value else { return .argument(BoundArgument(index, as: form, part: part)) }
    return BoundValue(value, as: form)
  }
}

extension PreparedArgument {
  /// Binds it where it is a value; a list has no such place.
  @inline(__always)
  func bind(
    as form: StoredForm, to statement: StatementPointer, at parameter: Int32,
    on core: ConnectionCore
  ) throws {
    guard case .value(let value) = content else {
      throw QueryError("a list is given to a prepared query where it needs a value")
    }
    let stored = try value.databaseValue(as: form)
    if case .integer(let integer) = stored {
      return try core.bind(integer, to: statement, at: parameter)
    }
    statement.pointee.leavesValues = false
    try core.bind(stored, to: statement, at: parameter)
  }

  /// What is bound for a part of it.
  func bound(_ argument: BoundArgument) throws -> BoundValue {
    switch (content, argument.part) {
    case (.value(let value), .value): return BoundValue(value, as: argument.form)
    case (.value(let value), .rowCount):
      let bound = BoundValue(value)
      if case .value(.integer(let count)) = bound, count >= 0 { return bound }
      throw QueryError("LIMIT and OFFSET take no negative number: \(value)")
    case (.list(let values), .list):
      return .array(
        BoundArray(
          try values.compactMap { value in
            let stored = try value.databaseValue(as: argument.form)
            return stored.isNull ? nil : stored
          }))
    case (.list(let values), .listHasNil):
      return BoundValue(try values.contains { try $0.databaseValue(as: argument.form).isNull })
    case (.value, .list), (.value, .listHasNil), (.list, .value), (.list, .rowCount):
      throw QueryError("argument \(argument.index + 1) is not what its place needs")
    }
  }
}
