import QueryDSL
import SQLCore

// Subqueries over one table, which also use the columns of the queries around them.

extension RandomExpressions {
  /// EXISTS or IN.
  mutating func membership() -> Condition {
    let model = values.pick(database.models)
    return switch values.below(5) {
    case 0, 1: exists(in: model)
    case 2, 3: isIn(model)
    default: isRow(of: model)
    }
  }

  private mutating func inside<M: SampleModel, Result>(
    _ table: Columns<M>, _ body: (inout RandomExpressions) -> Result
  ) -> Result {
    var inner = RandomExpressions(
      database: database, columns: columns + M.columns(of: table, at: tables, isMissing: false),
      tables: tables + 1, values: values,
      nesting: nesting + 1)
    defer { values = inner.values }
    return body(&inner)
  }

  private mutating func exists<M: SampleModel>(in model: M.Type) -> Condition {
    let table = Columns<M>()
    let condition = inside(table) { $0.condition(depth: 2) }
    let query = Query {
      From(table)
      Where { condition.predicate }
      Select(table)
    }
    let rows = database.rows(of: model)
    return Condition(predicate: query.exists()) { outer in
      rows.contains { condition.holds(outer + [$0]) == true }
    }
  }

  private mutating func isIn<M: SampleModel>(_ model: M.Type) -> Condition {
    let table = Columns<M>()
    let subject = integer(depth: 1)
    let (condition, term) = inside(table) { ($0.condition(depth: 1), $0.integer(depth: 1)) }
    let query = Query {
      From(table)
      Where { condition.predicate }
      Select(term.expression)
    }
    let rows = database.rows(of: model)
    let isPlain = values.oneIn(3)
    func holds(_ outer: Environment, _ isSame: (DatabaseValue, DatabaseValue) -> Bool) -> Bool {
      let value = subject.evaluate(outer)
      return rows.contains { row in
        condition.holds(outer + [row]) == true && isSame(value, term.evaluate(outer + [row]))
      }
    }
    guard isPlain else {
      return Condition(predicate: subject.expression.isIn(query)) {
        holds($0, SQLLogic.isSame)
      }
    }
    // An IN without optionals: NULL is replaced on both sides.
    let plain = Query {
      From(table)
      Where { condition.predicate }
      Select(term.expression.ifNull(2))
    }
    return Condition(predicate: subject.expression.ifNull(2).isIn(plain)) {
      holds($0) { SQLLogic.isSame($0.isNull ? 2 : $0, $1.isNull ? 2 : $1) }
    }
  }

  /// Two values in the rows of a query. None of them is optional.
  private mutating func isRow<M: SampleModel>(of model: M.Type) -> Condition {
    let table = Columns<M>()
    let subject = (integer(depth: 1), text(depth: 1))
    let (condition, terms) = inside(table) {
      ($0.condition(depth: 1), ($0.integer(depth: 1), $0.text(depth: 1)))
    }
    let query = Query {
      From(table)
      Where { condition.predicate }
      Select(terms.0.expression.ifNull(2), terms.1.expression.ifNull("a"))
    }
    let rows = database.rows(of: model)
    func plain(
      _ terms: (Term<Int?>, Term<String?>), _ row: Environment
    ) -> [DatabaseValue] {
      let (number, text) = (terms.0.evaluate(row), terms.1.evaluate(row))
      return [number.isNull ? 2 : number, text.isNull ? "a" : text]
    }
    let row = RowValue(subject.0.expression.ifNull(2), subject.1.expression.ifNull("a"))
    return Condition(predicate: row.isIn(query)) { outer in
      let found = plain(subject, outer)
      return rows.contains {
        let row = outer + [$0]
        return condition.holds(row) == true
          && RandomQuery.order(found, plain(terms, row)) == 0
      }
    }
  }

  /// A scalar subquery: the number of rows, or a value of the first row.
  mutating func subquery<M: SampleModel>(of model: M.Type) -> Term<Int?> {
    let table = Columns<M>()
    let (condition, term) = inside(table) { ($0.condition(depth: 1), $0.integer(depth: 1)) }
    let rows = database.rows(of: model)
    func matching(_ outer: Environment) -> [Environment] {
      rows.map { outer + [$0] }.filter { condition.holds($0) == true }
    }
    if values.flip() {
      let count = Query {
        From(table)
        Where { condition.predicate }
        Select(table.count())
      }
      return Term(expression: count.subquery()) { value(matching($0).count) }
    }
    let keys = M.columns(of: table, at: tables, isMissing: false).keys
    let first = Query {
      From(table)
      Where { condition.predicate }
      for key in keys { key.clause(.descending, nil) }
      if values.flip() { Limit(1) }
      Select(term.expression)
    }
    let compare = keys.map { RandomQuery.comparing($0.evaluate, .descending, nil) }
    return Term(expression: first.subquery()) {
      matching($0).min { RandomQuery.order($0, $1, by: compare) < 0 }.map(term.evaluate) ?? .null
    }
  }
}
