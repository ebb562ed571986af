import QueryDSL
import SQLCore

/// Random queries over the tables of a database.
struct RandomSelects {
  let database: SampleDatabase
  var values: SampleValues
  /// The number of common tables, which makes each name unique.
  var commonTables = 0

  init(database: SampleDatabase, values: SampleValues) {
    self.database = database
    self.values = values
  }

  mutating func expressions<Result>(
    over columns: SampleColumns, tables: Int, _ body: (inout RandomExpressions) -> Result
  ) -> Result {
    var expressions = RandomExpressions(
      database: database, columns: columns, tables: tables, values: values)
    defer { values = expressions.values }
    return body(&expressions)
  }

  /// Returns a query of the kind that the number selects; the kinds repeat every 33 numbers.
  mutating func query(number: Int) -> RandomQuery {
    let (model, other) = (values.pick(database.models), values.pick(database.models))
    switch number % 33 {
    case 0, 1, 2, 3: return single(model)
    case 4: return whole(model)
    case 5: return wholes(model, other)
    case 6, 7, 8, 9, 10: return joined()
    case 11, 12, 13: return groups()
    case 14: return aggregates(model)
    case 15, 16: return compound()
    case 17, 18, 19: return windows(model)
    case 20, 21: return narrowed(model, other)
    case 22: return narrowedCompound()
    case 23: return tableGroups(model)
    case 24, 25: return paged(model)
    case 26: return madeJSON(model)
    case 27: return changedJSON(model)
    case 28: return madeRows(model)
    case 29: return joinedValues()
    case 30: return movedDates(model)
    default: return functions()
    }
  }

  // MARK: One table

  /// `M.where { … }.order(…).limit(…)`, with an expression of each type.
  private mutating func single<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var query = M.all
    var rows = database.rows(of: model).map { [$0] }
    for _ in 0..<values.below(3) {
      var condition: Condition?
      query = query.where { table in
        let made = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
          $0.condition()
        }
        remember(made, \.predicate, in: &condition)
      }
      rows = rows.filter { condition?.holds($0) == true }
    }
    var compare: [(Environment, Environment) -> Int] = []
    for _ in 0..<values.below(3) {
      let (direction, nulls) = values.sortOrder()
      var term: Term<Int?>?
      query = query.order(
        by: { table -> SQLExpression<Int?> in
          let made = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
            $0.integer(depth: 1)
          }
          term = made
          return made.expression
        }, direction, nulls: nulls)
      guard let term else { continue }
      compare.append(RandomQuery.comparing(term.evaluate, direction, nulls))
    }
    // The key comes last, so that the order is total and a limit selects the same rows.
    let isTotal = values.flip()
    if isTotal {
      (query, rows) = limited(query, rows, by: compare)
    }
    return select(query, rows, isTotal: isTotal)
  }

  private mutating func limited<M: SampleModel>(
    _ query: TableQuery<M, M>, _ rows: [Environment],
    by compare: [(Environment, Environment) -> Int]
  ) -> (TableQuery<M, M>, [Environment]) {
    var query = M.ordered(query)
    let keys = M.columns(of: Columns(), at: 0, isMissing: false).keys
    let directions: [SortDirection] = [.ascending, .descending]
    let compare =
      compare
      + zip(keys, directions).map { RandomQuery.comparing($0.evaluate, $1, nil) }
    var rows = rows.sorted { RandomQuery.order($0, $1, by: compare) < 0 }
    let limit = values.optional { $0.below(6) }
    let offset = values.optional { $0.below(3) }
    if let limit { query = query.limit(limit) }
    if let offset { query = query.offset(offset) }
    rows = Array(rows.dropFirst(offset ?? 0).prefix(limit ?? .max))
    return (query, rows)
  }

  private mutating func select<M: SampleModel>(
    _ query: TableQuery<M, M>, _ rows: [Environment], isTotal: Bool
  ) -> RandomQuery {
    var terms: (Term<Int?>, Term<String?>, Term<Double?>)?
    var selected = query.select { table in
      let made = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
        ($0.integer(), $0.text(), $0.real())
      }
      terms = made
      return (made.0.expression, made.1.expression, made.2.expression)
    }
    var expected = rows.map { row in
      terms.map { [$0.0.evaluate(row), $0.1.evaluate(row), $0.2.evaluate(row)] } ?? []
    }
    var unmerged: [[DatabaseValue]]?
    if !isTotal, values.oneIn(3) {
      selected = selected.distinct()
      unmerged = expected
      expected = RandomQuery.distinct(expected)
    }
    var result = run(selected, expected, isTotal: isTotal) {
      [value($0.0), value($0.1), value($0.2)]
    }
    result.unmerged = unmerged
    return result
  }

  /// A query of whole models.
  private mutating func whole<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    var condition: Condition?
    let query = M.where { table in
      let made = expressions(over: M.columns(of: table, at: 0, isMissing: false), tables: 1) {
        $0.condition()
      }
      remember(made, \.predicate, in: &condition)
    }
    let rows = database.rows(of: model).filter { condition?.holds([$0]) == true }
    return run(query, rows, isTotal: false, integers: []) { $0.values }
  }

  // MARK: Several tables

  /// Two models beside an expression. The second may be missing.
  private mutating func wholes<A: SampleModel, B: SampleModel>(
    _ first: A.Type, _ second: B.Type
  ) -> RandomQuery {
    let (a, b) = (Columns<A>(), OptionalColumns<B>())
    let columns =
      A.columns(of: a, at: 0, isMissing: false) + B.columns(of: b.columns, at: 1, isMissing: true)
    let (on, text) = expressions(over: columns, tables: 2) { ($0.condition(), $0.text()) }
    let query = Query {
      From(a)
      LeftJoin(b, on: on.predicate)
      Select(b, text.expression, a)
    }
    let nothing: [DatabaseValue] = Array(repeating: .null, count: B.width)
    let rows = database.rows(of: first).flatMap { row in
      let matches = database.rows(of: second).filter { on.holds([row, $0]) == true }
      return (matches.isEmpty ? [nothing] : matches).map { [row, $0] }
    }
    let expected = rows.map { $0[1] + [text.evaluate($0)] + $0[0] }
    return run(query, expected, isTotal: false, integers: []) {
      ($0.0?.values ?? nothing) + [value($0.1)] + $0.2.values
    }
  }

  /// Joins of every kind over models, queries and common tables.
  private mutating func joined() -> RandomQuery {
    let from = from(values.pick([1, 2, 2, 2, 3]))
    let (filter, terms) = expressions(over: from.columns, tables: from.count) {
      ($0.condition(), ($0.integer(), $0.text(), $0.real()))
    }
    let (direction, nulls) = values.sortOrder()
    let (isOrdered, isDistinct) = (values.flip(), values.oneIn(3))
    let query = Query {
      for clause in from.clauses { clause }
      Where { filter.predicate }
      if isOrdered { OrderBy(terms.1.expression.as("sort"), direction, nulls: nulls) }
      if isDistinct { Distinct() }
      Select(terms.0.expression, terms.1.expression.as("sort"), terms.2.expression)
    }
    var expected = from.rows.filter { filter.holds($0) == true }.map {
      [terms.0.evaluate($0), terms.1.evaluate($0), terms.2.evaluate($0)]
    }
    let unmerged = expected
    if isDistinct { expected = RandomQuery.distinct(expected) }
    var result = run(query, expected, isTotal: false) {
      [value($0.0), value($0.1), value($0.2)]
    }
    if isDistinct { result.unmerged = unmerged }
    if isOrdered { result.order = RandomQuery.comparing({ $0[1] }, direction, nulls) }
    return result
  }

  // MARK: Running

  /// Returns the predicate of a line, and keeps what it is made from for the reference.
  func remember<Made>(
    _ made: Made, _ predicate: (Made) -> SQLPredicate, in place: inout Made?
  ) -> SQLPredicate {
    place = made
    return predicate(made)
  }

  mutating func run<Row>(
    _ query: some Fetchable<Row>, _ expected: [[DatabaseValue]], isTotal: Bool,
    integers: [Int] = [0], _ row: (Row) -> [DatabaseValue]
  ) -> RandomQuery {
    let counted: Result<Int, any Error>? =
      values.oneIn(4)
      ? Result {
        let count = try database.db.count(query)
        return try database.db.exists(query) == (count > 0) ? count : -1
      } : nil
    return RandomQuery(
      text: try? query.sql, shape: try? query.query.statement.shape().bytes,
      found: Result { try database.db.fetch(query).map(row) }, counted: counted,
      expected: expected, isTotal: isTotal, integers: integers)
  }
}
