import SQLCore

/// A chain of conditions joined by AND, or by OR. A long chain is read and released by loops,
/// because recursion could exhaust the stack.
///
/// The most common chain has two conditions, and each of them compares a column of the same table
/// with a number. Such a chain needs no allocation. Any other chain is an object with two
/// conditions. If one of them is itself a chain with the same connective, its conditions are a part
/// of the larger chain.
@usableFromInline
package struct PredicateChain: Sendable {
  private enum Form: Sendable {
    case pair(NumberPair)
    case joined(JoinedConditions)
  }

  private let form: Form
  /// `.and` or `.or`.
  let connective: SQLToken

  init(
    _ connective: SQLToken, _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) {
    self.connective = connective
    if let pair = NumberPair.of(left, right) {
      form = .pair(pair)
    } else {
      form = .joined(JoinedConditions(connective, left, right))
    }
  }

  /// The number of conditions in the chain.
  var count: Int {
    switch form {
    case .pair: 2
    case .joined(let joined): joined.count
    }
  }

  /// The depth of the deepest condition.
  var operandDepth: Int {
    switch form {
    case .pair: 0
    case .joined(let joined): joined.operandDepth
    }
  }

  /// The two operands of the outermost AND or OR.
  var sides: (left: PredicateNode, right: PredicateNode) {
    switch form {
    case .pair(let pair): pair.sides
    case .joined(let joined): (joined.left, joined.right)
    }
  }

  /// The object with the two conditions; nil if they are stored as a `NumberPair`.
  fileprivate var joined: JoinedConditions? {
    if case .joined(let joined) = form { joined } else { nil }
  }
}

/// Two conditions that AND or OR joins. Each of them can be a chain itself.
///
/// `@unchecked Sendable`: the conditions change only in `deinit`, when no other reference to the
/// object exists.
private final class JoinedConditions: @unchecked Sendable {
  private(set) var left: PredicateNode
  private(set) var right: PredicateNode
  let count: Int
  let operandDepth: Int

  init(
    _ connective: SQLToken, _ left: consuming PredicateNode, _ right: consuming PredicateNode
  ) {
    let (leftCount, leftDepth) = left.sizes(in: connective)
    let (rightCount, rightDepth) = right.sizes(in: connective)
    count = leftCount + rightCount
    operandDepth = max(leftDepth, rightDepth)
    self.left = left
    self.right = right
  }

  deinit {
    guard count > TreeLimits.maximumRecursion else { return }
    var pending: [JoinedConditions] = []
    takeSides(into: &pending)
    while var joined = pending.popLast() {
      if isKnownUniquelyReferenced(&joined) { joined.takeSides(into: &pending) }
    }
  }

  private func takeSides(into pending: inout [JoinedConditions]) {
    if case .chain(let chain) = left, let joined = chain.joined {
      pending.append(joined)
      left = .constant(false)
    }
    if case .chain(let chain) = right, let joined = chain.joined {
      pending.append(joined)
      right = .constant(false)
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

  /// Returns the chain if this condition is a chain with the given connective; otherwise nil.
  fileprivate func chain(of connective: SQLToken) -> PredicateChain? {
    guard case .chain(let chain) = self, chain.connective == connective else { return nil }
    return chain
  }

  /// Returns how many conditions this condition adds to a chain, and the depth of the deepest of
  /// them. For example, `a OR b` adds two conditions to a chain of OR, but only one to a chain of
  /// AND.
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
    guard connective == .and, let joined else { return false }
    if count > TreeLimits.maximumRecursion { return operands.contains(where: \.isFalse) }
    return joined.left.isReadAsZero || joined.right.isReadAsZero
  }

  func write(to writer: inout ShapeWriter) {
    if count <= TreeLimits.maximumRecursion { return writeSides(to: &writer) }
    PredicateNode.writeGroups(operands[...], joinedBy: connective, to: &writer)
  }

  private func writeSides(to writer: inout ShapeWriter) {
    switch form {
    case .pair(let pair): pair.write(joinedBy: connective, to: &writer)
    case .joined(let joined):
      write(joined.left, to: &writer)
      writer.token(connective)
      write(joined.right, to: &writer)
    }
  }

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
    // A stack of the nodes that are not visited yet. The leftmost node is on top.
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
  /// Calls a closure with the expressions in the conditions. Returns the first result that is not
  /// nil.
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

/// Two comparisons, such as `a < ?` and `b IS NULL`, whose columns belong to the same table. Each
/// value is a number, or is written into the SQL.
///
/// A pair needs no reference counting. It needs no more memory than one comparison whose value may
/// be of any kind, such as a text.
private struct NumberPair: BitwiseCopyable, Sendable {
  private struct Comparison: BitwiseCopyable {
    private enum Kind: UInt8, BitwiseCopyable { case null, integer, real }

    private let bits: UInt64
    private let kind: Kind
    let sign: SQLToken
    let column: UInt16

    @inline(__always)
    init?(_ sign: SQLToken, _ column: ColumnID, _ value: BoundValue) {
      guard case .value(let value) = value else { return nil }
      switch value {
      case .null: (bits, kind) = (0, .null)
      case .integer(let integer): (bits, kind) = (UInt64(bitPattern: integer), .integer)
      case .real(let real): (bits, kind) = (real.bitPattern, .real)
      case .text, .invalidText, .blob: return nil
      }
      self.sign = sign
      self.column = column.index
    }

    var bound: BoundValue {
      switch kind {
      case .null: .value(.null)
      case .integer: .value(.integer(Int64(bitPattern: bits)))
      case .real: .value(.real(Double(bitPattern: bits)))
      }
    }

    @inline(__always)
    func write(columnOf table: TableID, to writer: inout ShapeWriter) {
      writer.column(ColumnID(table: table, index: column))
      writer.token(sign)
      if sign.containsValue { return }
      if kind == .integer { writer.value(Int64(bitPattern: bits)) } else { writer.value(bound) }
    }
  }

  private let left: Comparison
  private let right: Comparison
  private let table: TableID

  /// Returns two conditions as a pair. Returns nil unless both compare columns of the same table,
  /// each with a number or with a value that is written into the SQL.
  @inline(__always)
  static func of(_ left: PredicateNode, _ right: PredicateNode) -> NumberPair? {
    guard case .compareColumn(let leftSign, let leftColumn, let leftValue) = left,
      case .compareColumn(let rightSign, let rightColumn, let rightValue) = right,
      leftColumn.table == rightColumn.table,
      let left = Comparison(leftSign, leftColumn, leftValue),
      let right = Comparison(rightSign, rightColumn, rightValue)
    else { return nil }
    return NumberPair(left: left, right: right, table: leftColumn.table)
  }

  /// The two conditions as nodes.
  var sides: (left: PredicateNode, right: PredicateNode) {
    (node(left), node(right))
  }

  private func node(_ comparison: Comparison) -> PredicateNode {
    .compareColumn(
      comparison.sign, ColumnID(table: table, index: comparison.column), comparison.bound)
  }

  @inline(__always)
  func write(joinedBy connective: SQLToken, to writer: inout ShapeWriter) {
    left.write(columnOf: table, to: &writer)
    writer.token(connective)
    right.write(columnOf: table, to: &writer)
  }
}
