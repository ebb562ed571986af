/// An index that may help a statement. SQLite decides whether it does.
struct IndexCandidate: Hashable {
  let table: String
  let terms: [SuggestedIndex.Term]

  /// Returns the indexes that may help with a question that SQLite asked about a table.
  ///
  /// An index serves comparisons with `=` in its first columns, and after them either one range or
  /// an order.
  static func all(for question: IndexQuestion) -> [IndexCandidate] {
    var equal: [SuggestedIndex.Term] = []
    var ranges: [SuggestedIndex.Term] = []
    for constraint in question.query.constraints {
      guard question.columns.indices.contains(constraint.column) else { continue }
      func term(_ collation: String) -> SuggestedIndex.Term {
        question.term(constraint.column, collation: collation)
      }
      switch constraint.comparison {
      case .equal, .is, .isNull: append(term(constraint.collation), to: &equal)
      case .greater, .greaterOrEqual, .less, .lessOrEqual:
        append(term(constraint.collation), to: &ranges)
      // LIKE ignores the case of ASCII letters.
      case .like: append(term("NOCASE"), to: &ranges)
      case .glob: append(term("BINARY"), to: &ranges)
      default: break
      }
    }
    let order = question.order
    func rest(_ terms: [SuggestedIndex.Term]) -> [SuggestedIndex.Term] {
      terms.filter { term in !equal.contains { $0.column == term.column } }
    }
    var lists: [[SuggestedIndex.Term]] = []
    if !order.isEmpty { lists.append(equal + rest(order)) }
    lists += rest(ranges).map { equal + [$0] }
    lists.append(equal)
    lists.append(order)
    lists += equal.map { [$0] }
    lists += ranges.map { [$0] }
    return lists.filter { !$0.isEmpty }.map { IndexCandidate(table: question.table, terms: $0) }
  }

  private static func append(
    _ term: SuggestedIndex.Term, to terms: inout [SuggestedIndex.Term]
  ) {
    if !terms.contains(where: { $0.column == term.column }) { terms.append(term) }
  }
}

extension IndexQuestion {
  fileprivate func term(
    _ column: Int, collation: String? = nil, isDescending: Bool = false
  ) -> SuggestedIndex.Term {
    let own = columns[column].collation
    let isOwn = collation.map { $0.isSame(as: own) } ?? true
    return SuggestedIndex.Term(
      column: columns[column].name, collation: isOwn ? nil : collation,
      isDescending: isDescending)
  }

  /// The requested order. Because an index can be read in both directions, it is written so that
  /// the first column is ascending.
  fileprivate var order: [SuggestedIndex.Term] {
    guard query.orderings.allSatisfy({ columns.indices.contains($0.column) }) else { return [] }
    let isTurned = query.orderings.first?.isDescending ?? false
    return query.orderings.map { term($0.column, isDescending: $0.isDescending != isTurned) }
  }
}
