import Foundation
import QueryDSL
import SQLCore

// Table-valued functions of the columns of the table before them.

extension RandomSelects {
  mutating func functions() -> RandomQuery {
    switch values.below(3) {
    case 0:
      return elements(
        { table -> TableFunctionCall<JSONElement<Int>> in jsonEach(table.$numbers) },
        { $0.integers.append($1) }, { SampleElements.numbers(of: $0[4]) })
    case 1:
      return elements(
        { table -> TableFunctionCall<JSONElement<String>> in jsonEach(table.$texts) },
        { $0.texts.append($1) }, { SampleElements.texts(of: $0[5]) })
    default: return series()
    }
  }

  /// The elements of a JSON array, in a join or a left join.
  private mutating func elements<Element: ColumnValue>(
    _ call: (Columns<SampleLists>) -> TableFunctionCall<JSONElement<Element>>,
    _ add: (inout SampleColumns, Term<Element?>) -> Void,
    _ elements: @escaping ([DatabaseValue]) -> [DatabaseValue]
  ) -> RandomQuery {
    let isLeft = values.flip()
    let table = Columns<SampleLists>()
    let optional = OptionalColumns<JSONElement<Element>>()
    let plain = isLeft ? optional.columns : Columns<JSONElement<Element>>()
    var columns = SampleLists.columns(of: table, at: 0, isMissing: false)
    columns.integers.append(Term(expression: plain.$index.optional) { $0[1][0] })
    add(&columns, Term(expression: plain.$value.optional) { $0[1][1] })
    let on: Condition? =
      values.flip()
      ? expressions(over: columns, tables: 2) { $0.condition(depth: 1) } : nil
    let join: QueryClause =
      switch (isLeft, on) {
      case (true, let on?): LeftJoin(call(table).as(optional), on: on.predicate)
      case (true, nil): LeftJoin(call(table).as(optional))
      case (false, let on?): Join(call(table).as(plain), on: on.predicate)
      case (false, nil): Join(call(table).as(plain))
      }
    return joined(table, join, columns, isLeft: isLeft, width: 2) { row in
      let rows = elements(row).enumerated().map { [value($0.offset), $0.element] }
      return rows.filter { element in on.map { $0.holds([row, element]) == true } ?? true }
    }
  }

  /// The integers between two columns, upwards or downwards.
  private mutating func series() -> RandomQuery {
    let (start, step) = (values.below(4) - 1, values.pick([-2, -1, 0, 1, 2, 3]))
    let isLeft = values.flip()
    let isConstant = values.oneIn(3)
    let table = Columns<SampleLists>()
    let optional = OptionalColumns<SeriesElement>()
    let plain = isLeft ? optional.columns : Columns<SeriesElement>()
    let call =
      isConstant
      ? generateSeries(start, through: table.$last.ifNull(2), by: step)
      : generateSeries(
        table.$first.ifNull(start), through: table.$last.ifNull(2), by: SQLExpression(step))
    var columns = SampleLists.columns(of: table, at: 0, isMissing: false)
    columns.integers.append(Term(expression: plain.$value.optional) { $0[1][0] })
    let join = isLeft ? LeftJoin(call.as(optional)) : Join(call.as(plain))
    return joined(table, join, columns, isLeft: isLeft, width: 1) { row in
      func whole(_ value: DatabaseValue, or other: Int) -> Int {
        SQLLogic.whole(value).map(Int.init) ?? other
      }
      let first = isConstant ? start : whole(row[1], or: start)
      return stride(from: first, through: whole(row[2], or: 2), by: step == 0 ? 1 : step)
        .map { [value($0)] }
    }
  }

  private mutating func joined(
    _ table: Columns<SampleLists>, _ join: QueryClause, _ columns: SampleColumns, isLeft: Bool,
    width: Int, _ rows: ([DatabaseValue]) -> [[DatabaseValue]]
  ) -> RandomQuery {
    let (filter, terms) = expressions(over: columns, tables: 2) {
      ($0.condition(depth: 2), ($0.integer(), $0.text(), $0.simpleInteger()))
    }
    let query = Query {
      From(table)
      join
      Where { filter.predicate }
      Select(terms.0.expression, terms.1.expression, terms.2.expression)
    }
    let nothing: [DatabaseValue] = Array(repeating: .null, count: width)
    let environments = database.rows(of: SampleLists.self).flatMap { row -> [Environment] in
      let found = rows(row)
      return (found.isEmpty && isLeft ? [nothing] : found).map { [row, $0] }
    }
    let expected = environments.filter { filter.holds($0) == true }.map {
      [terms.0.evaluate($0), terms.1.evaluate($0), terms.2.evaluate($0)]
    }
    return run(query, expected, isTotal: false) { [value($0.0), value($0.1), value($0.2)] }
  }
}

/// The elements of a stored JSON array.
private enum SampleElements {
  static func numbers(of json: DatabaseValue) -> [DatabaseValue] {
    list(json, of: Int.self).map { value($0) }
  }

  static func texts(of json: DatabaseValue) -> [DatabaseValue] {
    list(json, of: String.self).map { value($0) }
  }

  private static func list<Element: Decodable>(
    _ json: DatabaseValue, of: Element.Type
  ) -> [Element] {
    guard case .text(let text) = json else { return [] }
    return (try? JSONDecoder().decode([Element].self, from: Data(text.utf8))) ?? []
  }
}
