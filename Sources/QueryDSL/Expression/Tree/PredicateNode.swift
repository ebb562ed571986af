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
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .compareColumn(let sign, let column, let value):
      try sink.column(column)
      try sink.token(sign)
      if !sign.containsValue { try sink.value(value) }
    case .fragment(let sql): try sink.fragment(sql)
    case .constant(let holds): try sink.token(holds ? .one : .zero)
    case .invalid(let error): throw error
    case .chain(let chain): try chain.write(to: &sink)
    case .tree(let tree, _): try tree.write(to: &sink)
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
  func writeOperand<Sink: QuerySink>(to sink: inout Sink, binding needed: Precedence) throws {
    if precedence >= needed { return try write(to: &sink) }
    try sink.token(.open)
    try write(to: &sink)
    try sink.token(.close)
  }

  /// Writes conditions joined by AND.
  static func write<Sink: QuerySink>(
    all operands: [PredicateNode], to sink: inout Sink
  ) throws {
    guard !operands.isEmpty else { return try sink.token(.one) }
    if operands.count == 1 { return try operands[0].write(to: &sink) }
    try writeGroups(operands[...], joinedBy: .and, to: &sink)
  }
}

extension PredicateTree {
  // Each kind is unpacked in a function of its own. This function is on the stack once for each
  // level of the tree, so its frame must stay small.
  fileprivate func write<Sink: QuerySink>(to sink: inout Sink) throws {
    switch self {
    case .compare: try writeComparison(to: &sink)
    case .not: try writeNegation(to: &sink)
    case .match: try writeMatch(to: &sink)
    case .between: try writeBetween(to: &sink)
    case .isIn: try writeIsIn(to: &sink)
    case .isInQuery: try writeIsInQuery(to: &sink)
    case .test: try writeTest(to: &sink)
    case .exists: try writeExists(to: &sink)
    case .composed: try writeParts(to: &sink)
    }
  }

  private func writeComparison<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .compare(let sign, let left, let right) = self else { return }
    try left.writeOperand(to: &sink)
    try sink.token(sign)
    try right.writeOperand(to: &sink)
  }

  private func writeNegation<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .not(let operand) = self else { return }
    try sink.token(.not)
    try operand.writeOperand(to: &sink, binding: .not)
  }

  private func writeMatch<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .match(let sign, let subject, let pattern, let escape) = self else { return }
    try subject.writeOperand(to: &sink)
    try sink.token(sign)
    try pattern.writeOperand(to: &sink)
    if let escape {
      try sink.token(.escape)
      try escape.writeOperand(to: &sink)
    }
  }

  private func writeBetween<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .between(let subject, let lower, let upper) = self else { return }
    try subject.writeOperand(to: &sink)
    try sink.token(.between)
    try lower.writeOperand(to: &sink)
    try sink.token(.and)
    try upper.writeOperand(to: &sink)
  }

  private func writeIsIn<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .isIn(let subject, let values, let containsNull) = self else { return }
    try Self.writeIsIn(subject, values, containsNull, to: &sink)
  }

  private func writeIsInQuery<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .isInQuery(let subject, let query, let isOptional) = self else { return }
    try isOptional
      ? Self.writeIsInNullable(subject, query, to: &sink)
      : Self.writeIsIn(subject, query, to: &sink)
  }

  private func writeTest<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .test(let sign, let subject) = self else { return }
    try subject.writeOperand(to: &sink)
    try sink.token(sign)
  }

  private func writeExists<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .exists(let query) = self else { return }
    try sink.token(.exists)
    try sink.token(.open)
    try query.write(to: &sink)
    try sink.token(.close)
  }

  private func writeParts<Sink: QuerySink>(to sink: inout Sink) throws {
    guard case .composed(let parts) = self else { return }
    for part in parts { try part.write(to: &sink) }
  }
}
