import SQLCore

/// A condition of a query, as a tree of nodes. The most common condition compares a column with a
/// value. It is stored without an allocation.
@usableFromInline
package enum PredicateNode: Sendable {
  case compareColumn(SQLToken, ColumnID, BoundValue)
  case fragment(SQL)
  /// A condition that always holds if the value is true, and never holds if it is false.
  case constant(Bool)
  case invalid(QueryError)
  /// A chain of AND or of OR.
  case chain(PredicateChain)
  /// Any other condition with operands. `depth` counts the levels of operands.
  indirect case tree(PredicateTree, depth: Int)
}

/// A condition that contains expressions or other conditions.
@usableFromInline
package enum PredicateTree: Sendable {
  case compare(SQLToken, ExpressionNode, ExpressionNode)
  case not(PredicateNode)
  /// LIKE or GLOB.
  case match(SQLToken, ExpressionNode, ExpressionNode, escape: ExpressionNode?)
  case between(ExpressionNode, ExpressionNode, ExpressionNode)
  /// `a IN (…)` with a list of values. `containsNull` is 1 if NULL is in the list, and 0 if it is
  /// not. If `containsNull` is nil, the condition follows the rule of SQL: `NULL IN (…)` is NULL.
  case isIn(ExpressionNode, BoundValue, containsNull: BoundValue?)
  /// `a IN (SELECT …)`. If `isOptional` is true and `a` is NULL, the test is true if the query
  /// returns a NULL, and false if not.
  case isInQuery(ExpressionNode, SelectStatement, isOptional: Bool)
  /// A comparison with a value that is written into the SQL, such as `IS NULL`.
  case test(SQLToken, ExpressionNode)
  case exists(SelectStatement)
  case composed([SQLFragment.Part])
}

extension PredicateNode {
  func write(to writer: inout ShapeWriter) {
    switch self {
    case .compareColumn(let sign, let column, let value):
      writer.column(column)
      writer.token(sign)
      if !sign.containsValue { writer.value(value) }
    case .fragment(let sql): writer.fragment(sql)
    case .constant(let holds): writer.token(holds ? .one : .zero)
    case .invalid(let error): writer.fail(error)
    case .chain(let chain): chain.write(to: &writer)
    case .tree(let tree, _): tree.write(to: &writer)
    }
  }

  /// The precedence of the outermost operator.
  private var precedence: Precedence {
    switch self {
    case .compareColumn, .invalid: .equality
    case .constant: .primary
    case .fragment: .unknown
    case .chain(let chain): chain.precedence
    case .tree(let tree, _):
      switch tree {
      case .compare, .match, .between, .test: .equality
      case .isIn(_, _, let containsNull): containsNull == nil ? .equality : .or
      case .isInQuery(_, _, let isOptional): isOptional ? .or : .equality
      case .exists: .primary
      case .not: .not
      case .composed: .unknown
      }
    }
  }

  /// Writes the condition as an operand of another condition. Adds parentheses if the precedence of
  /// this condition is lower than `needed`.
  func writeOperand(to writer: inout ShapeWriter, binding needed: Precedence) {
    if precedence >= needed { return write(to: &writer) }
    writer.token(.open)
    write(to: &writer)
    writer.token(.close)
  }

  /// Writes conditions joined by AND.
  static func write(
    all operands: [PredicateNode], to writer: inout ShapeWriter
  ) {
    guard !operands.isEmpty else { return writer.token(.one) }
    if operands.count == 1 { return operands[0].write(to: &writer) }
    writeGroups(operands[...], joinedBy: .and, to: &writer)
  }
}

extension PredicateNode {
  /// Writes the condition as an expression whose value is 1, 0 or NULL.
  func writeValue(to writer: inout ShapeWriter) {
    // A constant condition is written as a comparison, such as `1 = 1`, and not as the number 1 or
    // 0. GROUP BY 1 and ORDER BY 1 would mean the first column of the result.
    switch self {
    case .constant(let holds):
      writer.token(.one)
      writer.token(holds ? .equalOne : .equalZero)
    case .chain(let chain) where chain.isReadAsZero:
      writer.token(.open)
      chain.write(to: &writer)
      writer.token(.close)
      writer.token(.equalOne)
    default: write(to: &writer)
    }
  }
}

extension PredicateTree {
  // This function is not inlined, because a copy in each of its many callers would enlarge their
  // stack frames.
  @inline(never)
  fileprivate func write(to writer: inout ShapeWriter) {
    switch self {
    case .compare(let sign, let left, let right):
      left.writeOperand(to: &writer)
      writer.token(sign)
      right.writeOperand(to: &writer)
    case .not(let operand):
      writer.token(.not)
      operand.writeOperand(to: &writer, binding: .not)
    case .match(let sign, let subject, let pattern, let escape):
      subject.writeOperand(to: &writer)
      writer.token(sign)
      pattern.writeOperand(to: &writer)
      if let escape {
        writer.token(.escape)
        escape.writeOperand(to: &writer)
      }
    case .between(let subject, let lower, let upper):
      subject.writeOperand(to: &writer)
      writer.token(.between)
      lower.writeOperand(to: &writer)
      writer.token(.and)
      upper.writeOperand(to: &writer)
    case .isIn(let subject, let values, let containsNull):
      Self.writeIsIn(subject, values, containsNull, to: &writer)
    case .isInQuery(let subject, let query, isOptional: false):
      subject.writeOperand(to: &writer)
      writer.token(.in)
      query.write(inParenthesesTo: &writer)
    case .isInQuery(let subject, let query, isOptional: true):
      Self.writeIsInNullable(subject, query, to: &writer)
    case .test(let sign, let subject):
      subject.writeOperand(to: &writer)
      writer.token(sign)
    case .exists(let query):
      writer.token(.exists)
      query.write(inParenthesesTo: &writer)
    case .composed(let parts): for part in parts { part.write(to: &writer) }
    }
  }
}
