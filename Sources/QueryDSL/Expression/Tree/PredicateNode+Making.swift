import SQLCore

// Trees of conditions are built only by the functions in this file. Each function calculates the
// depth of its tree. If the tree would be too deep, the function returns an error, which is thrown
// when the query is rendered.

extension PredicateNode {
  /// How many levels of operands the condition has, such as 1 for `NOT a = ?`.
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
    _ connective: SQLToken, _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) -> PredicateNode {
    // If the left operand is an error, this error replaces the whole condition. The right operand
    // is dropped, so that the tree stops growing.
    if case .invalid = left { return left }
    let chain = PredicateChain(connective, left, right)
    guard chain.operandDepth < TreeLimits.maximumDepth else { return .invalid(TreeLimits.tooDeep) }
    return .chain(chain)
  }

  /// `a AND b`
  @usableFromInline
  package static func and(
    _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) -> PredicateNode {
    join(.and, left, right)
  }

  /// `a OR b`
  @usableFromInline
  package static func or(
    _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) -> PredicateNode {
    join(.or, left, right)
  }

  /// `NOT a`
  @usableFromInline
  package static func not(_ operand: PredicateNode) -> PredicateNode {
    tree(.not(operand), over: operand.depth)
  }

  /// Joins conditions by AND. The result is true if there are no conditions.
  static func all(_ operands: [PredicateNode]) -> PredicateNode {
    guard let first = operands.first else { return .constant(true) }
    return operands.dropFirst().reduce(first) { and($0, $1) }
  }

  /// Joins conditions by OR. The result is false if there are no conditions.
  static func any(_ operands: [PredicateNode]) -> PredicateNode {
    guard let first = operands.first else { return .constant(false) }
    return operands.dropFirst().reduce(first) { or($0, $1) }
  }

  /// Returns a comparison of two expressions, such as `a < b`.
  @usableFromInline
  package static func compare(
    _ sign: SQLToken, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> PredicateNode {
    tree(.compare(sign, left, right), over: max(left.depth, right.depth))
  }

  /// Returns a comparison of a text with a pattern: `a LIKE b ESCAPE c` or `a GLOB b`.
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

  /// Returns the condition `a IN (…)` for a list of values, which is bound as one array.
  package static func isIn(
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

  /// Returns a comparison whose value is written into the SQL, such as `a IS NULL` or `a = 1`.
  @usableFromInline
  package static func test(_ sign: SQLToken, _ subject: ExpressionNode) -> PredicateNode {
    tree(.test(sign, subject), over: subject.depth)
  }

  /// `a IS NULL`
  static func isNull(_ subject: ExpressionNode) -> PredicateNode {
    test(.isNull, subject)
  }

  /// `a IS NOT NULL`
  static func isNotNull(_ subject: ExpressionNode) -> PredicateNode {
    test(.isNotNull, subject)
  }

  /// `EXISTS (SELECT …)`
  static func exists(_ query: SelectStatement) -> PredicateNode {
    tree(.exists(query), over: query.depth + TreeLimits.depthOfQuery)
  }

  /// Returns the condition for raw SQL that contains expressions of the query.
  static func composed(_ parts: [SQLFragment.Part]) -> PredicateNode {
    tree(.composed(parts), over: SQLFragment.depth(of: parts))
  }
}

// In SQL, `NULL IN (…)`, `NULL NOT IN (…)` and `1 IN (2, NULL)` are all NULL. For optionals, `isIn`
// follows Swift instead: nil is in the list if the list contains nil. For this purpose, `isIn` is
// written as two conditions, one for values and one for NULL, which are joined by OR. Neither of
// the two conditions is ever NULL, and both can use an index.

extension PredicateTree {
  static func writeIsIn(
    _ subject: ExpressionNode, _ values: BoundValue, _ containsNull: BoundValue?,
    to writer: inout ShapeWriter
  ) {
    guard let containsNull else {
      return writeMembership(subject, values, to: &writer)
    }
    subject.writeOperand(to: &writer)
    writer.token(.isNotNull)
    writer.token(.and)
    writeMembership(subject, values, to: &writer)
    writer.token(.or)
    subject.writeOperand(to: &writer)
    writer.token(.isNull)
    writer.token(.and)
    writer.value(containsNull)
  }

  private static func writeMembership(
    _ subject: ExpressionNode, _ values: BoundValue, to writer: inout ShapeWriter
  ) {
    subject.writeOperand(to: &writer)
    writer.token(.in)
    writer.token(.open)
    writer.token(.arrayValues)
    writer.token(.open)
    writer.value(values)
    writer.token(.close)
    writer.token(.close)
  }

  static func writeIsInNullable(
    _ subject: ExpressionNode, _ query: SelectStatement, to writer: inout ShapeWriter
  ) {
    let named = query.naming(["value"])
    subject.writeOperand(to: &writer)
    writer.token(.isNotNull)
    writer.token(.and)
    subject.writeOperand(to: &writer)
    writer.token(.in)
    writer.token(.open)
    writer.token(.selectValueFrom)
    named.write(to: &writer)
    writer.token(.valueIsNotNull)
    writer.token(.close)
    writer.token(.or)
    subject.writeOperand(to: &writer)
    writer.token(.isNull)
    writer.token(.and)
    writer.token(.exists)
    writer.token(.open)
    writer.token(.selectValueFrom)
    named.write(to: &writer)
    writer.token(.valueIsNull)
    writer.token(.close)
  }
}

extension SelectStatement {
  /// Returns the statement with an alias for each selected expression. Where ORDER BY names a
  /// result column, it now names the alias of this column.
  func naming(_ names: [String]) -> SelectStatement {
    var named = self
    let former = selectedNames
    named.order = ShortList(
      order.map { term in
        guard case .resultColumn(let name) = term.expression,
          let index = former.firstIndex(where: { $0?.isSame(as: name) ?? false }),
          index < names.count
        else { return term }
        return OrderTerm(
          .resultColumn(names[index]), term.isDescending ? .descending : .ascending, term.nulls)
      })
    if let compound = extras?.content.compound {
      named.changeExtras {
        $0.compound = CompoundNode(first: compound.first.naming(names), others: compound.others)
      }
    }
    guard case .terms(let terms) = selection, terms.count == names.count else { return named }
    named.selection = .terms(
      zip(terms, names).map { term, name in
        switch term {
        case .expression(let node), .aliased(let node, _): .aliased(node, name)
        case .table: term
        }
      })
    return named
  }

  /// The names of the selected expressions; nil for an expression without a name.
  private var selectedNames: [String?] {
    if let compound = extras?.content.compound { return compound.first.selectedNames }
    guard case .terms(let terms) = selection else { return [] }
    return terms.map { term in
      switch term {
      case .aliased(_, let name): name
      case .expression(.column(let id)):
        LayoutRegistry.shared.layout(number: id.table.layout)?.columns[Int(id.index)].name
      case .expression, .table: nil
      }
    }
  }
}
