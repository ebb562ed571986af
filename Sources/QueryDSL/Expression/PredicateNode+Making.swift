import SQLCore

// Trees are made by these functions and by no others: they know how deep each is, and put an error in
// the place of one that would be too deep.

extension PredicateNode {
  /// How many levels of operands it has.
  package var depth: Int {
    switch self {
    case .tree(_, let depth): depth
    case .chain(let chain): chain.operandDepth + 1
    case .compareColumn, .fragment, .constant, .invalid: 0
    }
  }

  private static func tree(_ tree: PredicateTree, over operandDepth: Int) -> PredicateNode {
    guard operandDepth < TreeLimits.maximumDepth else { return .invalid(TreeLimits.tooDeep) }
    return .tree(tree, depth: operandDepth + 1)
  }

  private static func join(
    _ connective: SQLToken, _ left: PredicateNode, _ right: PredicateNode
  ) -> PredicateNode {
    // An error goes on, and what it would hold is let go: nothing grows behind it.
    if case .invalid = left { return left }
    let chain = PredicateChain(connective, left, right)
    guard chain.operandDepth < TreeLimits.maximumDepth else { return .invalid(TreeLimits.tooDeep) }
    return .chain(chain)
  }

  /// `a AND b`
  @usableFromInline
  package static func and(_ left: PredicateNode, _ right: PredicateNode) -> PredicateNode {
    join(.and, left, right)
  }

  /// `a OR b`
  @usableFromInline
  package static func or(_ left: PredicateNode, _ right: PredicateNode) -> PredicateNode {
    join(.or, left, right)
  }

  /// `NOT a`
  @usableFromInline
  package static func not(_ operand: PredicateNode) -> PredicateNode {
    tree(.not(operand), over: operand.depth)
  }

  /// All hold; where there is none, it holds.
  static func all(_ operands: [PredicateNode]) -> PredicateNode {
    guard let first = operands.first else { return .constant(true) }
    return operands.dropFirst().reduce(first, and)
  }

  /// At least one holds; where there is none, none does.
  static func any(_ operands: [PredicateNode]) -> PredicateNode {
    guard let first = operands.first else { return .constant(false) }
    return operands.dropFirst().reduce(first, or)
  }

  /// `a < b`, and other comparisons.
  @usableFromInline
  package static func compare(
    _ sign: SQLToken, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> PredicateNode {
    tree(.compare(sign, left, right), over: max(left.depth, right.depth))
  }

  /// `a LIKE b ESCAPE c`, `a GLOB b`
  static func match(
    _ sign: SQLToken, _ subject: ExpressionNode, _ pattern: ExpressionNode,
    escape: ExpressionNode?
  ) -> PredicateNode {
    tree(
      .match(sign, subject, pattern, escape: escape), over: max(subject.depth, pattern.depth))
  }

  /// `a BETWEEN b AND c`
  static func between(
    _ subject: ExpressionNode, _ lower: ExpressionNode, _ upper: ExpressionNode
  ) -> PredicateNode {
    tree(
      .between(subject, lower, upper), over: max(subject.depth, lower.depth, upper.depth))
  }

  /// `a IN (…)`, of bound values.
  static func isIn(
    _ subject: ExpressionNode, _ values: BoundValue, containsNull: BoundValue?
  ) -> PredicateNode {
    tree(.isIn(subject, values, containsNull: containsNull), over: subject.depth)
  }

  /// `a IN (SELECT …)`
  static func isInQuery(
    _ subject: ExpressionNode, _ query: SelectStatement, isOptional: Bool
  ) -> PredicateNode {
    tree(
      .isInQuery(subject, query, isOptional: isOptional),
      over: max(subject.depth, query.depth + TreeLimits.depthOfQuery))
  }

  /// `a IS NULL`
  static func isNull(_ subject: ExpressionNode) -> PredicateNode {
    tree(.isNull(subject), over: subject.depth)
  }

  /// `a IS NOT NULL`
  static func isNotNull(_ subject: ExpressionNode) -> PredicateNode {
    tree(.isNotNull(subject), over: subject.depth)
  }

  /// `EXISTS (SELECT …)`
  static func exists(_ query: SelectStatement) -> PredicateNode {
    tree(.exists(query), over: query.depth + TreeLimits.depthOfQuery)
  }

  /// Raw SQL with expressions between its parts.
  static func composed(_ parts: [SQLFragment.Part]) -> PredicateNode {
    tree(.composed(parts), over: SQLFragment.depth(of: parts))
  }
}
