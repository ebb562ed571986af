import SQLCore

/// A term of an index: a column or an expression, optionally in descending order or with a
/// collation of its own.
public struct IndexTerm: Sendable {
  let node: ExpressionNode
  let collation: Collation?
  var isDescending = false

  /// Makes a term of an expression. A collation is kept beside the operand, as in the grammar of an
  /// index term, so that a column with a collation is not written as an expression.
  init(_ expression: ExpressionNode) {
    if case .tree(.collate(let operand, let name), _) = expression {
      node = operand
      collation = Collation(name)
    } else {
      node = expression
      collation = nil
    }
  }

  /// The same term in descending order. SQL: `a DESC`
  public var descending: IndexTerm {
    var term = self
    term.isDescending = true
    return term
  }
}
