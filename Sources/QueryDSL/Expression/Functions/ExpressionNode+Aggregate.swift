extension ExpressionNode {
  /// Whether the expression contains an aggregate that makes one row of many. A call in raw SQL is
  /// not seen.
  var containsAggregate: Bool { first { $0.isAggregate ? true : nil } ?? false }

  /// Whether the expression contains an aggregate or a window function. A call in raw SQL is not
  /// seen.
  var containsAggregateOrWindow: Bool { first { $0.isCall ? true : nil } ?? false }

  private var isAggregate: Bool {
    switch self {
    case .countOfRows: true
    case .tree(.call(let call), _): call.kind == .aggregate && call.window == nil
    default: false
    }
  }

  private var isCall: Bool {
    switch self {
    case .countOfRows, .tree(.call, _): true
    default: false
    }
  }
}
