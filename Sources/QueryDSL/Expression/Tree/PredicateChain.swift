import SQLCore

/// A chain of conditions joined by AND, or by OR. It is walked and destroyed by loops.
///
/// Each object joins two conditions. Either of them may itself be a chain with the same connective:
/// all these objects are then one chain.
///
/// `@unchecked Sendable`: the operands change only in `deinit`, when no other reference to the
/// chain exists.
@usableFromInline
package final class PredicateChain: @unchecked Sendable {
  /// `.and` or `.or`.
  let connective: SQLToken
  private(set) var left: PredicateNode
  private(set) var right: PredicateNode
  /// The number of conditions in the chain.
  let count: Int
  /// The depth of the deepest condition.
  let operandDepth: Int

  init(_ connective: SQLToken, _ left: PredicateNode, _ right: PredicateNode) {
    self.connective = connective
    self.left = left
    self.right = right
    let leftChain = left.chain(of: connective)
    let rightChain = right.chain(of: connective)
    count = (leftChain?.count ?? 1) + (rightChain?.count ?? 1)
    operandDepth = max(
      leftChain?.operandDepth ?? left.depth, rightChain?.operandDepth ?? right.depth)
  }

  deinit {
    guard count > TreeLimits.maximumRecursion else { return }
    var pending: [PredicateChain] = []
    takeSides(into: &pending)
    while var chain = pending.popLast() {
      if isKnownUniquelyReferenced(&chain) { chain.takeSides(into: &pending) }
    }
  }

  private func takeSides(into pending: inout [PredicateChain]) {
    if case .chain(let chain) = left {
      pending.append(chain)
      left = .constant(false)
    }
    if case .chain(let chain) = right {
      pending.append(chain)
      right = .constant(false)
    }
  }
}

extension PredicateNode {
  fileprivate var isFalse: Bool {
    if case .constant(false) = self { true } else { false }
  }

  /// Returns the chain if this is a chain with that connective.
  fileprivate func chain(of connective: SQLToken) -> PredicateChain? {
    guard case .chain(let chain) = self, chain.connective == connective else { return nil }
    return chain
  }
}

extension PredicateChain {
  var precedence: Precedence { connective == .and ? .and : .or }

  /// Whether SQLite's parser replaces the chain by the number 0, as it does with `a AND 0`.
  var isReadAsZero: Bool {
    guard connective == .and else { return false }
    if count > TreeLimits.maximumRecursion { return operands.contains(where: \.isFalse) }
    return Self.isReadAsZero(left) || Self.isReadAsZero(right)
  }

  private static func isReadAsZero(_ side: PredicateNode) -> Bool {
    side.isFalse || side.chain(of: .and)?.isReadAsZero == true
  }

  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    if count <= TreeLimits.maximumRecursion { return try writeSides(to: &sink) }
    try PredicateNode.writeGroups(operands[...], joinedBy: connective, to: &sink)
  }

  private func writeSides<Sink: QuerySink>(to sink: inout Sink) throws {
    try write(left, to: &sink)
    try sink.token(connective)
    try write(right, to: &sink)
  }

  private func write<Sink: QuerySink>(_ side: PredicateNode, to sink: inout Sink) throws {
    if let chain = side.chain(of: connective) {
      try chain.writeSides(to: &sink)
    } else {
      try side.writeOperand(to: &sink, binding: precedence)
    }
  }

  /// The conditions from left to right.
  var operands: [PredicateNode] {
    var operands: [PredicateNode] = []
    operands.reserveCapacity(count)
    // A stack of the nodes to visit; the leftmost is on top.
    var pending: [PredicateNode] = [.chain(self)]
    while let node = pending.popLast() {
      if let chain = node.chain(of: connective) {
        pending.append(chain.right)
        pending.append(chain.left)
      } else {
        operands.append(node)
      }
    }
    return operands
  }
}

extension PredicateChain {
  /// Returns the first result that is not nil, of the expressions in the conditions.
  func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    for operand in operands {
      if let found = operand.first(result) { return found }
    }
    return nil
  }
}

extension PredicateNode {
  /// Writes conditions with AND or OR between them.
  static func writeGroups<Sink: QuerySink>(
    _ operands: ArraySlice<PredicateNode>, joinedBy connective: SQLToken, to sink: inout Sink
  ) throws {
    let precedence: Precedence = connective == .and ? .and : .or
    try TreeLimits.writeGroups(operands, joinedBy: connective, to: &sink) {
      try $0.writeOperand(to: &$1, binding: precedence)
    }
  }
}
