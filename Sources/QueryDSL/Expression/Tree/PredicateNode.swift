import SQLCore

/// A condition of a query, as a tree. The most common one, a column compared with a value, needs no
/// allocation.
@usableFromInline
package enum PredicateNode: Sendable {
  case compareColumn(SQLToken, ColumnID, BoundValue)
  case fragment(SQL)
  /// A condition that always holds (true), or never (false).
  case constant(Bool)
  case invalid(QueryError)
  /// A chain of AND or of OR.
  case chain(PredicateChain)
  /// Any other condition with operands, and the number of its levels.
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
  /// `containsNull` is set for an optional expression: whether the list contains nil.
  case isIn(ExpressionNode, BoundValue, containsNull: BoundValue?)
  /// `isOptional` is true for an optional expression: NULL is in the list only if the query returns
  /// NULL.
  case isInQuery(ExpressionNode, SelectStatement, isOptional: Bool)
  /// A comparison with a value that is written into the SQL, such as `IS NULL`.
  case test(SQLToken, ExpressionNode)
  case exists(SelectStatement)
  case composed([SQLFragment.Part])
}

extension PredicateNode {
  func write(to writer: inout ShapeWriter) throws {
    switch self {
    case .compareColumn(let sign, let column, let value):
      writer.column(column)
      writer.token(sign)
      if !sign.containsValue { writer.value(value) }
    case .fragment(let sql): writer.fragment(sql)
    case .constant(let holds): writer.token(holds ? .one : .zero)
    case .invalid(let error): throw error
    case .chain(let chain): try chain.write(to: &writer)
    case .tree(let tree, _): try tree.write(to: &writer)
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

  /// Writes the condition as a part of another, in parentheses if its precedence is lower than its
  /// place needs.
  func writeOperand(to writer: inout ShapeWriter, binding needed: Precedence) throws {
    if precedence >= needed { return try write(to: &writer) }
    writer.token(.open)
    try write(to: &writer)
    writer.token(.close)
  }

  /// Writes conditions joined by AND.
  static func write(
    all operands: [PredicateNode], to writer: inout ShapeWriter
  ) throws {
    guard !operands.isEmpty else { return writer.token(.one) }
    if operands.count == 1 { return try operands[0].write(to: &writer) }
    try writeGroups(operands[...], joinedBy: .and, to: &writer)
  }
}

extension PredicateTree {
  // Each kind is unpacked in a function of its own. This function is on the stack once for each
  // level of the tree, so its frame must stay small.
  fileprivate func write(to writer: inout ShapeWriter) throws {
    switch self {
    case .compare: try writeComparison(to: &writer)
    case .not: try writeNegation(to: &writer)
    case .match: try writeMatch(to: &writer)
    case .between: try writeBetween(to: &writer)
    case .isIn: try writeIsIn(to: &writer)
    case .isInQuery: try writeIsInQuery(to: &writer)
    case .test: try writeTest(to: &writer)
    case .exists: try writeExists(to: &writer)
    case .composed: try writeParts(to: &writer)
    }
  }

  private func writeComparison(to writer: inout ShapeWriter) throws {
    guard case .compare(let sign, let left, let right) = self else { return }
    try left.writeOperand(to: &writer)
    writer.token(sign)
    try right.writeOperand(to: &writer)
  }

  private func writeNegation(to writer: inout ShapeWriter) throws {
    guard case .not(let operand) = self else { return }
    writer.token(.not)
    try operand.writeOperand(to: &writer, binding: .not)
  }

  private func writeMatch(to writer: inout ShapeWriter) throws {
    guard case .match(let sign, let subject, let pattern, let escape) = self else { return }
    try subject.writeOperand(to: &writer)
    writer.token(sign)
    try pattern.writeOperand(to: &writer)
    if let escape {
      writer.token(.escape)
      try escape.writeOperand(to: &writer)
    }
  }

  private func writeBetween(to writer: inout ShapeWriter) throws {
    guard case .between(let subject, let lower, let upper) = self else { return }
    try subject.writeOperand(to: &writer)
    writer.token(.between)
    try lower.writeOperand(to: &writer)
    writer.token(.and)
    try upper.writeOperand(to: &writer)
  }

  private func writeIsIn(to writer: inout ShapeWriter) throws {
    guard case .isIn(let subject, let values, let containsNull) = self else { return }
    try Self.writeIsIn(subject, values, containsNull, to: &writer)
  }

  private func writeIsInQuery(to writer: inout ShapeWriter) throws {
    guard case .isInQuery(let subject, let query, let isOptional) = self else { return }
    try isOptional
      ? Self.writeIsInNullable(subject, query, to: &writer)
      : Self.writeIsIn(subject, query, to: &writer)
  }

  private func writeTest(to writer: inout ShapeWriter) throws {
    guard case .test(let sign, let subject) = self else { return }
    try subject.writeOperand(to: &writer)
    writer.token(sign)
  }

  private func writeExists(to writer: inout ShapeWriter) throws {
    guard case .exists(let query) = self else { return }
    writer.token(.exists)
    writer.token(.open)
    try query.write(to: &writer)
    writer.token(.close)
  }

  private func writeParts(to writer: inout ShapeWriter) throws {
    guard case .composed(let parts) = self else { return }
    for part in parts { try part.write(to: &writer) }
  }
}
