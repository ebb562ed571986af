import QueryDSL
import SQLCore

extension RandomSelects {
  /// `M.group { … }` by one expression or two, with plain values beside the groups.
  mutating func tableGroups<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let (literal, text) = (values.below(9), values.text())
    let (hasOther, isOrdered) = (values.flip(), values.flip())
    let (direction, nulls) = values.sortOrder()
    var made: (key: Term<String?>, other: Condition, number: Term<Int?>, filter: Condition)?
    func parts(
      _ table: Columns<M>
    ) -> (key: Term<String?>, other: Condition, number: Term<Int?>, filter: Condition) {
      let columns = M.columns(of: table, at: 0, isMissing: false)
      let parts = expressions(over: columns, tables: 1) {
        (
          key: $0.text(depth: 1), other: $0.condition(depth: 1), number: $0.simpleInteger(),
          filter: $0.condition(depth: 2)
        )
      }
      made = parts
      return parts
    }
    var query =
      hasOther
      ? M.group(by: { table -> (SQLExpression<String?>, SQLExpression<Bool?>) in
        let parts = parts(table)
        return (parts.key.expression, SQLExpression<Bool?>(parts.other.predicate))
      })
      : M.group(by: { table -> SQLExpression<String?> in parts(table).key.expression })
    guard let made else { return run(query, [], isTotal: false) { $0.values } }
    query = query.where { _ in made.filter.predicate }.having { $0.count() > 1 }
    if isOrdered {
      query = query.order(by: { _ in made.key.expression }, direction, nulls: nulls)
    }
    let selected = query.select {
      (
        made.key.expression, literal, $0.count(), text, made.number.expression.max(),
        literal as Int?
      )
    }
    let rows = database.rows(of: model).map { [$0] }.filter { made.filter.holds($0) == true }
    func key(_ row: Environment) -> [DatabaseValue] {
      [made.key.evaluate(row), hasOther ? value(made.other.holds(row)) : .null]
    }
    var expected: [[DatabaseValue]] = []
    for group in RandomQuery.distinct(rows.map(key)) {
      let rows = rows.filter { RandomQuery.order(key($0), group) == 0 }
      guard rows.count > 1 else { continue }
      expected.append([
        group[0], value(literal), value(rows.count), value(text),
        SQLLogic.greatest(rows.map(made.number.evaluate)), value(literal),
      ])
    }
    var result = run(selected, expected, isTotal: false, integers: []) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4), value($0.5)]
    }
    if isOrdered { result.order = RandomQuery.comparing({ $0[0] }, direction, nulls) }
    return result
  }
}
