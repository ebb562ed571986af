import QueryDSL
import SQLCore

extension RandomSelects {
  /// GROUP BY, HAVING and aggregates, with DISTINCT and FILTER, over one table or several.
  mutating func groups() -> RandomQuery {
    let from = from(values.pick([1, 1, 2]))
    let parts = expressions(over: from.columns, tables: from.count) {
      (
        key: $0.text(depth: 1), other: $0.condition(depth: 0), number: $0.integer(depth: 1),
        text: $0.text(depth: 0), real: $0.real(), filter: $0.condition(depth: 1),
        rows: $0.condition()
      )
    }
    // The second key is a truth value; the sums cannot overflow 64 bits.
    let other = SQLExpression<Bool?>(parts.other.predicate)
    let small = parts.number.expression.remainder(10)
    // Always integers: of 3 and 3.0, DISTINCT could keep either.
    let bits = parts.number.expression.bitAnd(7)
    let having = having(over: parts.number, parts.text)
    let query = Query {
      for clause in from.clauses { clause }
      Where { parts.rows.predicate }
      GroupBy(parts.key.expression, other)
      Having { having.predicate }
      Select(
        parts.key.expression, other, SQLExpression<Int>(sql: "count(*)"),
        parts.number.expression.count(distinct: true), parts.text.expression.max(),
        parts.real.expression.min(), small.sum().filter(parts.filter.predicate),
        bits.sum(distinct: true), small.avg(), small.total())
    }
    let rows = from.rows.filter { parts.rows.holds($0) == true }
    func key(_ row: Environment) -> [DatabaseValue] {
      [parts.key.evaluate(row), value(parts.other.holds(row))]
    }
    let smalls = { (rows: [Environment]) in
      rows.map { SQLLogic.remainder(parts.number.evaluate($0), 10) }
    }
    let bitsOf = { (rows: [Environment]) in
      rows.map { SQLLogic.bits(parts.number.evaluate($0), 7) { $0 & $1 } }
    }
    var expected: [[DatabaseValue]] = []
    for group in RandomQuery.distinct(rows.map(key)) {
      let rows = rows.filter { RandomQuery.order(key($0), group) == 0 }
      guard having.holds(rows) == true else { continue }
      expected.append(
        group + [
          value(rows.count),
          value(SQLLogic.present(rows.map(parts.number.evaluate), distinct: true).count),
          SQLLogic.greatest(rows.map(parts.text.evaluate)),
          SQLLogic.least(rows.map(parts.real.evaluate)),
          SQLLogic.sum(smalls(rows.filter { parts.filter.holds($0) == true })),
          SQLLogic.sum(bitsOf(rows), distinct: true), SQLLogic.average(smalls(rows)),
          SQLLogic.total(smalls(rows)),
        ])
    }
    return run(query, expected, isTotal: false, integers: [2, 3, 6, 7]) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4), value($0.5)]
        + [value($0.6), value($0.7), value($0.8), value($0.9)]
    }
  }

  private typealias GroupCondition = (
    predicate: SQLPredicate, holds: ([Environment]) -> Truth
  )

  private mutating func having(
    over number: Term<Int?>, _ text: Term<String?>
  ) -> GroupCondition {
    let literal = values.below(3)
    let greatest = { (rows: [Environment]) in SQLLogic.greatest(rows.map(number.evaluate)) }
    let least = { (rows: [Environment]) in SQLLogic.least(rows.map(text.evaluate)) }
    switch values.below(4) {
    case 0: return (SQLPredicate(sql: "1"), { _ in true })
    case 1:
      return (
        number.expression.count() > literal,
        { SQLLogic.present($0.map(number.evaluate)).count > literal }
      )
    case 2:
      return (
        number.expression.max() >= literal || text.expression.min() == nil,
        {
          SQLLogic.or(
            SQLLogic.compare(greatest($0), value(literal)) { $0 >= 0 }, least($0).isNull)
        }
      )
    default:
      return (
        !(text.expression.min() != "a"),
        { SQLLogic.isSame(least($0), "a") }
      )
    }
  }

  /// Aggregates without GROUP BY: one row, even if no row matches.
  mutating func aggregates<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var made: (filter: Condition, number: Term<Int?>, text: Term<String?>, some: Condition)?
    let query = M.where { table in
      let parts = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
        (
          filter: $0.condition(), number: $0.integer(depth: 1), text: $0.text(depth: 1),
          some: $0.condition(depth: 1)
        )
      }
      remember(parts, { $0.filter.predicate }, in: &made)
    }.select { table in
      let number = made?.number.expression ?? SQLExpression(nil)
      let text = made?.text.expression ?? SQLExpression(nil)
      return (
        table.count().filter(made?.some.predicate ?? SQLPredicate(sql: "0")), number.count(),
        number.max(), number.remainder(10).sum(), text.min()
      )
    }
    guard let made else { return run(query, [], isTotal: false) { _ in [] } }
    let rows = database.rows(of: model).map { [$0] }.filter { made.filter.holds($0) == true }
    let numbers = rows.map(made.number.evaluate)
    let expected: [DatabaseValue] = [
      value(rows.filter { made.some.holds($0) == true }.count),
      value(SQLLogic.present(numbers).count), SQLLogic.greatest(numbers),
      SQLLogic.sum(numbers.map { SQLLogic.remainder($0, 10) }),
      SQLLogic.least(rows.map(made.text.evaluate)),
    ]
    return run(query, [expected], isTotal: false, integers: [0, 1, 2, 3]) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4)]
    }
  }

  // MARK: Compound queries

  /// UNION, UNION ALL, INTERSECT or EXCEPT of queries, with or without an order and a limit.
  mutating func compound() -> RandomQuery {
    let first = operand()
    var (whole, rows) = combined(first.0, first.1, operand())
    for _ in 0..<values.below(2) {
      (whole, rows) = combined(whole.query, rows, operand())
    }
    if values.oneIn(3) {
      // An operand that is itself a compound query.
      let (second, third) = (operand(), operand())
      let several = combined(second.0, second.1, third)
      (whole, rows) = combined(whole.query, rows, (several.0.query, several.1))
    }
    guard values.flip() else {
      return run(whole, rows, isTotal: false) { [value($0.0), value($0.1)] }
    }
    let (direction, nulls) = values.sortOrder()
    let isLimited = values.flip()
    whole = whole.order(byColumn: "text", direction, nulls: nulls)
      .order(byColumn: "number", nulls: nulls)
    let compare = [
      RandomQuery.comparing({ (row: [DatabaseValue]) in row[1] }, direction, nulls),
      RandomQuery.comparing({ $0[0] }, .ascending, nulls),
    ]
    rows.sort { RandomQuery.order($0, $1, by: compare) < 0 }
    if isLimited {
      let (limit, offset) = (values.below(5), values.below(3))
      whole = whole.limit(limit).offset(offset)
      rows = Array(rows.dropFirst(offset).prefix(limit))
    }
    // Rows with equal values in both columns are the same row, except that 1 equals 1.0.
    return run(whole, rows, isTotal: true) { [value($0.0), value($0.1)] }
  }

  private typealias Pairs = Query<(Int?, String?)>

  private mutating func combined(
    _ query: Pairs, _ rows: [[DatabaseValue]], _ other: (Pairs, [[DatabaseValue]])
  ) -> (CompoundQuery<(Int?, String?)>, [[DatabaseValue]]) {
    func isAmongOthers(_ row: [DatabaseValue]) -> Bool {
      other.1.contains { RandomQuery.order($0, row) == 0 }
    }
    switch values.below(4) {
    case 0: return (query.union(other.0), RandomQuery.distinct(rows + other.1))
    case 1: return (query.unionAll(other.0), rows + other.1)
    case 2:
      return (
        query.intersect(other.0), RandomQuery.distinct(rows.filter(isAmongOthers))
      )
    default:
      return (
        query.except(other.0), RandomQuery.distinct(rows.filter { !isAmongOthers($0) })
      )
    }
  }

  private mutating func operand() -> (Pairs, [[DatabaseValue]]) {
    let from = from(values.pick([1, 1, 2]))
    let (number, text, filter) = expressions(over: from.columns, tables: from.count) {
      ($0.integer(depth: 0), $0.text(depth: 1), $0.condition(depth: 2))
    }
    let query = Query {
      for clause in from.clauses { clause }
      Where { filter.predicate }
      Select(number.expression.as("number"), text.expression.as("text"))
    }
    let rows = from.rows.filter { filter.holds($0) == true }
    return (query, rows.map { [number.evaluate($0), text.evaluate($0)] })
  }
}
