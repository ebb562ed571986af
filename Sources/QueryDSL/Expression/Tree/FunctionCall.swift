/// A call of an aggregate or a window function, with its FILTER and OVER clauses.
///
/// - SeeAlso: <https://www.sqlite.org/syntax/function-invocation.html>
@usableFromInline
package struct FunctionCall: Sendable {
  /// The kind of the function. An aggregate may have an OVER clause, and a window function must
  /// have an OVER clause.
  enum Kind: Sendable {
    case aggregate
    case window
  }

  let kind: Kind
  let name: String
  /// The arguments; nil if the argument is `*`, as in `count(*)`.
  let arguments: [ExpressionNode]?
  var isDistinct = false
  /// The terms of ORDER BY inside the call of an aggregate, as in `group_concat(a ORDER BY b)`.
  var order: [SelectStatement.OrderTerm] = []
  var filter: PredicateNode?
  var window: WindowNode?

  func write(to writer: inout ShapeWriter) {
    if let problem { writer.fail(problem) }
    writer.function(name)
    writer.token(.open)
    if isDistinct { writer.token(.distinct) }
    if let arguments {
      ExpressionNode.write(arguments, to: &writer)
    } else {
      writer.token(.star)
    }
    if !order.isEmpty {
      writer.token(.orderBy)
      SelectStatement.OrderTerm.write(order, to: &writer)
    }
    writer.token(.close)
    if let filter {
      writer.token(.filter)
      filter.write(to: &writer)
      writer.token(.close)
    }
    if let window {
      writer.token(.over)
      window.write(to: &writer)
    }
  }

  private var problem: QueryError? {
    if kind == .window, window == nil {
      return QueryError("\(name)() is a window function and needs .over(…)")
    }
    if kind == .window, filter != nil {
      return QueryError("\(name)() is not an aggregate function, so it cannot have FILTER")
    }
    guard isDistinct, window != nil else { return nil }
    return QueryError(
      "\(name)(DISTINCT …) cannot have OVER: SQLite does not support DISTINCT in a window function")
  }
}

extension ExpressionNode {
  /// Returns a call of an aggregate.
  static func aggregate(
    _ name: String, _ arguments: [ExpressionNode], distinct: Bool = false
  ) -> ExpressionNode {
    .call(
      FunctionCall(kind: .aggregate, name: name, arguments: arguments, isDistinct: distinct))
  }

  /// Returns a call of a window function that is not an aggregate, such as `rank()`.
  static func windowFunction(_ name: String, _ arguments: [ExpressionNode]) -> ExpressionNode {
    .call(FunctionCall(kind: .window, name: name, arguments: arguments))
  }

  /// Returns this call with one more clause, which `change` adds. `clause` is the name of the
  /// clause in error messages, such as FILTER.
  ///
  /// If this expression is not a call of an aggregate or a window function, or if `change` returns
  /// an error, the result is an expression that throws `QueryError` when it is rendered.
  func changingCall(
    for clause: String, _ change: (inout FunctionCall) -> QueryError?
  ) -> ExpressionNode {
    var call: FunctionCall
    switch self {
    case .tree(.call(let own), _): call = own
    case .countOfRows: call = FunctionCall(kind: .aggregate, name: "count", arguments: nil)
    case .invalid: return self
    default:
      return .invalid(
        QueryError("\(clause) must directly follow an aggregate or a window function"))
    }
    if let problem = change(&call) { return .invalid(problem) }
    return .call(call)
  }
}
