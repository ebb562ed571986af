import QueryDSL
import SQLCore

extension RandomSelects {
  /// GROUP BY, HAVING and aggregates, with DISTINCT and FILTER.
  mutating func groups<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let table = Columns<M>()
    let columns = M.columns(of: table, at: 0)
    let parts = expressions(over: columns) {
      (
        key: $0.text(depth: 1), number: $0.integer(depth: 0), text: $0.text(depth: 0),
        flag: $0.condition(depth: 1), filter: $0.condition(depth: 1)
      )
    }
    let filter = condition(over: columns, tables: 1)
    let least = values.below(3)
    let request = Query {
      From(table)
      Where { filter.predicate }
      GroupBy(parts.key.expression)
      Having { table.count() > least }
      Select(
        parts.key.expression, table.count(), parts.number.expression.count(distinct: true),
        parts.number.expression.min(), parts.text.expression.max(),
        Case(when: parts.flag.predicate, then: 1).else(0).sum(),
        parts.text.expression.count().filter(parts.filter.predicate))
    }
    let rows = database.rows(of: model).map { [$0] }.filter { filter.holds($0) == true }
    var expected: [[DatabaseValue]] = []
    for key in RandomQuery.distinct(rows.map { [parts.key.evaluate($0)] }).map({ $0[0] }) {
      let group = rows.filter { SQLLogic.isSame(parts.key.evaluate($0), key) }
      guard group.count > least else { continue }
      let numbers = group.map(parts.number.evaluate).filter { !$0.isNull }
      let texts = group.map(parts.text.evaluate).filter { !$0.isNull }
      let filtered = group.filter { parts.filter.holds($0) == true }
      expected.append([
        key, value(group.count), value(RandomQuery.distinct(numbers.map { [$0] }).count),
        numbers.min { SQLLogic.order($0, $1) < 0 } ?? .null,
        texts.max { SQLLogic.order($0, $1) < 0 } ?? .null,
        value(group.filter { parts.flag.holds($0) == true }.count),
        value(filtered.filter { !parts.text.evaluate($0).isNull }.count),
      ])
    }
    return run(request, expected, isTotal: false, integers: [1, 2, 3, 5, 6]) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4), value($0.5), value($0.6)]
    }
  }

  /// UNION, UNION ALL, INTERSECT, EXCEPT of two or three queries, ordered by a column or not.
  mutating func compound<A: SampleModel, B: SampleModel>(
    _ first: A.Type, _ second: B.Type
  ) -> RandomQuery {
    var (query, rows) = operand(first)
    for _ in 0...values.below(2) {
      let (other, others) = operand(second)
      func isAmongOthers(_ row: [DatabaseValue]) -> Bool {
        others.contains { RandomQuery.order($0, row) == 0 }
      }
      switch values.below(4) {
      case 0: (query, rows) = (query.union(other).request, RandomQuery.distinct(rows + others))
      case 1: (query, rows) = (query.unionAll(other).request, rows + others)
      case 2:
        query = query.intersect(other).request
        rows = RandomQuery.distinct(rows.filter(isAmongOthers))
      default:
        query = query.except(other).request
        rows = RandomQuery.distinct(rows.filter { !isAmongOthers($0) })
      }
    }
    return run(query, rows, isTotal: false) { [value($0.0), value($0.1)] }
  }

  private mutating func operand<M: SampleModel>(
    _ model: M.Type
  ) -> (Request<(Int?, String?)>, [[DatabaseValue]]) {
    let table = Columns<M>()
    let columns = M.columns(of: table, at: 0)
    let (number, text) = expressions(over: columns) { ($0.integer(depth: 0), $0.text(depth: 1)) }
    let filter = condition(over: columns, tables: 1)
    let request = Query {
      From(table)
      Where { filter.predicate }
      Select(number.expression, text.expression)
    }
    let rows = database.rows(of: model).map { [$0] }.filter { filter.holds($0) == true }
    return (request, rows.map { [number.evaluate($0), text.evaluate($0)] })
  }

  /// Window functions over partitions, orders and frames.
  mutating func windows<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let table = Columns<M>()
    let columns = M.columns(of: table, at: 0)
    let (key, id) = (columns.integers[0].expression, columns.integers[0].column)
    let parts = expressions(over: columns) {
      (
        partition: $0.text(depth: 1), sort: $0.integer(depth: 0), text: $0.text(depth: 0),
        flag: $0.condition(depth: 1)
      )
    }
    let filter = condition(over: columns, tables: 1)
    let (direction, nulls) = sortOrder()
    let (before, behind, offset) = (values.below(3), values.below(3), values.below(3))
    let sorted = Window.partition(by: parts.partition.expression)
      .order(by: parts.sort.expression, direction, nulls: nulls)
    let total = sorted.order(by: key)
    let request = Query {
      From(table)
      Where { filter.predicate }
      NamedWindow("total", total)
      Select(
        key, table.rowNumber().over(named: "total"), table.rank().over(sorted),
        Case(when: parts.flag.predicate, then: 1).else(0).sum()
          .over(total.rows(.preceding(before), .following(behind))),
        parts.text.expression.lag(offset).over(total))
    }
    let compare = Self.comparing(parts.sort.evaluate, direction, nulls)
    let keys = Self.comparing({ $0[0][id] }, .ascending, nil)
    let rows = database.rows(of: model).map { [$0] }.filter { filter.holds($0) == true }
    let expected = rows.map { row -> [DatabaseValue] in
      let partition = rows.filter {
        SQLLogic.isSame(parts.partition.evaluate($0), parts.partition.evaluate(row))
      }.sorted { Self.order($0, $1, by: [compare, keys]) < 0 }
      let place = partition.firstIndex { $0[0][id] == row[0][id] } ?? 0
      let frame = partition[max(0, place - before)...min(partition.count - 1, place + behind)]
      let other = place - offset
      return [
        row[0][id], value(place + 1), value(1 + partition.filter { compare($0, row) < 0 }.count),
        value(frame.filter { parts.flag.holds($0) == true }.count),
        other >= 0 ? parts.text.evaluate(partition[other]) : .null,
      ]
    }
    return run(request, expected, isTotal: false) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4)]
    }
  }
}
