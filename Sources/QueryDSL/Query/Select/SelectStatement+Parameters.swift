import SQLCore

// This file separates a query from its values. Live queries that differ only in their values can
// then share the library's analysis of the query.

extension SelectStatement {
  /// Returns the query with its values replaced by arguments, and the list of these values.
  ///
  /// Values in lists, limits, aggregates, raw SQL and queries in FROM are not replaced. NULL is not
  /// replaced either, because the plan of a query depends on it. Throws `QueryError` if an
  /// expression has a part that cannot be rebuilt.
  package func separatingValues() throws -> (statement: SelectStatement, values: [DatabaseValue]) {
    let separation = ValueSeparation()
    let statement = try separation.statement(self)
    return (statement, separation.values)
  }
}

/// Collects the values of a query, and puts arguments in their place.
private final class ValueSeparation {
  private(set) var values: [DatabaseValue] = []

  private func separate(_ value: BoundValue) -> BoundValue {
    guard case .value(let known) = value, known != .null else { return value }
    // Each value gets an argument of its own, even if another value is equal, because the two
    // values may differ in another query of the same shape.
    values.append(known)
    return .argument(BoundArgument(values.count - 1, as: .standard))
  }

  func statement(_ statement: SelectStatement) throws -> SelectStatement {
    // A selected expression that also occurs in GROUP BY or ORDER BY must stay identical to the
    // expression there. So if GROUP BY or ORDER BY has an expression that is not a column, the
    // values of the selected expressions are not replaced.
    let named = statement.groups + statement.order.map(\.expression)
    let isNamed = statement.isDistinct || named.contains { $0.columnID == nil }
    return try statement.rebuilt(selecting: isNamed ? nil : expression, predicate)
  }

  private func expression(_ node: ExpressionNode) throws -> ExpressionNode {
    try node.replacing { node in
      switch node {
      case .value(let value): .value(self.separate(value))
      case .tree(.subquery(let statement), _): .subquery(try self.statement(statement))
      case .tree(.predicate(let predicate), _): .predicate(try self.predicate(predicate))
      case .adapting, .tree(.call, _), .fragment, .tree(.composed, _): node
      default: nil
      }
    }
  }

  private func predicate(_ node: PredicateNode) throws -> PredicateNode {
    switch node {
    case .compareColumn(let sign, let column, let value):
      return sign.containsValue ? node : .compareColumn(sign, column, separate(value))
    case .fragment, .constant, .invalid, .tree(.composed, _): return node
    case .chain(let chain):
      let operands = try chain.operands.map(predicate)
      return chain.connective == .and ? .all(operands) : .any(operands)
    case .tree(.not(let operand), _): return .not(try predicate(operand))
    case .tree(.exists(let statement), _): return .exists(try self.statement(statement))
    case .tree(.isInQuery(let subject, let statement, let isOptional), _):
      return .isInQuery(
        try expression(subject), try self.statement(statement), isOptional: isOptional)
    case .tree:
      return try node.replacing { node in
        let replaced = try self.expression(node)
        return .some(replaced)
      }
    }
  }
}
