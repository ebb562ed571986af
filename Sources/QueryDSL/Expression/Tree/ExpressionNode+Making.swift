import SQLCore

// Trees of expressions are built only by the functions in this file. Each function calculates the
// depth of its tree. If the tree would be too deep, the function returns an error, which is thrown
// when the query is rendered.

extension ExpressionNode {
  /// How many levels of operands the expression has, such as 1 for `a + b`.
  package var depth: Int {
    switch self {
    case .tree(_, let depth): depth
    case .chain(let chain): chain.operandDepth + 1
    case .adapting(let adapting): adapting.standard.depth
    case .column, .rowID, .value, .fragment, .invalid, .countOfRows, .constant, .resultColumn,
      .parameter:
      0
    }
  }

  private static func tree(_ tree: ExpressionTree, over operandDepth: Int) -> ExpressionNode {
    guard operandDepth < TreeLimits.maximumDepth else { return .invalid(TreeLimits.tooDeep) }
    return .tree(tree, depth: operandDepth + 1)
  }

  /// Returns an operator with its two operands, such as `a + b`.
  static func binary(
    _ sign: SQLToken, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> ExpressionNode {
    // If the left operand is an error, this error replaces the whole expression. The right operand
    // is dropped, so that the tree stops growing.
    if case .invalid = left { return left }
    let chain = OperatorChain(sign, left, right)
    guard chain.operandDepth < TreeLimits.maximumDepth else { return .invalid(TreeLimits.tooDeep) }
    guard chain.isAssociative || chain.count <= TreeLimits.maximumOperands else {
      return .invalid(TreeLimits.tooLong)
    }
    return .chain(chain)
  }

  /// `-a`
  static func negative(_ operand: ExpressionNode) -> ExpressionNode {
    tree(.negative(operand), over: operand.depth)
  }

  /// `~a`
  static func bitwiseNot(_ operand: ExpressionNode) -> ExpressionNode {
    tree(.bitwiseNot(operand), over: operand.depth)
  }

  /// `f(a, b)`
  static func function(_ name: String, _ arguments: [ExpressionNode]) -> ExpressionNode {
    tree(.function(name, arguments), over: depth(of: arguments))
  }

  /// Returns an expression whose value is the result of a condition.
  static func predicate(_ predicate: PredicateNode) -> ExpressionNode {
    tree(.predicate(predicate), over: predicate.depth)
  }

  /// `(SELECT …)`
  static func subquery(_ statement: SelectStatement) -> ExpressionNode {
    tree(.subquery(statement), over: statement.depth + TreeLimits.depthOfQuery)
  }

  /// Returns the expression for a call of an aggregate or a window function.
  static func call(_ call: FunctionCall) -> ExpressionNode { tree(.call(call), over: call.depth) }

  /// `CASE … END`
  static func cases(_ cases: CaseNode) -> ExpressionNode { tree(.cases(cases), over: cases.depth) }

  /// `CAST(a AS TEXT)`
  static func cast(_ operand: ExpressionNode, _ storageClass: StorageClass) -> ExpressionNode {
    tree(.cast(operand, storageClass), over: operand.depth)
  }

  /// `a COLLATE "name"`
  @usableFromInline
  package static func collate(_ operand: ExpressionNode, _ name: String) -> ExpressionNode {
    tree(.collate(operand, name), over: operand.depth)
  }

  /// `(a, b)`
  static func row(_ nodes: [ExpressionNode]) -> ExpressionNode {
    tree(.row(nodes), over: depth(of: nodes))
  }

  /// Returns a list of expressions with commas between them, such as `a, b`. Such a list is a part
  /// of a SELECT clause.
  static func list(_ nodes: [ExpressionNode]) -> ExpressionNode {
    tree(.list(nodes), over: depth(of: nodes))
  }

  /// Returns the expression for raw SQL that contains expressions of the query.
  static func composed(_ parts: [SQLFragment.Part]) -> ExpressionNode {
    tree(.composed(parts), over: SQLFragment.depth(of: parts))
  }

  /// Returns the depth of the deepest node.
  static func depth(of nodes: [ExpressionNode]) -> Int {
    var depth = 0
    for node in nodes { depth = max(depth, node.depth) }
    return depth
  }
}

extension SQLFragment {
  /// Returns the depth of the deepest expression among the parts.
  static func depth(of parts: [Part]) -> Int {
    var depth = 0
    for part in parts {
      switch part {
      case .sql: break
      case .expression(let node): depth = max(depth, node.depth)
      case .predicate(let node): depth = max(depth, node.depth)
      }
    }
    return depth
  }
}

extension CaseNode {
  fileprivate var depth: Int {
    var depth = max(base?.depth ?? 0, otherwise?.depth ?? 0)
    for branch in branches {
      switch branch.condition {
      case .predicate(let node): depth = max(depth, node.depth)
      case .value(let node): depth = max(depth, node.depth)
      }
      depth = max(depth, branch.result.depth)
    }
    return depth
  }
}

extension FunctionCall {
  fileprivate var depth: Int {
    var depth = max(ExpressionNode.depth(of: arguments ?? []), filter?.depth ?? 0)
    if case .specification(let window) = window { depth = max(depth, window.depth) }
    for term in order { depth = max(depth, term.expression.depth) }
    return depth
  }
}

extension WindowSpecification {
  /// The depth of the deepest expression in the window.
  var depth: Int {
    order.reduce(ExpressionNode.depth(of: partition)) { max($0, $1.expression.depth) }
  }
}

// SQLite compares an operand by the collation of the first COLLATE inside it, however deep. It
// ignores a COLLATE in a subquery, FILTER or OVER. A COLLATE in a condition of CASE or iif would
// therefore also decide how the result of CASE or iif is compared. For example, if the condition
// compares decimals, texts that are the results would be compared as numbers. To avoid this, such a
// CASE or iif gets a COLLATE of its own.
// https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql

extension ExpressionNode {
  /// Returns the collation if the node is `a COLLATE "name"`; otherwise nil.
  static func collation(of node: ExpressionNode) -> String? {
    if case .tree(.collate(_, let name), _) = node { name } else { nil }
  }

  /// The first collation that a COLLATE in the expression names; nil if there is no COLLATE. SQLite
  /// compares the expression with this collation.
  package var firstCollation: String? { first(Self.collation) }

  /// Whether the expression contains a COLLATE. A COLLATE in raw SQL is ignored.
  var containsCollation: Bool { firstCollation != nil }

  /// Adds a COLLATE to this expression if SQLite would otherwise compare it with a wrong collation,
  /// such as one from a condition of CASE.
  ///
  /// Numbers and BLOBs need no COLLATE, because they are compared without a collation. If `type`
  /// has a collation, it is already written in every comparison.
  ///
  /// - Parameters:
  ///   - results: The expressions that can be the value, such as the results of CASE.
  ///   - containsOther: Whether an expression that is not a result, such as a condition of CASE,
  ///     contains a COLLATE.
  func compared<Value: ColumnValue>(
    as type: Value.Type, _ form: StoredForm, like results: [ExpressionNode],
    despite containsOther: Bool
  ) -> ExpressionNode {
    switch Value.storageClass(as: form) {
    case .integer, .real, .blob: return self
    case .text, .null, nil: break
    }
    guard containsOther, Value.collationName == nil else { return self }
    return .collate(self, Self.first(in: results, Self.collation) ?? Collation.binary.name)
  }
}

extension CaseNode {
  /// Returns the CASE expression, with a COLLATE if necessary. SQLite then compares the expression
  /// with the collation of its results, not of its conditions.
  func expression<Value: ColumnValue>(of type: Value.Type, _ form: StoredForm) -> ExpressionNode {
    ExpressionNode.cases(self).compared(
      as: type, form, like: results,
      despite: firstInConditions(ExpressionNode.collation) != nil)
  }
}
