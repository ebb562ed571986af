import QueryDSL
import SQLCore

/// Random queries over one table or two.
struct RandomSelects {
  let database: SampleDatabase
  var values: SampleValues

  private typealias SortTerm = (
    order: SelectStatement.OrderTerm, compare: (Environment, Environment) -> Int
  )

  mutating func expressions<Result>(
    over columns: SampleColumns, _ body: (inout RandomExpressions) -> Result
  ) -> Result {
    var expressions = RandomExpressions(columns: columns, values: values)
    defer { values = expressions.values }
    return body(&expressions)
  }

  /// A condition, now and then with a query inside.
  mutating func condition(over columns: SampleColumns, tables: Int) -> Condition {
    switch values.below(6) {
    case 0: return exists(Alpha.self, around: columns, tables)
    case 1: return isIn(Beta.self, around: columns, tables)
    default: return expressions(over: columns) { $0.condition() }
    }
  }

  private mutating func exists<Inner: SampleModel>(
    _ inner: Inner.Type, around columns: SampleColumns, _ tables: Int
  ) -> Condition {
    let rows = database.rows(of: inner)
    var condition: Condition?
    let query = Inner.where { table in
      remember(
        expressions(over: columns + Inner.columns(of: table, at: tables)) { $0.condition() },
        in: &condition)
    }
    return Condition(predicate: query.exists()) { [condition] outer in
      rows.contains { condition?.holds(outer + [$0]) == true }
    }
  }

  private mutating func isIn<Inner: SampleModel>(
    _ inner: Inner.Type, around columns: SampleColumns, _ tables: Int
  ) -> Condition {
    let rows = database.rows(of: inner)
    let subject = expressions(over: columns) { $0.integer(depth: 1) }
    var condition: Condition?
    var term: Term<Int?>?
    let query = Inner.where { table in
      remember(
        expressions(over: columns + Inner.columns(of: table, at: tables)) {
          $0.condition(depth: 1)
        },
        in: &condition)
    }.select { table -> SQLExpression<Int?> in
      let made = expressions(over: Inner.columns(of: table, at: tables)) { $0.integer(depth: 1) }
      term = made
      return made.expression
    }
    return Condition(predicate: subject.expression.isIn(query)) { [condition, term] outer in
      let value = subject.evaluate(outer)
      return rows.contains { row in
        condition?.holds(outer + [row]) == true
          && SQLLogic.isSame(value, term?.evaluate(outer + [row]) ?? .null)
      }
    }
  }

  private func remember(_ condition: Condition, in place: inout Condition?) -> SQLPredicate {
    place = condition
    return condition.predicate
  }

  // MARK: One table

  /// `M.where { … }.order(…).limit(…)`, with the key and an expression of each type.
  mutating func single<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var query = M.all
    var rows = database.rows(of: model).map { [$0] }
    for _ in 0..<values.below(3) {
      var condition: Condition?
      query = query.where { table in
        remember(
          self.condition(over: M.columns(of: table, at: 0), tables: 1), in: &condition)
      }
      rows = rows.filter { condition?.holds($0) == true }
    }
    var compare: [(Environment, Environment) -> Int] = []
    for _ in 0..<values.below(3) {
      let (direction, nulls) = sortOrder()
      var term: Term<Int?>?
      query = query.order(direction, nulls: nulls) { table -> SQLExpression<Int?> in
        let made = expressions(over: M.columns(of: table, at: 0)) { $0.integer(depth: 1) }
        term = made
        return made.expression
      }
      guard let term else { continue }
      compare.append(Self.comparing(term.evaluate, direction, nulls))
    }
    // The key last: so the order is total, and a limit means the same rows.
    let isTotal = values.flip()
    if isTotal {
      let place = M.self == Alpha.self ? 0 : 2
      query = query.order { M.columns(of: $0, at: 0).integers[0].expression }
      compare.append(Self.comparing({ $0[0][place] }, .ascending, nil))
      rows.sort { Self.order($0, $1, by: compare) < 0 }
      if values.flip() {
        let offset = values.flip() ? values.below(3) : 0
        let limit = values.below(6)
        query = query.limit(limit)
        if offset > 0 { query = query.offset(offset) }
        rows = Array(rows.dropFirst(offset).prefix(limit))
      }
    }
    return select(query, rows, isTotal: isTotal)
  }

  private mutating func select<M: SampleModel>(
    _ query: TableQuery<M, M>, _ rows: [Environment], isTotal: Bool
  ) -> RandomQuery {
    var terms: (Term<Int?>, Term<String?>, Term<Double?>)?
    var selected = query.select { table in
      let made = expressions(over: M.columns(of: table, at: 0)) {
        ($0.integer(), $0.text(), $0.real())
      }
      terms = made
      return (made.0.expression, made.1.expression, made.2.expression)
    }
    var expected = rows.map { row in
      terms.map { [$0.0.evaluate(row), $0.1.evaluate(row), $0.2.evaluate(row)] } ?? []
    }
    if !isTotal, values.below(3) == 0 {
      selected = selected.distinct()
      expected = RandomQuery.distinct(expected)
    }
    return run(selected, expected, isTotal: isTotal) { [value($0.0), value($0.1), value($0.2)] }
  }

  // MARK: Two tables

  /// A join of any kind.
  mutating func join<A: SampleModel, B: SampleModel>(
    _ first: A.Type, _ second: B.Type
  ) -> RandomQuery {
    let (lefts, rights) = (database.rows(of: first), database.rows(of: second))
    let (a, b) = (OptionalColumns<A>(), OptionalColumns<B>())
    let columns =
      A.columns(of: a.columns, at: 0).optional + B.columns(of: b.columns, at: 1).optional
    let on = expressions(over: columns) { $0.condition(depth: 1) }
    let kind = values.below(5)
    let clause =
      switch kind {
      case 0: Join(b, on: on.predicate)
      case 1: LeftJoin(b, on: on.predicate)
      case 2: RightJoin(b, on: on.predicate)
      case 3: FullJoin(b, on: on.predicate)
      default: CrossJoin(b)
      }
    var rows: [Environment] = []
    var matched: Set<Int> = []
    for left in lefts {
      var found = false
      for (index, right) in rights.enumerated()
      where kind == 4 || on.holds([left, right]) == true {
        rows.append([left, right])
        matched.insert(index)
        found = true
      }
      if !found, kind == 1 || kind == 3 { rows.append([left, database.missing(second)]) }
    }
    if kind == 2 || kind == 3 {
      for (index, right) in rights.enumerated() where !matched.contains(index) {
        rows.append([database.missing(first), right])
      }
    }
    let filter = condition(over: columns, tables: 2)
    rows = rows.filter { filter.holds($0) == true }
    let terms = expressions(over: columns) { ($0.integer(), $0.text(), $0.real()) }
    let (direction, nulls) = sortOrder()
    let isOrdered = values.flip()
    let request = Query {
      From(a)
      clause
      Where { filter.predicate }
      if isOrdered { OrderBy(terms.0.expression, direction, nulls: nulls) }
      Select(terms.0.expression, terms.1.expression, terms.2.expression)
    }
    let expected = rows.map { [terms.0.evaluate($0), terms.1.evaluate($0), terms.2.evaluate($0)] }
    var query = run(request, expected, isTotal: false) {
      [value($0.0), value($0.1), value($0.2)]
    }
    if isOrdered {
      query.order = { Self.comparing({ $0[0][0] }, direction, nulls)([$0], [$1]) }
    }
    return query
  }

  // MARK: Parts

  func run<Row>(
    _ query: some Fetchable<Row>, _ expected: [[DatabaseValue]], isTotal: Bool,
    integers: [Int] = [0], _ row: (Row) -> [DatabaseValue]
  ) -> RandomQuery {
    RandomQuery(
      text: try? query.sql, shape: try? query.request.statement.shape(),
      found: Result { try database.db.fetch(query).map(row) },
      expected: expected, order: isTotal ? { _, _ in 0 } : nil, isTotal: isTotal,
      integers: integers)
  }

  mutating func sortOrder() -> (SortDirection, NullOrder?) {
    let nulls: [NullOrder?] = [nil, .first, .last]
    return (values.flip() ? .ascending : .descending, nulls[values.below(3)])
  }

  static func comparing(
    _ evaluate: @escaping (Environment) -> DatabaseValue, _ direction: SortDirection,
    _ nulls: NullOrder?
  ) -> (Environment, Environment) -> Int {
    { left, right in
      let (left, right) = (evaluate(left), evaluate(right))
      if let nulls, left.isNull != right.isNull {
        return left.isNull == (nulls == .first) ? -1 : 1
      }
      return SQLLogic.order(left, right) * (direction == .ascending ? 1 : -1)
    }
  }

  static func order(
    _ left: Environment, _ right: Environment, by compare: [(Environment, Environment) -> Int]
  ) -> Int {
    compare.lazy.map { $0(left, right) }.first { $0 != 0 } ?? 0
  }
}
