import SQLCore

// These functions handle the terms of GROUP BY, mainly those that are not columns. Live results use
// them to stay up to date.

extension SelectStatement {
  /// Replaces the expressions of GROUP BY in SELECT, HAVING and ORDER BY by placeholders, called
  /// marks, and returns the query. Columns and the arguments of aggregates are not replaced.
  ///
  /// Throws `QueryError` if an expression cannot be rendered or has a part that cannot be rebuilt.
  ///
  /// - Parameter others: Further expressions that are not replaced, given by their positions in
  ///   GROUP BY.
  package func markingGroups(except others: Set<Int> = []) throws -> SelectStatement {
    var places: [SQL: Int] = [:]
    for (place, group) in groups.enumerated() where !others.contains(place) {
      if case .column = group { continue }
      places[try sql(of: group)] = place
    }
    return try replacing { node in
      switch node {
      case .chain, .tree:
        if AggregateNode(node) != nil { return node }
        return places[try sql(of: node)].map(Self.mark)
      default: return nil
      }
    }
  }

  /// Replaces the marks that `markingGroups` has made. Each mark becomes the value that its term of
  /// GROUP BY has in the given group.
  package func replacingMarks(by group: [DatabaseValue]) throws -> SelectStatement {
    try replacing { node in
      guard case .constant(let text) = node,
        let place = group.indices.first(where: { text == Self.markText($0) })
      else { return nil }
      return .value(.value(group[place]))
    }
  }

  /// Returns the query after replacing the selected expressions that equal a GROUP BY term at one
  /// of the given positions. Such an expression is replaced by its least value in each group. The
  /// values are compared by their bytes.
  ///
  /// A group may have several values that a collation considers equal. Without the replacement,
  /// SQLite would return any one of them, depending on the order in which it reads the rows.
  package func selectingLeastValues(ofGroups places: Set<Int>) throws -> SelectStatement {
    guard !places.isEmpty, case .terms(let terms) = selection else { return self }
    let nodes = try Set(places.map { try sql(of: groups[$0]) })
    func replace(_ node: ExpressionNode) throws -> ExpressionNode {
      guard AggregateNode(node) == nil, nodes.contains(try sql(of: node)) else { return node }
      let bytes = ExpressionNode.collate(node, Collation.binary.name)
      return .call(FunctionCall(kind: .aggregate, name: "min", arguments: [bytes]))
    }
    var statement = self
    statement.selection = .terms(
      try terms.map { term in
        switch term {
        case .table: term
        case .expression(let node): .expression(try replace(node))
        case .aliased(let node, let name): .aliased(try replace(node), name)
        }
      })
    return statement
  }

  /// Returns an aggregate for each GROUP BY term, which counts the rows of a group whose value of
  /// the term is not stored as an INTEGER. The counts are needed because the INTEGER 1 and the REAL
  /// 1.0 belong to the same group. If a group has both, the number in the result depends on the
  /// order in which SQLite reads the rows.
  ///
  /// - Parameter isUniform: A closure that returns whether a column stores equal numbers in the
  ///   same way. A term that is such a column gets no aggregate.
  package func otherClassCounts(except isUniform: (ColumnID) -> Bool) -> [ExpressionNode] {
    groups.compactMap { group in
      if case .column(let column) = group, isUniform(column) { return nil }
      let other = ExpressionNode.function(
        "nullif", [.function("typeof", [group]), .constant("'integer'")])
      return .call(FunctionCall(kind: .aggregate, name: "count", arguments: [other]))
    }
  }

  /// Returns the query without the terms of ORDER BY that repeat the GROUP BY terms at the given
  /// positions. An order by such a term would not separate values that a collation considers equal.
  package func withoutOrder(byGroups places: Set<Int>) throws -> SelectStatement {
    let nodes = try Set(places.map { try sql(of: groups[$0]) })
    var statement = self
    statement.order = ShortList(try order.filter { !nodes.contains(try sql(of: $0.expression)) })
    return statement
  }

  private static func mark(_ place: Int) -> ExpressionNode { .constant(markText(place)) }

  // The text of a mark need not be valid SQL, because SQL that contains a mark never runs.
  private static func markText(_ place: Int) -> String { "the group's value \(place)" }

  /// Returns an expression over this query's tables as SQL, with its values.
  private func sql(of node: ExpressionNode) throws -> SQL {
    var statement = SelectStatement(selection: .terms([.expression(node)]), from: from)
    statement.joins = joins
    return try statement.rendered()
  }
}
