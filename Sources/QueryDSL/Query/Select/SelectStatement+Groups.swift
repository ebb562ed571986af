import SQLCore

// Groups by other expressions than columns, for keeping their result up to date.

extension SelectStatement {
  /// Returns the query with marks in place of the terms of GROUP BY, wherever SELECT, HAVING and
  /// ORDER BY repeat them outside aggregates. Columns stay.
  ///
  /// Throws `QueryError` if an expression cannot be rendered or has a part that cannot be rebuilt.
  ///
  /// - Parameter others: the places of further expressions that stay.
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

  /// Returns the query with the values of a group in place of the marks.
  package func replacingMarks(by group: [DatabaseValue]) throws -> SelectStatement {
    try replacing { node in
      guard case .constant(let text) = node,
        let place = group.indices.first(where: { text == Self.markText($0) })
      else { return nil }
      return .value(.value(group[place]))
    }
  }

  /// Returns the query with its selected GROUP BY terms at some places replaced by the least value
  /// of each group, compared by bytes.
  ///
  /// SQLite would return one of the values that a collation considers equal, depending on the order
  /// in which it reads the rows.
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

  /// For each GROUP BY term, the number of rows in a group whose value is not stored as an INTEGER.
  /// If the rows have different storage classes, 1 and 1.0 are in one group, and the order in which
  /// SQLite reads the rows decides which of them an expression shows.
  ///
  /// - Parameter isUniform: whether a column stores equal numbers in the same way.
  package func otherClassCounts(except isUniform: (ColumnID) -> Bool) -> [ExpressionNode] {
    groups.compactMap { group in
      if case .column(let column) = group, isUniform(column) { return nil }
      let other = ExpressionNode.function(
        "nullif", [.function("typeof", [group]), .constant("'integer'")])
      return .call(FunctionCall(kind: .aggregate, name: "count", arguments: [other]))
    }
  }

  /// Returns the query without the terms of ORDER BY that are GROUP BY terms at some places: values
  /// that a collation considers equal have the same place in its order.
  package func withoutOrder(byGroups places: Set<Int>) throws -> SelectStatement {
    let nodes = try Set(places.map { try sql(of: groups[$0]) })
    var statement = self
    statement.order = ShortList(try order.filter { !nodes.contains(try sql(of: $0.expression)) })
    return statement
  }

  private static func mark(_ place: Int) -> ExpressionNode { .constant(markText(place)) }

  // It is never rendered to SQLite.
  private static func markText(_ place: Int) -> String { "the group's value \(place)" }

  /// Returns an expression over this query's tables as SQL, with its values.
  private func sql(of node: ExpressionNode) throws -> SQL {
    var statement = SelectStatement(selection: .terms([.expression(node)]), from: from)
    statement.joins = joins
    return try statement.rendered()
  }
}
