// Finding something inside an expression: the nodes are visited in the order in which SQLite looks
// for a COLLATE. Subqueries, FILTER and OVER have expressions of their own, which are not visited.

extension ExpressionNode {
  /// Returns the first result that is not nil, of this node and then of those inside it.
  func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    if let found = result(self) { return found }
    return switch self {
    case .column, .value, .fragment, .invalid, .countOfRows, .constant, .resultColumn, .parameter:
      nil
    case .chain(let chain): chain.first(result)
    case .tree(let tree, _): tree.first(result)
    }
  }

  /// Returns the first result that is not nil, of some nodes and those inside them.
  static func first<Result>(
    in nodes: [ExpressionNode], _ result: (ExpressionNode) -> Result?
  ) -> Result? {
    for node in nodes {
      if let found = node.first(result) { return found }
    }
    return nil
  }
}

extension ExpressionTree {
  fileprivate func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    switch self {
    case .negative(let operand), .bitwiseNot(let operand), .cast(let operand, _),
      .collate(let operand, _):
      operand.first(result)
    case .function(_, let nodes), .row(let nodes), .list(let nodes):
      ExpressionNode.first(in: nodes, result)
    case .predicate(let predicate): predicate.first(result)
    case .subquery: nil
    case .call(let call): call.arguments.flatMap { ExpressionNode.first(in: $0, result) }
    case .cases(let cases):
      cases.firstInConditions(result) ?? ExpressionNode.first(in: cases.results, result)
    case .composed(let parts): SQLFragment.Part.first(in: parts, result)
    }
  }
}

extension PredicateNode {
  /// Returns the first result that is not nil, of the expressions in the condition.
  func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    switch self {
    case .compareColumn(_, let column, _): result(.column(column))
    case .fragment, .constant, .invalid: nil
    case .chain(let chain): chain.first(result)
    case .tree(let tree, _): tree.first(result)
    }
  }
}

extension PredicateTree {
  fileprivate func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    switch self {
    case .compare(_, let left, let right): ExpressionNode.first(in: [left, right], result)
    case .not(let operand): operand.first(result)
    // LIKE and GLOB are functions of the pattern and the text.
    case .match(_, let subject, let pattern, _):
      ExpressionNode.first(in: [pattern, subject], result)
    case .between(let subject, let lower, let upper):
      ExpressionNode.first(in: [subject, lower, upper], result)
    case .isIn(let subject, _, _), .isInQuery(let subject, _, _), .test(_, let subject):
      subject.first(result)
    case .exists: nil
    case .composed(let parts): SQLFragment.Part.first(in: parts, result)
    }
  }
}

extension SQLFragment.Part {
  fileprivate static func first<Result>(
    in parts: [SQLFragment.Part], _ result: (ExpressionNode) -> Result?
  ) -> Result? {
    for part in parts {
      let found: Result? =
        switch part {
        case .sql: nil
        case .expression(let node): node.first(result)
        case .predicate(let node): node.first(result)
        }
      if let found { return found }
    }
    return nil
  }
}

extension CaseNode {
  /// The results of the branches and of ELSE.
  var results: [ExpressionNode] { branches.map(\.result) + (otherwise.map { [$0] } ?? []) }

  /// Returns the first result that is not nil, of the base and the conditions.
  func firstInConditions<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    if let found = base?.first(result) { return found }
    for branch in branches {
      let found: Result? =
        switch branch.condition {
        case .predicate(let predicate): predicate.first(result)
        case .value(let value): value.first(result)
        }
      if let found { return found }
    }
    return nil
  }
}
