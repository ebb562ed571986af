// The parts of a statement, like the parts of an expression, are visited by recursive functions.
// The depth of a statement is therefore limited, so that these functions do not exhaust a thread's
// stack.

extension SelectStatement {
  /// The number of levels to which expressions and queries are nested in the statement.
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

  /// The statement for use inside another statement, and the number of levels that it has there. If
  /// there are too many levels, this is an empty statement instead, which throws an error when it
  /// is rendered.
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
      switch source {
      case .nested(_, let nested): depth = max(depth, nested)
      case .function(_, let arguments): depth = max(depth, ExpressionNode.depth(of: arguments))
      case .common, .row: break
      }
    }
    depth = max(depth, limit?.depth ?? 0, offset?.depth ?? 0)
    for (_, window) in windows { depth = max(depth, window.depth) }
    return depth
  }
}

extension TableReference.Source {
  /// Makes the source of a table whose rows come from a query in FROM.
  static func query(_ statement: SelectStatement) -> Self {
    let nested = statement.nested
    return .nested(nested.statement, depth: nested.depth)
  }
}
