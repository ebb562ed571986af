import SQLCore

// The functions of this file list the SELECT statements inside a query. Live results use the list
// to stay up to date.

/// A SELECT of a query: the query itself, or a subquery in one of its expressions.
package struct QueryScope: Sendable {
  package let statement: SelectStatement
  /// The index, in the result of `scopes()`, of the SELECT that contains this one. Nil for the
  /// query itself.
  package let parent: Int?
  /// The expression on the left side of IN, if this SELECT is the subquery on the right side of IN.
  /// Nil for any other SELECT, such as the subquery of EXISTS.
  package let subject: ExpressionNode?
  /// The number of times that the SQL of the query contains this SELECT.
  package let count: Int
  /// Whether IN treats NULL as Swift treats nil: NULL is in a list only if the list contains NULL.
  /// Otherwise IN has SQL's three values: true, false and NULL.
  package let isOptional: Bool
}

extension SelectStatement {
  /// Returns the query and all its subqueries, each after the SELECT that contains it.
  ///
  /// Throws `QueryError` for a subquery that is not a single SELECT over tables of models, or that
  /// has an aggregate over rows of an outer SELECT. If the query itself is not such a single
  /// SELECT, returns it without its subqueries.
  package func scopes() throws -> [QueryScope] {
    var finder = ScopeFinder()
    try finder.visit(self, in: nil, subject: nil, count: 1, isOptional: false)
    return finder.scopes
  }
}

/// A visitor of the expressions of a query. Unlike `ExpressionNode.first`, it also visits the
/// expressions in subqueries and in FILTER.
private struct ScopeFinder {
  var scopes: [QueryScope] = []
  /// The index of the SELECT whose expressions are being visited.
  private var current = 0

  mutating func visit(
    _ statement: SelectStatement, in parent: Int?, subject: ExpressionNode?, count: Int,
    isOptional: Bool
  ) throws {
    let outer = current
    defer { current = outer }
    current = scopes.count
    scopes.append(
      QueryScope(
        statement: statement, parent: parent, subject: subject, count: count,
        isOptional: isOptional))
    let content = statement.extras?.content
    guard content?.isPlain ?? true else {
      guard parent != nil else { return }
      throw QueryError("a subquery has WITH, a window, a compound, or a query in FROM")
    }
    if case .terms(let terms) = statement.selection {
      for term in terms {
        switch term {
        case .table: break
        case .expression(let node), .aliased(let node, _): try visit(node)
        }
      }
    }
    for predicate in statement.predicates { try visit(predicate) }
    for term in statement.order { try visit(term.expression) }
    guard let content else { return }
    for join in content.joins { try join.condition.map { try visit($0) } }
    for node in content.groups + [content.limit, content.offset].compactMap(\.self) {
      try visit(node)
    }
    for predicate in content.having { try visit(predicate) }
  }

  private mutating func visit(
    subquery statement: SelectStatement, subject: ExpressionNode? = nil, isOptional: Bool = false
  ) throws {
    // If the value on the left side of IN is optional, the SQL contains the subquery twice.
    try visit(
      statement, in: current, subject: subject,
      count: scopes[current].count * (isOptional ? 2 : 1), isOptional: isOptional)
  }

  private mutating func visit(_ nodes: [ExpressionNode]) throws {
    for node in nodes { try visit(node) }
  }

  private mutating func visit(_ node: ExpressionNode) throws {
    switch node {
    case .column, .rowID, .value, .fragment, .invalid, .countOfRows, .constant, .resultColumn,
      .parameter:
      break
    case .adapting(let adapting): try visit(adapting.standard)
    case .chain(let chain):
      guard chain.count <= TreeLimits.maximumRecursion else { throw Self.tooLong }
      try visit(chain.left)
      try visit(chain.right)
    case .tree(let tree, _): try visit(tree)
    }
  }

  private mutating func visit(_ tree: ExpressionTree) throws {
    switch tree {
    case .negative(let operand), .bitwiseNot(let operand), .cast(let operand, _),
      .collate(let operand, _):
      try visit(operand)
    case .function(_, let nodes), .row(let nodes), .list(let nodes): try visit(nodes)
    case .predicate(let predicate): try visit(predicate)
    case .subquery(let statement): try visit(subquery: statement)
    case .call(let call): try visit(call)
    case .cases(let cases):
      try cases.base.map { try visit($0) }
      for branch in cases.branches {
        switch branch.condition {
        case .predicate(let predicate): try visit(predicate)
        case .value(let value): try visit(value)
        }
      }
      try visit(cases.results)
    case .composed(let parts): try visit(parts)
    }
  }

  private mutating func visit(_ call: FunctionCall) throws {
    let arguments = call.arguments ?? []
    if scopes[current].parent != nil {
      let tables = Set(try arguments.flatMap { try $0.columns }.map(\.table))
      guard tables.isEmpty || !tables.isDisjoint(with: scopes[current].statement.tables) else {
        throw QueryError("a subquery has an aggregate over the rows around it")
      }
    }
    try visit(arguments + call.order.map(\.expression))
    try call.filter.map { try visit($0) }
  }

  private mutating func visit(_ parts: [SQLFragment.Part]) throws {
    for part in parts {
      switch part {
      case .sql: break
      case .expression(let node): try visit(node)
      case .predicate(let node): try visit(node)
      }
    }
  }

  private mutating func visit(_ node: PredicateNode) throws {
    switch node {
    case .compareColumn, .fragment, .constant, .invalid: break
    case .chain(let chain): for operand in chain.operands { try visit(operand) }
    case .tree(let tree, _): try visit(tree)
    }
  }

  private mutating func visit(_ tree: PredicateTree) throws {
    switch tree {
    case .compare(_, let left, let right): try visit([left, right])
    case .not(let operand): try visit(operand)
    case .match(_, let subject, let pattern, let escape):
      try visit([subject, pattern] + [escape].compactMap(\.self))
    case .between(let subject, let lower, let upper): try visit([subject, lower, upper])
    case .isIn(let subject, _, _), .test(_, let subject): try visit(subject)
    case .isInQuery(let subject, let statement, let isOptional):
      try visit(subject)
      try visit(subquery: statement, subject: subject, isOptional: isOptional)
    case .exists(let statement): try visit(subquery: statement)
    case .composed(let parts): try visit(parts)
    }
  }

  private static var tooLong: QueryError { QueryError("it has a very long chain of operators") }
}
