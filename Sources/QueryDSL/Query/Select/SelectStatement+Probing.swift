import SQLCore

// To evaluate IN with a subquery, SQLite first collects all values of the subquery. This is faster
// if IN is evaluated for many rows, and slower if it is evaluated for a few. This file replaces IN
// by EXISTS, so that SQLite looks for the value of each row in an index.

extension SelectStatement {
  /// Returns the query with EXISTS in place of each IN that compares a column with the only
  /// selected column of a subquery. IN inside a subquery is replaced, too. For example, the first
  /// line becomes the second:
  ///
  /// ```sql
  /// entry.id NOT IN (SELECT entryID FROM read WHERE userID = ?)
  /// NOT EXISTS (SELECT entryID FROM read WHERE userID = ? AND entry.id = entryID)
  /// ```
  ///
  /// The result is the same. Throws `QueryError` if an expression has a part that cannot be
  /// rebuilt.
  ///
  /// - Parameter canBeNull: A closure that returns whether a column can be NULL. If a column on
  ///   either side of IN can be NULL, the result of IN can be NULL, too. Such an IN is replaced
  ///   only if it treats NULL as Swift treats nil.
  package func probing(
    canBeNull: @escaping (ColumnID) -> Bool
  ) throws -> SelectStatement {
    try Probing(canBeNull: canBeNull).statement(self)
  }
}

extension SelectStatement {
  /// Returns the query with its conditions and its selected expressions replaced by the results of
  /// two closures. The conditions are those in WHERE, ON and HAVING. A query that is not plain, for
  /// example with WITH or UNION, is returned unchanged.
  ///
  /// - Parameter expression: A closure that returns the new expression for a selected expression.
  ///   If it is nil, the selected expressions and HAVING are not changed.
  func rebuilt(
    selecting expression: ((ExpressionNode) throws -> ExpressionNode)?,
    _ predicate: (PredicateNode) throws -> PredicateNode
  ) throws -> SelectStatement {
    guard extras?.content.isPlain ?? true else { return self }
    var result = self
    if let expression, case .terms(let terms) = selection {
      result.selection = .terms(
        try terms.map { term in
          switch term {
          case .table: term
          case .expression(let node): .expression(try expression(node))
          case .aliased(let node, let name): .aliased(try expression(node), name)
          }
        })
    }
    result.predicates = ShortList(try predicates.map(predicate))
    if !joins.isEmpty {
      result.joins = try joins.map {
        Join(kind: $0.kind, table: $0.table, condition: try $0.condition.map(predicate))
      }
    }
    if expression != nil, !having.isEmpty {
      result.having = ShortList(try having.map(predicate))
    }
    return result
  }
}

private struct Probing {
  let canBeNull: (ColumnID) -> Bool

  func statement(_ statement: SelectStatement) throws -> SelectStatement {
    try statement.rebuilt(selecting: expression, predicate)
  }

  private func expression(_ node: ExpressionNode) throws -> ExpressionNode {
    try node.replacing { node in
      switch node {
      case .tree(.subquery(let statement), _): .subquery(try self.statement(statement))
      case .tree(.predicate(let predicate), _): .predicate(try self.predicate(predicate))
      case .tree(.call, _), .fragment, .tree(.composed, _): node
      default: nil
      }
    }
  }

  private func predicate(_ node: PredicateNode) throws -> PredicateNode {
    switch node {
    case .compareColumn, .fragment, .constant, .invalid: return node
    case .chain(let chain):
      let operands = try chain.operands.map(predicate)
      return chain.connective == .and ? .all(operands) : .any(operands)
    case .tree(.not(let operand), _): return .not(try predicate(operand))
    case .tree(.exists(let statement), _): return .exists(try self.statement(statement))
    case .tree(.isInQuery(let subject, let statement, let isOptional), _):
      let inner = try self.statement(statement)
      return probe(subject, inner, isOptional: isOptional)
        ?? .isInQuery(subject, inner, isOptional: isOptional)
    case .tree(.composed, _): return node
    case .tree:
      return try node.replacing { node in
        let replaced = try self.expression(node)
        return .some(replaced)
      }
    }
  }

  /// Returns an EXISTS that means the same as `subject IN (statement)`; nil if IN must stay.
  private func probe(
    _ subject: ExpressionNode, _ statement: SelectStatement, isOptional: Bool
  ) -> PredicateNode? {
    guard case .column(let column) = subject, statement.limit == nil, statement.offset == nil,
      !statement.isGrouped, statement.extras?.content.isPlain ?? true,
      case .terms(let terms) = statement.selection, terms.count == 1
    else { return nil }
    let selected: ExpressionNode =
      switch terms[0] {
      case .table(let table): .column(ColumnID(table: table, index: 0))
      case .expression(let node), .aliased(let node, _): node
      }
    guard case .column(let other) = selected,
      isOptional || !canBeNull(column) && !canBeNull(other)
    else { return nil }
    var statement = statement
    (statement.isDistinct, statement.order) = (false, .none)
    // SQLite compares by the collation of the left operand, here as with IN. So the column on the
    // left side of IN is also on the left side here.
    statement.predicates.append(.compare(isOptional ? .isSame : .equal, subject, selected))
    return .exists(statement)
  }
}
