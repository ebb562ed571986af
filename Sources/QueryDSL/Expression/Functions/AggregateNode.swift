import SQLCore

/// An aggregate in an expression, and further aggregates from which its value can be calculated.
package struct AggregateNode: Sendable {
  package let node: ExpressionNode
  /// The name of the function, folded.
  package let name: String
  /// The argument, if the aggregate has exactly one; otherwise nil.
  package let argument: ExpressionNode?
  package let isDistinct: Bool
  private let filter: PredicateNode?

  /// Returns nil if the expression is not an aggregate itself.
  package init?(_ node: ExpressionNode) {
    self.node = node
    switch node {
    case .countOfRows:
      (name, argument, isDistinct, filter) = ("count", nil, false, nil)
    case .tree(.call(let call), _) where call.kind == .aggregate && call.window == nil:
      name = call.name.lowercasedASCII
      argument = call.arguments?.count == 1 ? call.arguments?.first : nil
      isDistinct = call.isDistinct
      filter = call.filter
    default: return nil
    }
  }

  /// Returns an aggregate of one argument over the same rows.
  private func call(_ name: String, _ argument: ExpressionNode) -> ExpressionNode {
    .call(FunctionCall(kind: .aggregate, name: name, arguments: [argument], filter: filter))
  }

  /// The number of its values that are not NULL.
  package var countOfValues: ExpressionNode? { argument.map { call("count", $0) } }

  /// The sum of its values. It is an INTEGER if all values are.
  package var sumOfValues: ExpressionNode? { argument.map { call("sum", $0) } }

  /// The sum of the magnitudes of its values, as a REAL.
  package var totalMagnitude: ExpressionNode? {
    argument.map { call("total", .function("abs", [.binary(.times, $0, .constant("1.0"))])) }
  }
}
