import SQLCore

/// A chain of operators of the same precedence, such as `a + b - c`. A long chain is read and
/// released by loops, because recursion could exhaust the stack.
///
/// Each object has one operator and its two operands. An operand can be an `OperatorChain` itself,
/// and can then be a part of the same chain. The left operand belongs to the same chain if its
/// operator has the same precedence. The right operand belongs to it if all its operators and the
/// operator of this object are `||`.
///
/// `@unchecked Sendable`: the operands change only in `deinit`, when no other reference to the
/// chain exists.
@usableFromInline
package final class OperatorChain: @unchecked Sendable {
  let sign: SQLToken
  private(set) var left: ExpressionNode
  private(set) var right: ExpressionNode
  /// The number of operands in the chain.
  let count: Int
  /// The depth of the deepest operand.
  let operandDepth: Int
  /// Whether each operator of the chain is `||`. Parentheses may group the operands of such a chain
  /// in any way, because they do not change the result.
  let isAssociative: Bool

  var precedence: Precedence { Precedence(of: sign) }

  init(_ sign: SQLToken, _ left: ExpressionNode, _ right: ExpressionNode) {
    self.sign = sign
    self.left = left
    self.right = right
    let leftChain = Self.chain(left, joining: sign)
    let rightChain = Self.chain(rightOf: sign, right)
    count = (leftChain?.count ?? 1) + (rightChain?.count ?? 1)
    operandDepth = max(
      leftChain?.operandDepth ?? left.depth, rightChain?.operandDepth ?? right.depth)
    isAssociative = sign == .concat && leftChain?.isAssociative ?? true
  }

  /// Returns the left operand as a chain if it is a chain that the operator `sign` continues. For
  /// example, `- c` continues `a + b`. Otherwise returns nil.
  private static func chain(_ left: ExpressionNode, joining sign: SQLToken) -> OperatorChain? {
    guard case .chain(let chain) = left, chain.precedence == Precedence(of: sign) else {
      return nil
    }
    return chain
  }

  /// Returns the right operand as a chain if it is a chain that needs no parentheses after the
  /// operator `sign`. For example, `b || c` needs none after `a ||`. Otherwise returns nil.
  private static func chain(rightOf sign: SQLToken, _ right: ExpressionNode) -> OperatorChain? {
    guard sign == .concat, case .chain(let chain) = right, chain.isAssociative else { return nil }
    return chain
  }

  deinit {
    guard count > TreeLimits.maximumRecursion else { return }
    var pending: [OperatorChain] = []
    takeSides(into: &pending)
    while var chain = pending.popLast() {
      if isKnownUniquelyReferenced(&chain) { chain.takeSides(into: &pending) }
    }
  }

  private func takeSides(into pending: inout [OperatorChain]) {
    if case .chain(let chain) = left {
      pending.append(chain)
      left = .countOfRows
    }
    if case .chain(let chain) = right {
      pending.append(chain)
      right = .countOfRows
    }
  }
}

extension OperatorChain {
  func write(to writer: inout ShapeWriter) {
    if count <= TreeLimits.maximumRecursion { return writeSides(to: &writer) }
    let operands = operands
    if isAssociative {
      return TreeLimits.writeGroups(operands[...], joinedBy: .concat, to: &writer) {
        $0.node.writeOperand(to: &$1, binding: Precedence.concatenation.next)
      }
    }
    for (sign, operand, precedence) in operands {
      if let sign { writer.token(sign) }
      operand.writeOperand(to: &writer, binding: precedence)
    }
  }

  private func writeSides(to writer: inout ShapeWriter) {
    if let chain = Self.chain(left, joining: sign) {
      chain.writeSides(to: &writer)
    } else {
      left.writeOperand(to: &writer, binding: precedence)
    }
    writer.token(sign)
    if let chain = Self.chain(rightOf: sign, right) {
      chain.writeSides(to: &writer)
    } else {
      right.writeOperand(to: &writer, binding: precedence.next)
    }
  }

  /// Calls a closure with the operands and the expressions inside them. Returns the first result
  /// that is not nil.
  func first<Result>(_ result: (ExpressionNode) -> Result?) -> Result? {
    for (_, operand, _) in operands {
      if let found = operand.first(result) { return found }
    }
    return nil
  }

  private typealias Operand = (sign: SQLToken?, node: ExpressionNode, precedence: Precedence)

  /// The operands from left to right, each with the operator before it.
  private var operands: [Operand] {
    var operands: [Operand] = []
    operands.reserveCapacity(count)
    // A stack of the nodes that are not visited yet. The leftmost node is on top.
    var pending: [Operand] = [(nil, .chain(self), precedence)]
    while let (sign, node, needed) = pending.popLast() {
      // If an operand is a part of this chain, its operator has the same precedence as this chain.
      // So `precedence` is also the right precedence for the operands of this part.
      guard case .chain(let chain) = node, chain === self || chain.joins(self, asRight: sign) else {
        operands.append((sign, node, needed))
        continue
      }
      pending.append((chain.sign, chain.right, precedence.next))
      pending.append((sign, chain.left, precedence))
    }
    return operands
  }

  /// Returns whether this chain, which is an operand of the chain `whole`, can be written without
  /// parentheses. `sign` is the operator before this chain. It is nil if this chain is the first
  /// operand.
  private func joins(_ whole: OperatorChain, asRight sign: SQLToken?) -> Bool {
    guard let sign else { return precedence == whole.precedence }
    return sign == .concat && isAssociative
  }
}

/// The precedence of SQL's operators, from lowest to highest.
///
/// Parentheses are written only where precedence needs them, because each pair takes space on the
/// stack of SQLite's parser. Before SQLite 3.46, this stack holds 100 entries.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
@usableFromInline
package enum Precedence: Int, Comparable, Sendable {
  /// Raw SQL, whose precedence is unknown. It is always written in parentheses.
  case unknown
  case or, and, not, equality, comparison, escape, bits, sum, product, concatenation, collation
  case sign
  /// A name, a value, a call, or SQL that already has parentheses.
  case primary

  @usableFromInline
  package static func < (left: Precedence, right: Precedence) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The next higher precedence. For example, the right operand of `-` must have at least this
  /// precedence to be written without parentheses: `a - b * c`, but `a - (b - c)`.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }

  /// The precedence of an operator between two expressions.
  init(of sign: SQLToken) {
    switch sign {
    case .concat, .jsonArrow: self = .concatenation
    case .times, .divide, .remainder: self = .product
    case .plus, .minus: self = .sum
    case .bitAnd, .bitOr, .shiftLeft, .shiftRight: self = .bits
    default: self = .unknown
    }
  }
}
