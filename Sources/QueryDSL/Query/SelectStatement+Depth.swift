// How deep a statement is: what it holds is walked by recursion, as an expression is.

extension SelectStatement {
  /// How many levels of expressions and queries it has.
  package var depth: Int {
    var depth = 0
    for predicate in predicates { depth = max(depth, predicate.depth) }
    for term in order { depth = max(depth, term.expression.depth) }
    if case .terms(let terms) = selection {
      for term in terms {
        switch term {
        case .table: break
        case .expression(let node), .aliased(let node, _): depth = max(depth, node.depth)
        }
      }
    }
    guard let content = extras?.content else { return depth }
    return max(depth, content.depth)
  }

  /// The statement where it stands in another, and its levels there; one that is too deep is let go,
  /// and an error stands in its place.
  var nested: (statement: SelectStatement, depth: Int) {
    let depth = depth + TreeLimits.depthOfQuery
    guard depth >= TreeLimits.maximumDepth else { return (self, depth) }
    var empty = SelectStatement(selection: .terms([]), from: from)
    empty.note(problem ?? TreeLimits.tooDeep)
    return (empty, TreeLimits.depthOfQuery)
  }
}

extension SelectExtras.Content {
  fileprivate var depth: Int {
    var depth = compound?.depth ?? 0
    for join in joins { depth = max(depth, join.condition?.depth ?? 0) }
    depth = max(depth, ExpressionNode.depth(of: groups))
    for predicate in having { depth = max(depth, predicate.depth) }
    for table in commonTables { depth = max(depth, table.depth) }
    for (_, source) in sources {
      if case .nested(_, let nested) = source { depth = max(depth, nested) }
    }
    for (_, window) in windows { depth = max(depth, window.depth) }
    return depth
  }
}

extension TableSource {
  /// A query in FROM.
  static func query(_ statement: SelectStatement) -> TableSource {
    let nested = statement.nested
    return .nested(nested.statement, depth: nested.depth)
  }
}
