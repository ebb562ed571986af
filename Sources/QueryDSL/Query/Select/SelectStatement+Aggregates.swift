import SQLCore

// These functions analyse and rewrite a query with GROUP BY or aggregates. Live results use them to
// stay up to date.

extension SelectStatement {
  /// Whether GROUP BY, HAVING or aggregates combine several rows into one. An aggregate in raw SQL
  /// is not recognised.
  package var isGrouped: Bool {
    if !groups.isEmpty || !having.isEmpty { return true }
    guard case .terms(let terms) = selection else { return false }
    return terms.contains { term in
      switch term {
      case .table: false
      case .expression(let node), .aliased(let node, _): node.containsAggregate
      }
    }
  }

  /// Returns the query with each aggregate of SELECT, HAVING and ORDER BY replaced by the result of
  /// a closure. Each call of this function passes the aggregates to the closure in the same order.
  ///
  /// Throws `QueryError` if an expression has a part that cannot be rebuilt.
  package func replacingAggregates(
    _ replacement: (AggregateNode) throws -> ExpressionNode
  ) throws -> SelectStatement {
    try replacing { try AggregateNode($0).map(replacement) }
  }

  /// Returns the query with expressions of SELECT, HAVING and ORDER BY replaced by the results of a
  /// closure. If the closure returns nil for an expression, the expression stays, and the closure
  /// is called for its parts.
  func replacing(
    _ replacement: (ExpressionNode) throws -> ExpressionNode?
  ) throws -> SelectStatement {
    func replace(_ node: ExpressionNode) throws -> ExpressionNode {
      try node.replacing(replacement)
    }
    var statement = self
    if case .terms(let terms) = selection {
      statement.selection = .terms(
        try terms.map { term in
          switch term {
          case .table: term
          case .expression(let node): .expression(try replace(node))
          case .aliased(let node, let name): .aliased(try replace(node), name)
          }
        })
    }
    if !having.isEmpty {
      statement.having = ShortList(
        try having.map { try $0.replacing(replacement) })
    }
    statement.order = ShortList(
      try order.map { OrderTerm(try replace($0.expression), of: $0) })
    return statement
  }

  /// The columns that occur in SELECT, HAVING or ORDER BY. Throws `QueryError` if these clauses
  /// cannot be rendered.
  package var shownColumns: Set<ColumnID> {
    get throws {
      try Shape.columns { writer in
        switch selection {
        case .table(let table): writer.allColumns(of: table)
        case .terms(let terms): Self.write(terms, to: &writer)
        }
        for condition in having { condition.write(to: &writer) }
        OrderTerm.write(order, to: &writer)
      }
    }
  }

  /// The columns in WHERE, in the conditions of joins and in ORDER BY. If only other columns of a
  /// row change, the row stays in the result, and keeps its position. Throws `QueryError` if the
  /// clauses cannot be rendered.
  package var decidingColumns: Set<ColumnID> {
    get throws {
      try Shape.columns { writer in
        for condition in predicates { condition.write(to: &writer) }
        for join in joins { join.condition?.write(to: &writer) }
        OrderTerm.write(order, to: &writer)
      }
    }
  }

  /// Whether a term of ORDER BY names a column of one of the tables. It is also true if a term
  /// cannot be rendered.
  package func isOrdered(by tables: Set<TableID>) -> Bool {
    order.contains { term in
      guard let columns = try? Shape.columns(of: { term.write(to: &$0) }) else { return true }
      return columns.contains { tables.contains($0.table) }
    }
  }

  /// The query without GROUP BY, whose WHERE has the conditions of HAVING instead of its own. A
  /// live query runs it over a table with a single row, which stands for a group.
  package var withoutGroups: SelectStatement {
    var statement = self
    statement.predicates = having
    statement.having = .none
    statement.groups = []
    return statement
  }

  /// The query with other terms in ORDER BY: each name of a result column is replaced by the
  /// expression of this column. A name that is not the alias of a selected expression is not
  /// replaced.
  package var orderedByExpressions: SelectStatement {
    guard case .terms(let terms) = selection else { return self }
    var statement = self
    statement.order = ShortList(
      order.map { term in
        guard case .resultColumn(let name) = term.expression else { return term }
        for case .aliased(let node, let alias) in terms where alias.isSame(as: name) {
          return OrderTerm(node, of: term)
        }
        return term
      })
    return statement
  }
}

extension SelectStatement.OrderTerm {
  /// Makes a term that orders by `expression`, in the direction of `other`, and with NULL first or
  /// last as in `other`.
  fileprivate init(_ expression: ExpressionNode, of other: SelectStatement.OrderTerm) {
    self.init(expression, other.isDescending ? .descending : .ascending, other.nulls)
  }
}
