import QueryDSL
import SQLCore

// Queries that exist and are refined: conditions, orders, limits and selections are added to them,
// and a later limit replaces an earlier one.

extension RandomSelects {
  /// Conditions, orders and limits on a join of two tables, found by their models.
  mutating func narrowed<A: SampleModel, B: SampleModel>(
    _ first: A.Type, _ second: B.Type
  ) -> RandomQuery {
    let (a, b) = (Columns<A>(), OptionalColumns<B>())
    let (on, number, text) = expressions(over: Self.columns(a, b), tables: 2) {
      ($0.condition(depth: 1), $0.simpleInteger(), $0.text(depth: 1))
    }
    var query = Query {
      From(a)
      LeftJoin(b, on: on.predicate)
      if values.flip() { Limit(values.below(3)) }
      if values.flip() { Offset(values.below(3)) }
      Select(number.expression, text.expression)
    }
    let nothing: [DatabaseValue] = Array(repeating: .null, count: B.width)
    var rows = database.rows(of: first).flatMap { row -> [Environment] in
      let matches = database.rows(of: second).filter { on.holds([row, $0]) == true }
      return (matches.isEmpty ? [nothing] : matches).map { [row, $0] }
    }
    for _ in 0..<values.below(3) {
      var condition: Condition?
      query = query.where { (a: Columns<A>, b: OptionalColumns<B>) in
        let made = expressions(over: Self.columns(a, b), tables: 2) { $0.condition(depth: 2) }
        remember(made, \.predicate, in: &condition)
      }
      rows = rows.filter { condition?.holds($0) == true }
    }
    var terms: (number: Term<Int?>, text: Term<String?>) = (number, text)
    if values.flip() {
      query = query.select {
        (a: Columns<A>, b: OptionalColumns<B>) -> (SQLExpression<Int?>, SQLExpression<String?>) in
        terms = expressions(over: Self.columns(a, b), tables: 2) {
          ($0.integer(depth: 1), $0.text(depth: 1))
        }
        return (terms.number.expression, terms.text.expression)
      }
    }
    var compare: [(Environment, Environment) -> Int] = []
    let (direction, nulls) = values.sortOrder()
    let isTotal = values.flip()
    if values.flip() {
      query = query.order(
        by: { (a: Columns<A>, b: OptionalColumns<B>) -> SQLExpression<String?> in
          let made = expressions(over: Self.columns(a, b), tables: 2) { $0.text(depth: 1) }
          compare.append(RandomQuery.comparing(made.evaluate, direction, nulls))
          return made.expression
        }, direction, nulls: nulls)
    }
    guard isTotal else {
      return finished(query.limit(nil).offset(nil), rows, terms)
    }
    for key in Self.columns(a, b).keys {
      query = key.narrowing(query, .descending)
      compare.append(RandomQuery.comparing(key.evaluate, .descending, nil))
    }
    rows.sort { RandomQuery.order($0, $1, by: compare) < 0 }
    let (limit, offset) = (values.optional { $0.below(6) }, values.optional { $0.below(3) })
    query = query.limit(1).limit(limit).offset(offset)
    // An expression in place of a number.
    if let limit, values.flip() { query = query.limit(SQLExpression(limit + 2) - 2) }
    if let offset, values.flip() { query = query.offset(SQLExpression(offset) + 0) }
    rows = Array(rows.dropFirst(offset ?? 0).prefix(limit ?? .max))
    let expected = rows.map { [terms.number.evaluate($0), terms.text.evaluate($0)] }
    return run(query, expected, isTotal: true) { [value($0.0), value($0.1)] }
  }

  /// Without an order: the rows, each row once, or the rows with one more column.
  private mutating func finished(
    _ query: Query<(Int?, String?)>, _ rows: [Environment],
    _ terms: (number: Term<Int?>, text: Term<String?>)
  ) -> RandomQuery {
    let all = rows.map { [terms.number.evaluate($0), terms.text.evaluate($0)] }
    switch values.below(3) {
    case 0: return run(query, all, isTotal: false) { [value($0.0), value($0.1)] }
    case 1:
      var result = run(query.distinct(), RandomQuery.distinct(all), isTotal: false) {
        [value($0.0), value($0.1)]
      }
      result.unmerged = all
      return result
    default:
      let (number, text) = (values.below(9), values.text())
      let longer = query.selectAlso { (number, text, number as Int?) }
      let expected = all.map { $0 + [value(number), value(text), value(number)] }
      return run(longer, expected, isTotal: false) {
        [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4)]
      }
    }
  }

  private static func columns<A: SampleModel, B: SampleModel>(
    _ a: Columns<A>, _ b: OptionalColumns<B>
  ) -> SampleColumns {
    A.columns(of: a, at: 0, isMissing: false) + B.columns(of: b.columns, at: 1, isMissing: true)
  }

  // MARK: Compound queries

  /// Conditions on the rows of a compound query, before and after its limit.
  mutating func narrowedCompound() -> RandomQuery {
    let (first, second) = (rowQuery(), rowQuery())
    var query = first.0.unionAll(second.0)
    var rows = first.1 + second.1
    for _ in 0..<values.below(3) {
      var condition: Condition?
      query = query.where { row in
        let columns = SampleRow.columns(of: row, at: 0, isMissing: false)
        let made = expressions(over: columns, tables: 1) { $0.condition(depth: 1) }
        remember(made, \.predicate, in: &condition)
      }
      rows = rows.filter { condition?.holds([$0]) == true }
    }
    guard values.flip() else { return run(query, rows, isTotal: false) { $0.values } }
    let (direction, nulls) = values.sortOrder()
    query = query.order(by: \.$text, direction, nulls: nulls).order(by: \.$number)
      .order(by: \.$real).limit(9).limit(nil)
    let compare = [
      RandomQuery.comparing({ (row: [DatabaseValue]) in row[1] }, direction, nulls),
      RandomQuery.comparing({ $0[0] }, .ascending, nil),
      RandomQuery.comparing({ $0[2] }, .ascending, nil),
    ]
    let limit = values.below(6)
    var condition: Condition?
    // The limit applies to the rows that remain.
    query = query.limit(limit).where { row in
      let columns = SampleRow.columns(of: row, at: 0, isMissing: false)
      let made = expressions(over: columns, tables: 1) { $0.condition(depth: 1) }
      remember(made, \.predicate, in: &condition)
    }
    rows = rows.filter { condition?.holds([$0]) == true }
    rows.sort { RandomQuery.order($0, $1, by: compare) < 0 }
    return run(query, Array(rows.prefix(limit)), isTotal: true) { $0.values }
  }
}
