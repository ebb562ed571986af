import QueryDSL
import SQLCore

/// The row of a query that is used as a table, in FROM or in WITH.
struct SampleRow: ResultRow {
  @Column var number: Int?
  @Column var text: String?
  @Column var real: Double?

  var values: [DatabaseValue] { [value(number), value(text), value(real)] }

  static func columns(of row: Columns<SampleRow>, at table: Int, isMissing: Bool) -> SampleColumns {
    var columns = SampleColumns(table: table, isMissing: isMissing)
    columns.add(row.$number)
    columns.add(row.$text)
    columns.add(row.$real)
    return columns
  }
}

/// A table of a query: a model's own table, a subquery or a common table.
struct RandomTable {
  let columns: SampleColumns
  let rows: [[DatabaseValue]]
  let width: Int
  /// The WITH clauses that it needs.
  var with: [QueryClause] = []
  let from: QueryClause
  let join: (JoinKind, SQLPredicate) -> QueryClause
}

enum JoinKind: CaseIterable {
  case inner, left, right, full, cross

  /// Whether the row after the join may be missing.
  var missesRight: Bool { self == .left || self == .full }
  /// Whether the row before the join may be missing.
  var missesLeft: Bool { self == .right || self == .full }
}

/// FROM with its joins, and the rows of the reference.
struct RandomFrom {
  var clauses: [QueryClause]
  var columns: SampleColumns
  var rows: [Environment]
  var count: Int
}

extension RandomSelects {
  /// Joins the given number of tables, with joins of random kinds.
  mutating func from(_ count: Int) -> RandomFrom {
    let kinds = (1..<max(count, 1)).map { _ in values.pick(JoinKind.allCases) }
    func isMissing(_ place: Int) -> Bool {
      place > 0 && kinds[place - 1].missesRight
        || kinds.dropFirst(place).contains(where: \.missesLeft)
    }
    let first = table(at: 0, isMissing: isMissing(0))
    var from = RandomFrom(
      clauses: first.with + [first.from], columns: first.columns, rows: first.rows.map { [$0] },
      count: count)
    var widths = [first.width]
    for (index, kind) in kinds.enumerated() {
      let next = table(at: index + 1, isMissing: isMissing(index + 1))
      from.columns = from.columns + next.columns
      let isFollowed = kinds.dropFirst(index + 1).contains(where: \.missesLeft)
      let on = joinCondition(
        kind, over: from.columns, tables: index + 2, mustUseColumns: kind == .inner && isFollowed)
      from.clauses += next.with + [next.join(kind, on.predicate)]
      from.rows = Self.joined(from.rows, next.rows, kind, on, widths, next.width)
      widths.append(next.width)
    }
    return from
  }

  /// Returns a condition that holds for some pairs: two columns, or any condition.
  ///
  /// - Parameter mustUseColumns: SQLite 3.40 moves a condition of an inner join that names no
  ///   column to WHERE, and so drops rows that a later RIGHT or FULL join adds by itself.
  private mutating func joinCondition(
    _ kind: JoinKind, over columns: SampleColumns, tables: Int, mustUseColumns: Bool
  ) -> Condition {
    let always = Condition(predicate: SQLPredicate(sql: "1")) { _ in true }
    guard kind != .cross, !mustUseColumns || !columns.integers.isEmpty else { return always }
    if !mustUseColumns, values.oneIn(3) {
      return expressions(over: columns, tables: tables) { $0.condition(depth: 1) }
    }
    let (first, last) =
      mustUseColumns
      ? (values.pick(columns.integers), values.pick(columns.integers))
      : expressions(over: columns, tables: tables) { ($0.simpleInteger(), $0.simpleInteger()) }
    return Condition(predicate: first.expression == last.expression) {
      SQLLogic.isSame(first.evaluate($0), last.evaluate($0))
    }
  }

  private static func joined(
    _ left: [Environment], _ right: [[DatabaseValue]], _ kind: JoinKind, _ on: Condition,
    _ widths: [Int], _ width: Int
  ) -> [Environment] {
    func missing(_ width: Int) -> [DatabaseValue] { Array(repeating: .null, count: width) }
    var found: [Environment] = []
    var unmatched = Set(right.indices)
    for row in left {
      let matches = right.indices.filter { on.holds(row + [right[$0]]) == true }
      unmatched.subtract(matches)
      found += matches.map { row + [right[$0]] }
      if matches.isEmpty, kind.missesRight { found.append(row + [missing(width)]) }
    }
    if kind.missesLeft { found += unmatched.map { widths.map(missing) + [right[$0]] } }
    return found
  }

  private mutating func table(at place: Int, isMissing: Bool) -> RandomTable {
    switch values.below(10) {
    case 0:
      let (query, rows) = rowQuery()
      return table(
        at: place, isMissing, rows, { query.as($0) }, { query.as($0) })
    case 1, 2:
      let (common, rows) = values.flip() ? commonTable() : recursiveTable()
      var table = table(at: place, isMissing, rows, { common.as($0) }, { common.as($0) })
      table.with = [With(common)]
      return table
    default:
      let model = values.pick(database.models)
      return table(model, at: place, isMissing)
    }
  }

  private func table<M: SampleModel>(
    _ model: M.Type, at place: Int, _ isMissing: Bool
  ) -> RandomTable {
    let rows = database.rows(of: model)
    let optional = OptionalColumns<M>()
    let plain = isMissing ? optional.columns : Columns<M>()
    return Self.table(
      M.columns(of: plain, at: place, isMissing: isMissing), rows, M.width,
      isMissing ? optional._reference : plain._reference, optional)
  }

  /// A query or a common table as a table, with the columns of `SampleRow`.
  private func table(
    at place: Int, _ isMissing: Bool, _ rows: [[DatabaseValue]],
    _ reference: (Columns<SampleRow>) -> some TableReferenceConvertible,
    _ optionalReference: (OptionalColumns<SampleRow>) -> some OptionalTableReferenceConvertible
  ) -> RandomTable {
    let optional = OptionalColumns<SampleRow>()
    let plain = isMissing ? optional.columns : Columns<SampleRow>()
    return Self.table(
      SampleRow.columns(of: plain, at: place, isMissing: isMissing), rows, 3,
      isMissing ? optionalReference(optional)._reference : reference(plain)._reference,
      optionalReference(optional))
  }

  private static func table(
    _ columns: SampleColumns, _ rows: [[DatabaseValue]], _ width: Int,
    _ reference: TableReference, _ optional: some OptionalTableReferenceConvertible
  ) -> RandomTable {
    RandomTable(columns: columns, rows: rows, width: width, from: From(reference)) {
      kind, condition in
      switch kind {
      case .inner: Join(reference, on: condition)
      case .left: LeftJoin(optional, on: condition)
      case .right: RightJoin(reference, on: condition)
      case .full: FullJoin(optional, on: condition)
      case .cross: CrossJoin(reference)
      }
    }
  }

  // MARK: Queries as tables

  /// A query whose rows are a struct, with or without a limit.
  mutating func rowQuery() -> (Query<SampleRow>, [[DatabaseValue]]) {
    let model = values.pick(database.models)
    return rowQuery(over: model)
  }

  private mutating func rowQuery<M: SampleModel>(
    over model: M.Type
  ) -> (Query<SampleRow>, [[DatabaseValue]]) {
    let table = Columns<M>()
    let columns = M.columns(of: table, at: 0, isMissing: false)
    let (number, text, real, filter) = expressions(over: columns, tables: 1) {
      ($0.simpleInteger(), $0.text(depth: 1), $0.real(), $0.condition(depth: 1))
    }
    let limit = values.optional { $0.below(4) }
    let query = Query {
      From(table)
      Where { filter.predicate }
      if let limit {
        for key in columns.keys { key.clause(.ascending, nil) }
        Limit(limit)
      }
      Select(
        real.expression.as("real"), number.expression.as("number"), text.expression.as("text"),
        into: SampleRow.self)
    }
    let compare = columns.keys.map { RandomQuery.comparing($0.evaluate, .ascending, nil) }
    var rows = database.rows(of: model).map { [$0] }.filter { filter.holds($0) == true }
    if let limit {
      rows.sort { RandomQuery.order($0, $1, by: compare) < 0 }
      rows = Array(rows.prefix(limit))
    }
    return (query, rows.map { [number.evaluate($0), text.evaluate($0), real.evaluate($0)] })
  }

  private mutating func commonTable() -> (CommonTable<SampleRow>, [[DatabaseValue]]) {
    let (query, rows) = rowQuery()
    commonTables += 1
    let isMaterialized = values.pick([nil, true, false])
    return (CommonTable("with \(commonTables)", query, materialized: isMaterialized), rows)
  }

  /// A recursive walk over numbers: in circles with UNION, up to an end with UNION ALL.
  private mutating func recursiveTable() -> (CommonTable<SampleRow>, [[DatabaseValue]]) {
    let (start, first) = rowQuery()
    let (isDistinct, factor, summand) = (values.flip(), values.below(4), values.below(3) + 1)
    commonTables += 1
    let common = CommonTable("with \(commonTables)", startingWith: start, distinct: isDistinct) {
      walk in
      Query { (row: Columns<SampleRow>) in
        From(walk.as(row))
        if !isDistinct {
          Where {
            row.$number < 6
            row.$number > -4
          }
        }
        Select(
          isDistinct
            ? (row.$number.remainder(7) * factor + summand).remainder(7).as("number")
            : (row.$number + summand).as("number"),
          row.$text, row.$real, into: SampleRow.self)
      }
    }
    var rows = isDistinct ? RandomQuery.distinct(first) : first
    var place = 0
    while place < rows.count {
      let row = rows[place]
      place += 1
      let seven: DatabaseValue = 7
      let (factor, summand) = (value(factor), value(summand))
      let isWithin =
        SQLLogic.compare(row[0], 6) { $0 < 0 } == true
        && SQLLogic.compare(row[0], -4) { $0 > 0 } == true
      guard isDistinct || isWithin else { continue }
      let number =
        isDistinct
        ? SQLLogic.remainder(
          SQLLogic.calculate(
            "+", SQLLogic.calculate("*", SQLLogic.remainder(row[0], seven), factor), summand),
          seven)
        : SQLLogic.calculate("+", row[0], summand)
      let next = [number, row[1], row[2]]
      if isDistinct, rows.contains(where: { RandomQuery.order($0, next) == 0 }) { continue }
      rows.append(next)
    }
    return (common, rows)
  }
}
