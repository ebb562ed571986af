import SQLCore

/// A statement that counts the rows of a query.
struct CountStatement: Renderable {
  let query: SelectStatement

  func write(to writer: inout ShapeWriter) {
    if query.countsByItself {
      var plain = query
      plain.order = .none
      return plain.write(to: &writer, countingRows: true)
    }
    writer.token(.select)
    writer.token(.countStar)
    writer.token(.from)
    query.write(inParenthesesTo: &writer)
  }
}

/// A statement that tests whether a query has any row.
struct ExistsStatement: Renderable {
  let query: SelectStatement

  func write(to writer: inout ShapeWriter) {
    writer.token(.select)
    writer.token(.exists)
    query.write(inParenthesesTo: &writer)
  }
}

extension SelectStatement {
  /// Whether the rows can be counted by selecting `count(*)` instead of the selected columns.
  /// Otherwise the query must become a subquery, whose rows are counted.
  fileprivate var countsByItself: Bool {
    !isDistinct && groups.isEmpty && having.isEmpty && limit == nil && offset == nil
      && extras?.content.isPlain ?? true && !selectsAggregate
  }

  /// The number of rows as a subquery: `(SELECT count(*) FROM …)`
  var countNode: ExpressionNode {
    guard countsByItself else {
      return .composed([
        .sql("(SELECT count(*) FROM "), .expression(.subquery(self)), .sql(")"),
      ])
    }
    var count = self
    count.selection = .terms([.expression(.countOfRows)])
    count.order = .none
    return .subquery(count)
  }

  /// Whether a selected expression may be an aggregate, which returns one row even for a table
  /// without rows.
  fileprivate var selectsAggregate: Bool {
    guard case .terms(let terms) = selection else { return false }
    return terms.contains { term in
      switch term {
      case .table, .expression(.column), .aliased(.column, _): return false
      case .expression, .aliased: return true
      }
    }
  }
}
