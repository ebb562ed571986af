import SQLCore

// SQLite compares an operand with the first COLLATE that it contains, at whatever depth, but not
// inside a subquery, FILTER or OVER. A condition of CASE or iif would so decide how the result is
// compared: without letter case after `hasPrefix(_:ignoringCase:)`, as numbers after a comparison
// of decimals. Such an expression gets a COLLATE of its own.
// https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql

extension ExpressionNode {
  /// The collation of the node, if it is a COLLATE.
  static func collation(of node: ExpressionNode) -> String? {
    if case .tree(.collate(_, let name), _) = node { name } else { nil }
  }

  /// The name of the collation by which SQLite compares the expression, if it contains a COLLATE.
  package var firstCollation: String? { first(Self.collation) }

  /// Whether the expression contains a COLLATE. One in raw SQL is not seen.
  var containsCollation: Bool { firstCollation != nil }

  /// Returns the expression with a COLLATE of its own if SQLite would otherwise take that of other
  /// expressions inside it.
  ///
  /// Numbers and BLOBs are compared without a collation, and a type that has one always writes it.
  ///
  /// - Parameters:
  ///   - results: the expressions among which the value is chosen.
  ///   - containsOther: whether another expression inside it contains a COLLATE.
  func compared<Value: ColumnValue>(
    as type: Value.Type, _ form: StoredForm, like results: [ExpressionNode],
    despite containsOther: Bool
  ) -> ExpressionNode {
    switch Value.storageClass(as: form) {
    case .integer, .real, .blob: return self
    case .text, .null, nil: break
    }
    guard containsOther, Value.collationName == nil else { return self }
    return .collate(self, Self.first(in: results, Self.collation) ?? Collation.binary.name)
  }
}

extension CaseNode {
  /// Returns the CASE expression, which is compared as its results are.
  func expression<Value: ColumnValue>(of type: Value.Type, _ form: StoredForm) -> ExpressionNode {
    ExpressionNode.cases(self).compared(
      as: type, form, like: results,
      despite: firstInConditions(ExpressionNode.collation) != nil)
  }
}
