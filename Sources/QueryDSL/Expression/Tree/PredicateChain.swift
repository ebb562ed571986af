import SQLCore

/// A chain of conditions joined by AND, or by OR. It is walked and destroyed by loops.
///
/// Each object joins two conditions. Either of them may itself be a chain with the same connective.
/// All these objects are then one chain.
///
/// `@unchecked Sendable`: the operands change only in `deinit`, when no other reference to the
/// chain exists.
@usableFromInline
package final class PredicateChain: @unchecked Sendable {
  /// `.and` or `.or`.
  let connective: SQLToken
  /// The left condition, if it compares a column with a number.
  private let leftComparison: NumberComparison?
  private let rightComparison: NumberComparison?
  /// The left condition, if it does not compare a column with a number.
  private var leftNode: PredicateNode
  private var rightNode: PredicateNode
  /// The number of conditions in the chain.
  let count: Int
  /// The depth of the deepest condition.
  let operandDepth: Int

  init(
    _ connective: SQLToken, _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) {
    self.connective = connective
    let (leftCount, leftDepth) = left.sizes(in: connective)
    let (rightCount, rightDepth) = right.sizes(in: connective)
    count = leftCount + rightCount
    operandDepth = max(leftDepth, rightDepth)
    leftComparison = left.takeComparison()
    leftNode = left
    rightComparison = right.takeComparison()
    rightNode = right
  }

  /// The two conditions that the object joins.
  var sides: (left: PredicateNode, right: PredicateNode) {
    (leftComparison?.node ?? leftNode, rightComparison?.node ?? rightNode)
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
    if case .chain(let chain) = leftNode {
      pending.append(chain)
      leftNode = .constant(false)
    }
    if case .chain(let chain) = rightNode {
      pending.append(chain)
      rightNode = .constant(false)
    }
  }
}

extension PredicateNode {
  fileprivate var isFalse: Bool {
    if case .constant(false) = self { true } else { false }
  }

  fileprivate var isReadAsZero: Bool {
    isFalse || chain(of: .and)?.isReadAsZero == true
  }

  /// Returns the comparison of a column with a number, if the condition is such a comparison, and
  /// leaves a condition in its place that needs no memory.
  @inline(__always)
  fileprivate mutating func takeComparison() -> NumberComparison? {
    guard let comparison = NumberComparison(self) else { return nil }
    self = .constant(false)
    return comparison
  }

  /// Returns the chain if this is a chain with that connective.
  fileprivate func chain(of connective: SQLToken) -> PredicateChain? {
    guard case .chain(let chain) = self, chain.connective == connective else { return nil }
    return chain
  }

  /// Returns the number of conditions that this condition contributes to a chain with that
  /// connective, and the depth of the deepest condition.
  fileprivate func sizes(in connective: SQLToken) -> (count: Int, depth: Int) {
    switch self {
    case .chain(let chain) where chain.connective == connective:
      (chain.count, chain.operandDepth)
    default: (1, depth)
    }
  }
}

extension PredicateChain {
  var precedence: Precedence { connective == .and ? .and : .or }

  /// Whether SQLite's parser replaces the chain by the number 0, as it does with `a AND 0`.
  var isReadAsZero: Bool {
    guard connective == .and else { return false }
    if count > TreeLimits.maximumRecursion { return operands.contains(where: \.isFalse) }
    return (leftComparison == nil && leftNode.isReadAsZero)
      || (rightComparison == nil && rightNode.isReadAsZero)
  }

  func write(to writer: inout ShapeWriter) {
    if count <= TreeLimits.maximumRecursion { return writeSides(to: &writer) }
    PredicateNode.writeGroups(operands[...], joinedBy: connective, to: &writer)
  }

  private func writeSides(to writer: inout ShapeWriter) {
    write(leftComparison, leftNode, to: &writer)
    writer.token(connective)
    write(rightComparison, rightNode, to: &writer)
  }

  @inline(__always)
  private func write(
    _ comparison: NumberComparison?, _ node: @autoclosure () -> PredicateNode,
    to writer: inout ShapeWriter
  ) {
    // Copying any other kind of condition takes most of the time to write a short chain.
    if let comparison { return comparison.write(to: &writer) }
    write(node(), to: &writer)
  }

  @inline(never)
  private func write(_ node: PredicateNode, to writer: inout ShapeWriter) {
    if let chain = node.chain(of: connective) {
      chain.writeSides(to: &writer)
    } else {
      node.writeOperand(to: &writer, binding: precedence)
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
        let sides = chain.sides
        pending.append(sides.right)
        pending.append(sides.left)
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
  static func writeGroups(
    _ operands: ArraySlice<PredicateNode>, joinedBy connective: SQLToken,
    to writer: inout ShapeWriter
  ) {
    let precedence: Precedence = connective == .and ? .and : .or
    TreeLimits.writeGroups(operands, joinedBy: connective, to: &writer) {
      $0.writeOperand(to: &$1, binding: precedence)
    }
  }
}

/// The comparison of a column with a number, or with a value that is written into the SQL: `a < ?`,
/// `a IS NULL`.
///
/// It is trivial, so that the most common conditions are stored, written and destroyed without
/// counting references.
struct NumberComparison: BitwiseCopyable, Sendable {
  private enum Value: BitwiseCopyable {
    case null
    case integer(Int64)
    case real(Double)
  }

  private let sign: SQLToken
  private let column: ColumnID
  private let value: Value

  /// Returns nil for any condition that does not compare a column with a number.
  @inline(__always)
  init?(_ node: PredicateNode) {
    guard case .compareColumn(let sign, let column, .value(let value)) = node else { return nil }
    switch value {
    case .null: self.value = .null
    case .integer(let integer): self.value = .integer(integer)
    case .real(let real): self.value = .real(real)
    case .text, .invalidText, .blob: return nil
    }
    self.sign = sign
    self.column = column
  }

  /// The same condition as a node.
  var node: PredicateNode { .compareColumn(sign, column, bound) }

  @inline(__always)
  private var bound: BoundValue {
    switch value {
    case .null: .value(.null)
    case .integer(let integer): .value(.integer(integer))
    case .real(let real): .value(.real(real))
    }
  }

  @inline(__always)
  func write(to writer: inout ShapeWriter) {
    writer.column(column)
    writer.token(sign)
    if !sign.containsValue { writer.value(bound) }
  }
}
