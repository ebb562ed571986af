import Foundation
import QueryDSL
import SQLCore

@testable import QueryFixtures

/// A row of Swift values that a query joins with a table.
private struct MadeRow: ResultRow {
  @Column var place: Int
  @Column var number: Int?
  @Column var text: String?

  var values: [DatabaseValue] { [value(place), value(number), value(text)] }
}

// Rows of Swift values as a table, aggregates that join values, and dates that are moved by columns.

extension RandomSelects {
  /// `Values(…)`, joined with a table or left alone, with the conditions of joined queries.
  mutating func madeRows<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let made = (0..<values.below(5)).map { index in
      MadeRow(
        place: index, number: values.optional { $0.below(7) - 3 },
        text: values.optional { $0.text() })
    }
    let isLeft = values.flip()
    let (row, optional) = (Columns<MadeRow>(), OptionalColumns<M>())
    let table = isLeft ? optional.columns : Columns<M>()
    var columns = M.columns(of: table, at: 1, isMissing: isLeft)
    columns.integers.append(Term(expression: row.$number) { $0[0][1] })
    columns.integers.append(Term(expression: row.$place.optional) { $0[0][0] })
    columns.texts.append(Term(expression: row.$text) { $0[0][2] })
    let (on, filter, terms) = expressions(over: columns, tables: 2) {
      ($0.condition(depth: 1), $0.condition(depth: 2), ($0.integer(), $0.text()))
    }
    let query = Query {
      From(Values(made).as(row))
      if isLeft {
        LeftJoin(optional, on: on.predicate)
      } else {
        Join(table, on: on.predicate)
      }
      Where(filter.predicate)
      Select(terms.0.expression, terms.1.expression)
    }
    let nothing: [DatabaseValue] = Array(repeating: .null, count: M.width)
    let rows = made.map(\.values).flatMap { first -> [Environment] in
      let found = database.rows(of: model).filter { on.holds([first, $0]) == true }
      return (found.isEmpty && isLeft ? [nothing] : found).map { [first, $0] }
    }
    let expected = rows.filter { filter.holds($0) == true }.map {
      [terms.0.evaluate($0), terms.1.evaluate($0)]
    }
    return run(query, expected, isTotal: false) { [value($0.0), value($0.1)] }
  }

  /// Texts joined with a separator of their group, and the different numbers of a group as JSON.
  /// Both are in no order.
  mutating func joinedValues() -> RandomQuery {
    let from = from(values.pick([1, 1, 2]))
    let parts = expressions(over: from.columns, tables: from.count) {
      (
        key: $0.condition(depth: 1), text: $0.text(depth: 1), number: $0.simpleInteger(),
        rows: $0.condition()
      )
    }
    // Hexadecimal digits contain no separator. Of 3 and 3.0, DISTINCT could keep either.
    let text = parts.text.expression.hex().nullIf("")
    let bits = parts.number.expression.bitAnd(7)
    let query = Query {
      for clause in from.clauses { clause }
      Where(parts.rows.predicate)
      GroupBy(SQLExpression<Bool?>(parts.key.predicate))
      Select(
        SQLExpression<Bool?>(parts.key.predicate),
        text.groupConcat(iif(parts.key.predicate, "|", "/")),
        bits.jsonGroupArray(distinct: true))
    }
    let rows = from.rows.filter { parts.rows.holds($0) == true }
    var expected: [[DatabaseValue]] = []
    for group in RandomQuery.distinct(rows.map { [value(parts.key.holds($0))] }) {
      let rows = rows.filter { SQLLogic.isSame(value(parts.key.holds($0)), group[0]) }
      let texts = rows.compactMap { row -> String? in
        guard case .text(let text) = SQLLogic.hex(parts.text.evaluate(row)) else { return nil }
        return text.isEmpty ? nil : text
      }
      let separator = SQLLogic.isSame(group[0], value(true)) ? "|" : "/"
      let numbers = RandomQuery.distinct(
        rows.map { [SQLLogic.bits(parts.number.evaluate($0), 7) { $0 & $1 }] })
      let joined = Self.sorted(texts.isEmpty ? nil : texts.joined(separator: separator))
      expected.append(group + [value(joined)] + Self.sorted(numbers.map { $0[0] }))
    }
    return run(query, expected, isTotal: false, integers: []) {
      [value($0.0), value(Self.sorted($0.1))] + Self.sorted($0.2.value.map { value($0) })
    }
  }

  /// Sorts the parts of a text between separators.
  private static func sorted(_ text: String?) -> String? {
    guard let text else { return nil }
    let separator = text.contains("|") ? "|" : "/"
    return text.split(separator: separator).sorted().joined(separator: separator)
  }

  private static func sorted(_ values: [DatabaseValue]) -> [DatabaseValue] {
    values.sorted { SQLLogic.order($0, $1) < 0 }
  }

  // MARK: Dates

  /// A date that is moved by a number of units from a column.
  mutating func movedDates<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    // The last days of months, with a fraction of a second that no step loses.
    let day = values.pick([951_782_400, 1_706_659_200, 0, -2_678_400, 1_709_164_800])
    let date = Date(timeIntervalSince1970: Double(day + values.below(86_400)) + 0.25)
    let unit = values.pick(MovedDate.units)
    let overflow: MonthOverflow = values.flip() ? .floor : .ceiling
    var number: Term<Int?>?
    let query = M.all.select { table -> SQLExpression<Date> in
      let columns = M.columns(of: table, at: 0, isMissing: false)
      let made = expressions(over: columns, tables: 1) { $0.simpleInteger() }
      number = made
      let amount = made.expression.remainder(50).ifNull(1)
      return SQLExpression(date).modified(by: amount, unit, overflow)
    }
    let expected = database.rows(of: model).map { row -> [DatabaseValue] in
      let amount = number.map { SQLLogic.remainder($0.evaluate([row]), 50) } ?? .null
      let count = SQLLogic.whole(amount).map(Int.init) ?? 1
      return [MovedDate.milliseconds(of: MovedDate.moved(date, by: count, unit, overflow))]
    }
    return run(query, expected, isTotal: false) { [MovedDate.milliseconds(of: $0)] }
  }
}

/// The reference for dates that are moved by a number of units.
private enum MovedDate {
  static let units: [DateUnit] = [
    .milliseconds, .seconds, .minutes, .hours, .days, .months, .months, .years, .years,
  ]

  static func milliseconds(of date: Date?) -> DatabaseValue {
    date.map { value(Int(($0.timeIntervalSince1970 * 1_000).rounded())) } ?? .null
  }

  static func moved(
    _ date: Date, by count: Int, _ unit: DateUnit, _ overflow: MonthOverflow
  ) -> Date? {
    let amount = Double(count)
    switch unit {
    case .milliseconds: return date + amount / 1_000
    case .seconds: return date + amount
    case .minutes: return date + amount * 60
    case .hours: return date + amount * 3_600
    case .days: return date + amount * 86_400
    case .months: return moved(date, byMonths: count, overflow)
    case .years: return moved(date, byMonths: count * 12, overflow)
    }
  }

  private static func moved(
    _ date: Date, byMonths count: Int, _ overflow: MonthOverflow
  ) -> Date? {
    let calendar = Tour.calendar
    let start = calendar.startOfDay(for: date)
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    let first = calendar.dateInterval(of: .month, for: date)?.start
    guard let day = parts.day, let first,
      let month = calendar.date(byAdding: .month, value: count, to: first),
      let days = calendar.range(of: .day, in: .month, for: month)?.count
    else { return nil }
    let place = overflow == .floor ? min(day, days) : day
    return month + Double(place - 1) * 86_400 + date.timeIntervalSince(start)
  }
}
