// The functions that follow search inside an expression. The nodes are visited in the order in
// which SQLite looks for a COLLATE. The expressions in subqueries, FILTER and OVER are not visited.

extension ExpressionNode {
  /// Calls a closure with this node and then with the nodes inside it. Returns the first result
  /// that is not nil.
  func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    if let found = result(self) { return found }
    return switch self {
    case .column, .rowID, .value, .fragment, .invalid, .countOfRows, .constant, .resultColumn,
      .parameter:
      nil
    case .adapting(let adapting): adapting.standard.first(result)
    case .chain(let chain): chain.first(result)
    case .tree(let tree, _): tree.first(result)
    }
  }

  /// Calls a closure with some nodes and the nodes inside them. Returns the first result that is
  /// not nil.
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
  /// Calls a closure with the expressions in the condition. Returns the first result that is not
  /// nil.
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
    // The pattern is visited first, because SQLite calls LIKE and GLOB as functions whose first
    // argument is the pattern.
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

  /// Calls a closure with the expression between CASE and the first WHEN, and with the expressions
  /// in the conditions. Returns the first result that is not nil.
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

// The functions that follow replace nodes inside an expression. For example, a live query replaces
// its aggregates by their values. The nodes are visited in the same order each time. Subqueries are
// not changed. Raw SQL, window functions and very long chains cannot be rebuilt, so the functions
// throw an error if the expression contains them.

extension ExpressionNode {
  /// Replaces each node for which `replacement` returns another node. Nodes inside a replaced node
  /// are not visited. Throws `QueryError` if a node that is not replaced is raw SQL, a call of an
  /// aggregate or a window function, or a chain of more than 32 operands.
  func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> ExpressionNode {
    if let replaced = try replacement(self) { return replaced }
    switch self {
    case .column, .rowID, .value, .invalid, .countOfRows, .constant, .resultColumn, .parameter:
      return self
    case .adapting(let adapting): return try adapting.standard.replacing(replacement)
    case .fragment: throw QueryError.cannotRebuild
    case .chain(let chain):
      guard chain.count <= TreeLimits.maximumRecursion else { throw QueryError.cannotRebuild }
      return .binary(
        chain.sign, try chain.left.replacing(replacement), try chain.right.replacing(replacement))
    case .tree(let tree, _): return try tree.replacing(replacement)
    }
  }
}

extension ExpressionNode {
  /// The columns that the expression names. Throws `QueryError` if the expression cannot be
  /// rendered.
  package var columns: Set<ColumnID> {
    get throws {
      try Shape.columns { write(to: &$0) }
    }
  }

  /// Replaces each column for which `replacement` returns another column. A column that a
  /// `PredicateNode.compareColumn` compares with a value, as in `a = ?`, is not replaced. Throws
  /// `QueryError` if the expression contains raw SQL, an aggregate, a window function or a chain of
  /// more than 32 operands.
  package func replacingColumns(
    _ replacement: (ColumnID) -> ColumnID?
  ) throws -> ExpressionNode {
    try replacing { node in
      guard case .column(let column) = node else { return nil }
      return replacement(column).map { .column($0) }
    }
  }
}

extension ExpressionTree {
  fileprivate func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> ExpressionNode {
    switch self {
    case .negative(let operand): .negative(try operand.replacing(replacement))
    case .bitwiseNot(let operand): .bitwiseNot(try operand.replacing(replacement))
    case .function(let name, let arguments):
      .function(name, try arguments.map { try $0.replacing(replacement) })
    case .row(let nodes): .row(try nodes.map { try $0.replacing(replacement) })
    case .list(let nodes): .list(try nodes.map { try $0.replacing(replacement) })
    case .predicate(let predicate): .predicate(try predicate.replacing(replacement))
    case .cases(let cases): .cases(try cases.replacing(replacement))
    case .cast(let operand, let storageClass):
      .cast(try operand.replacing(replacement), storageClass)
    case .collate(let operand, let name): .collate(try operand.replacing(replacement), name)
    case .subquery(let statement): .subquery(statement)
    case .call, .composed: throw QueryError.cannotRebuild
    }
  }
}

extension PredicateNode {
  /// Replaces each expression in the condition for which `replacement` returns another expression.
  /// A comparison of a column with one value, such as `a = ?`, is not changed. Throws `QueryError`
  /// for the same reasons as `ExpressionNode.replacing`.
  func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> PredicateNode {
    switch self {
    case .compareColumn, .constant, .invalid: return self
    case .fragment: throw QueryError.cannotRebuild
    case .chain(let chain):
      guard chain.count <= TreeLimits.maximumRecursion else { throw QueryError.cannotRebuild }
      let sides = chain.sides
      let (left, right) = (
        try sides.left.replacing(replacement), try sides.right.replacing(replacement)
      )
      return chain.connective == .and ? .and(left, right) : .or(left, right)
    case .tree(let tree, _): return try tree.replacing(replacement)
    }
  }
}

extension PredicateTree {
  fileprivate func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> PredicateNode {
    switch self {
    case .compare(let sign, let left, let right):
      .compare(sign, try left.replacing(replacement), try right.replacing(replacement))
    case .not(let operand): .not(try operand.replacing(replacement))
    case .match(let sign, let subject, let pattern, let escape):
      .match(
        sign, try subject.replacing(replacement), try pattern.replacing(replacement),
        escape: try escape?.replacing(replacement))
    case .between(let subject, let lower, let upper):
      .between(
        try subject.replacing(replacement), try lower.replacing(replacement),
        try upper.replacing(replacement))
    case .isIn(let subject, let values, let containsNull):
      .isIn(try subject.replacing(replacement), values, containsNull: containsNull)
    case .test(let sign, let subject): .test(sign, try subject.replacing(replacement))
    case .isInQuery(let subject, let statement, let isOptional):
      .isInQuery(try subject.replacing(replacement), statement, isOptional: isOptional)
    case .exists(let statement): .exists(statement)
    case .composed: throw QueryError.cannotRebuild
    }
  }
}

extension CaseNode {
  fileprivate func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> CaseNode {
    let base = try base?.replacing(replacement)
    let branches = try branches.map { branch in
      let condition: Condition =
        switch branch.condition {
        case .predicate(let predicate): .predicate(try predicate.replacing(replacement))
        case .value(let value): .value(try value.replacing(replacement))
        }
      return (condition: condition, result: try branch.result.replacing(replacement))
    }
    return CaseNode(
      base: base, branches: branches, otherwise: try otherwise?.replacing(replacement))
  }
}

extension QueryError {
  fileprivate static var cannotRebuild: QueryError {
    QueryError(
      "an expression contains raw SQL, a window function, or a very long chain of operators")
  }
}
