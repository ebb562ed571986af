import SQLCore

/// The condition for the rows after a cursor.
///
/// Columns that have the same direction are compared as a row value, for which SQLite seeks in an
/// index over them:
///
///     ("createdAt", "id") < (?, ? COLLATE "BINARY")
///
/// Other columns are compared one by one. The first line then bounds the part of the index that
/// SQLite reads; it follows from the second.
///
///     "rating" <= ?
///     AND ("rating" < ? OR "rating" = ? AND ("title", "id") > (?, ? COLLATE "BINARY"))
struct PageCondition {
  /// An expression of the order, as it is compared, with the cursor's value.
  struct Term {
    let node: ExpressionNode
    let isDescending: Bool
    /// Whether rows may have NULL for the expression, and whether these come first.
    let mayBeNull: Bool
    let hasNullFirst: Bool
    let value: DatabaseValue

    /// Whether a comparison with the value decides for every row. It is unknown for NULL, which is
    /// right if all rows with NULL come before the value.
    var isDecided: Bool { !mayBeNull || hasNullFirst && !value.isNull }
  }

  let terms: [Term]

  /// The predicates, which must all hold.
  var predicates: [PredicateNode] {
    let run = leadingRun(from: 0)
    guard run < terms.count else { return [compare(terms[...], orEqual: false)] }
    // Without a run there is no bound: SQLite has no range that contains NULL and values.
    return (run > 0 ? [compare(terms[..<run], orEqual: true)] : []) + [after(from: 0)]
  }

  /// The end of the terms with the same direction, from an index on, that comparisons decide.
  private func leadingRun(from start: Int) -> Int {
    let isDescending = terms[start].isDescending
    return terms[start...].firstIndex { !$0.isDecided || $0.isDescending != isDescending }
      ?? terms.count
  }

  /// Returns the condition for the rows that come later by the terms from an index on.
  private func after(from start: Int) -> PredicateNode {
    if leadingRun(from: start) == terms.count { return compare(terms[start...], orEqual: false) }
    let term = terms[start]
    var choices: [PredicateNode] = []
    if !term.value.isNull {
      choices.append(compare(terms[start...start], orEqual: false))
      if term.mayBeNull, !term.hasNullFirst { choices.append(.isNull(term.node)) }
    } else if term.hasNullFirst {
      choices.append(.isNotNull(term.node))
    }
    if start + 1 < terms.count {
      let isSame: PredicateNode =
        term.value.isNull
        ? .isNull(term.node) : .compare(.equal, term.node, .value(.value(term.value)))
      choices.append(.and(isSame, after(from: start + 1)))
    }
    return .any(choices)
  }

  /// Returns the comparison of terms that have the same direction with their values.
  private func compare(_ terms: ArraySlice<Term>, orEqual: Bool) -> PredicateNode {
    let sign: SQLToken =
      switch (terms.first?.isDescending == true, orEqual) {
      case (true, false): .less
      case (true, true): .lessOrEqual
      case (false, false): .greater
      case (false, true): .greaterOrEqual
      }
    let nodes = terms.map(\.node)
    let values = terms.map { BoundValue.value($0.value) }
    return .compareRows(sign, nodes, values)
  }
}
