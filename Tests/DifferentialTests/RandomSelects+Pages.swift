import QueryDSL
import SQLCore

extension RandomSelects {
  /// The page after any row of the table, also one that the query does not find.
  mutating func paged<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var order = PageOrder<M>.key
    var terms: [(column: Int, isDescending: Bool, nulls: NullOrder?)] = []
    for _ in 0..<values.below(4) {
      let column = values.below(M.width)
      let (direction, nulls) = values.sortOrder()
      order = M.pageColumns[column](order, direction, nulls)
      // All rows that are compared again are equal in the column.
      guard !terms.contains(where: { $0.column == column }) else { continue }
      terms.append((column, direction == .descending, nulls))
    }
    // The columns of the key that the order does not name come last, in the last direction.
    let isDescending = terms.last?.isDescending ?? false
    for column in M.keyColumns where !terms.contains(where: { $0.column == column }) {
      terms.append((column, isDescending, nil))
    }
    let isReversed = values.flip()
    if isReversed {
      order = order.reversed
      terms = terms.map {
        ($0.column, !$0.isDescending, $0.nulls.map { $0 == .first ? .last : .first })
      }
    }
    let compare = terms.map { term in
      RandomQuery.comparing(
        { (row: [DatabaseValue]) in row[term.column] },
        term.isDescending ? .descending : .ascending,
        term.nulls)
    }
    var condition: Condition?
    let query = M.where { table in
      let made = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
        $0.condition(depth: 2)
      }
      remember(made, \.predicate, in: &condition)
    }
    var rows = database.rows(of: model).filter { condition?.holds([$0]) == true }
    rows.sort { RandomQuery.order($0, $1, by: compare) < 0 }
    let limit = values.below(5)
    let last =
      values.oneIn(4) ? nil : (try? database.db.fetch(M.all))?.randomElement(using: &values.random)
    if let last { rows.removeAll { RandomQuery.order($0, last.values, by: compare) <= 0 } }
    let cursor = last.flatMap { try? order.cursor(after: $0) }
    return run(
      query.page(after: cursor, by: order).limit(limit), Array(rows.prefix(limit)), isTotal: true,
      integers: []
    ) { $0.values }
  }
}

extension SampleModel {
  /// The places of the key's columns.
  fileprivate static var keyColumns: [Int] {
    let table = Columns<Self>()
    return columns(of: table, at: 0, isMissing: false).keyPlaces
  }
}
