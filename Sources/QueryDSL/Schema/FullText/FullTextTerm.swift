import SQLCore

/// A column of a full-text index, with its weight.
public struct FullTextTerm: Sendable {
  let node: ExpressionNode
  var weight: Double
  var isUnindexed = false

  init(_ node: ExpressionNode, weight: Double = 1) {
    self.node = node
    self.weight = weight
  }
}

extension SQLExpression {
  /// A column of a full-text index whose words count `weight` times in the rank of a row.
  /// SQL: `bm25(10.0, …)`
  ///
  /// The weight must be finite and not negative, or opening the model throws `ModelError`.
  public func weighted(_ weight: Double) -> FullTextTerm { FullTextTerm(node, weight: weight) }

  /// A column that a full-text index holds beside the text, and whose words are not found.
  /// SQL: `"status" UNINDEXED`
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_unindexed_column_option>
  public var unindexed: FullTextTerm {
    var term = FullTextTerm(node, weight: 0)
    term.isUnindexed = true
    return term
  }
}
