import QueryDSL
import SQLCore
import TestRun

@testable import QueryFixtures

/// A random insert, update or deletion, and its effect on the reference.
struct RandomWrite {
  typealias Row = WriteTable.Row

  enum Found {
    case rows([Row])
    case outcomes([UpsertOutcome])
    case count(Int)
  }

  let text: String
  let run: (Database) throws -> Found
  /// The table after the statement, with the rows that were written and the outcome of each row. It
  /// is nil if the statement fails.
  let expected: (table: WriteTable, written: [Row], outcomes: [UpsertOutcome])?
  /// Whether the statement may also fail.
  var mayFail = false
}

/// Makes random writes that fit the table's current rows.
struct RandomWrites {
  typealias Row = WriteTable.Row

  let table: WriteTable
  /// A database without tables: expressions of writes contain no queries.
  let database: SampleDatabase
  var values: SampleValues

  mutating func expressions<Result>(
    over columns: SampleColumns, tables: Int = 1, _ body: (inout RandomExpressions) -> Result
  ) -> Result {
    var expressions = RandomExpressions(
      database: database, columns: columns, tables: tables, values: values, nesting: 2)
    defer { values = expressions.values }
    return body(&expressions)
  }

  mutating func next() -> RandomWrite {
    switch values.below(14) {
    case 0, 1: return insertModels()
    case 2: return insertColumns()
    case 3: return insertQuery()
    case 4, 5: return upsert()
    case 6: return update()
    case 7: return updateFrom()
    case 8: return delete()
    case 9: return insertRows()
    case 10: return upsertSetting()
    case 11, 12: return updateInPlace()
    default: return deleteFirst()
    }
  }

  // MARK: Inserts

  mutating func model() -> Gamma {
    Gamma(
      id: values.optional { $0.below(9) }, code: values.text(),
      n: values.optional { $0.below(3) }, m: values.below(3), r: values.real(),
      t: values.optional { $0.text() }, f: values.optional { $0.flip() }, g: values.flip())
  }

  private mutating func insertModels() -> RandomWrite {
    let models = (0...values.below(3)).map { _ in model() }
    let (insert, clauses) = conflicts(Gamma.insert(models))
    return write(insert, clauses, models.map(\.values), hasOutcomes: true)
  }

  private mutating func insertColumns() -> RandomWrite {
    let (code, n, hasN) = (values.text(), values.below(3), values.flip())
    let (insert, clauses) = conflicts(
      Gamma.insert {
        $0.$code = code
        if hasN { $0.$n = SQLExpression<Int?>(n) + 1 }
      })
    let row: Row = [.null, value(code), hasN ? value(n + 1) : .null, 2, 0.5, .null, .null, 1]
    return write(insert, clauses, [row], hasOutcomes: true)
  }

  /// INSERT … SELECT of the table's own rows, in the order of their keys, with another code.
  private mutating func insertQuery() -> RandomWrite {
    var condition: Condition?
    let suffix = values.text()
    let query = Gamma.where { gamma in
      let made = expressions(over: Gamma.columns(of: gamma, at: 0)) { $0.condition(depth: 1) }
      condition = made
      return [made.predicate]
    }.order(by: \.$id).select { ($0.$code.concat(suffix), $0.$n, $0.$m) }
    let (insert, clauses) = conflicts(Gamma.insert(\.$code, \.$n, \.$m, from: query))
    let rows = sorted(table.rows).filter { condition?.holds([$0]) == true }.map { row -> Row in
      [.null, SQLLogic.concat(row[1], value(suffix)), row[2], row[3], 0.5, .null, .null, 1]
    }
    return write(insert, clauses, rows, hasOutcomes: false)
  }

  private mutating func upsert() -> RandomWrite {
    let models = (0...values.below(3)).map { _ in model() }
    let insert = Gamma.insert(models).onConflictUpdate(\.$code)
    let clause = ReferenceClause(target: [1]) { row, new in
      // All columns except the key and the code are updated; an equal row is left.
      let updated = [row[0], row[1]] + new[2...]
      return zip(updated, row).allSatisfy { SQLLogic.isSame($0, $1) } ? nil : updated
    }
    return write(insert, [clause], models.map(\.values), hasOutcomes: true)
  }

  /// Adds ON CONFLICT clauses of any kind to an insert.
  mutating func conflicts(
    _ insert: Insert<Gamma>
  ) -> (Insert<Gamma>, [ReferenceClause]) {
    var (insert, clauses) = (insert, [ReferenceClause]())
    for target in Self.shuffled(WriteTable.uniques, &values.random).prefix(values.below(3)) {
      if values.below(3) == 0 {
        clauses.append(ReferenceClause(target: target, update: nil))
        switch target {
        case [0]: insert = insert.onConflictDoNothing(\.$id)
        case [1]: insert = insert.onConflictDoNothing(\.$code)
        default: insert = insert.onConflictDoNothing(\.$n, \.$m)
        }
        continue
      }
      var made: (term: Term<Int?>, condition: Condition, real: Term<Double?>)?
      let database = database
      let set = { (row: inout Assignments<Gamma>, new: Columns<Gamma>, values: SampleValues) in
        var expressions = RandomExpressions(
          database: database,
          columns: Gamma.columns(of: row.columns, at: 0) + Gamma.columns(of: new, at: 1),
          tables: 2, values: values, nesting: 2)
        let terms = (
          expressions.integer(), expressions.condition(depth: 1), expressions.real()
        )
        made = terms
        row.$n = terms.0.expression.remainder(5)
        row.$r = terms.2.expression.ifNull(0)
        row.$t = new.$t
        return expressions.values
      }
      var left = values
      let start = values
      func assign(_ row: inout Assignments<Gamma>) {
        left = set(&row, row.new, start)
      }
      func condition(_: ConflictColumns<Gamma>) -> PredicateLines {
        made.map { [$0.condition.predicate] } ?? []
      }
      switch target {
      case [0]: insert = insert.onConflictUpdate(\.$id, set: assign, where: condition)
      case [1]: insert = insert.onConflictUpdate(\.$code, set: assign, where: condition)
      default: insert = insert.onConflictUpdate(\.$n, \.$m, set: assign, where: condition)
      }
      values = left
      guard let made else { continue }
      clauses.append(
        ReferenceClause(target: target) { row, new in
          guard made.condition.holds([row, new]) == true else { return nil }
          var updated = row
          updated[2] = Self.remainder(made.term.evaluate([row, new]), 5)
          let real = made.real.evaluate([row, new])
          updated[4] = real.isNull ? 0.0 : real
          updated[5] = new[5]
          return updated
        })
    }
    if values.below(4) == 0 {
      insert = insert.onConflictDoNothing()
      clauses.append(ReferenceClause(target: nil, update: nil))
    }
    return (insert, clauses)
  }

  mutating func write(
    _ insert: Insert<Gamma>, _ clauses: [ReferenceClause], _ rows: [Row], hasOutcomes: Bool
  ) -> RandomWrite {
    var after = table
    let results = try? rows.map { try after.insert($0, clauses) }
    return RandomWrite(
      text: (try? insert.sql.text) ?? "no SQL",
      run: run(insert, upserting: hasOutcomes),
      expected: results.map { results in
        (
          after, results.filter { $0.outcome != .unchanged }.map(\.row), results.map(\.outcome)
        )
      })
  }

  // MARK: Updates and deletions

  private mutating func update() -> RandomWrite {
    var made: (Term<Int?>, Term<Int?>, Term<String?>)?
    var condition: Condition?
    let touchesUnique = values.below(3) == 0
    let (isLimited, limit) = (values.below(3) == 0, values.below(4))
    var update = Gamma.update { row in
      let terms = expressions(over: Gamma.columns(of: row.columns, at: 0)) {
        ($0.integer(), $0.integer(), $0.text())
      }
      made = terms
      row.$t = terms.2.expression
      if touchesUnique {
        row.$n = terms.0.expression.remainder(5)
        row.$m = terms.1.expression.remainder(4).ifNull(0)
      }
    }.where { gamma in
      let made = expressions(over: Gamma.columns(of: gamma, at: 0)) { $0.condition() }
      condition = made
      return [made.predicate]
    }
    var chosen = sorted(table.rows).filter { condition?.holds([$0]) == true }
    if isLimited {
      update = update.order(by: \.$id, .descending).limit(limit)
      chosen = Array(chosen.reversed().prefix(limit))
    }
    return write(update) { row in
      guard let made, chosen.contains(where: { SQLLogic.isSame($0[0], row[0]) }) else {
        return nil
      }
      var updated = row
      updated[5] = made.2.evaluate([row])
      if touchesUnique {
        updated[2] = Self.remainder(made.0.evaluate([row]), 5)
        let m = Self.remainder(made.1.evaluate([row]), 4)
        updated[3] = m.isNull ? 0 : m
      }
      return updated
    }
  }

  /// UPDATE … FROM the row with the next key.
  private mutating func updateFrom() -> RandomWrite {
    var condition: Condition?
    let update = Gamma.update(from: Gamma.self) { row, other in
      row.$t = other.$code.optional
      row.$r = other.$r
    } where: { row, other in
      let columns = Gamma.columns(of: row, at: 0) + Gamma.columns(of: other, at: 1)
      let made = expressions(over: columns, tables: 2) { $0.condition(depth: 2) }
      condition = made
      return [row.$id == other.$id - 1, made.predicate]
    }
    let rows = table.rows
    return write(update) { row in
      let next = rows.first { SQLLogic.isSame($0[0], SQLLogic.calculate("+", row[0], 1)) }
      guard let next, condition?.holds([row, next]) == true else { return nil }
      var updated = row
      (updated[4], updated[5]) = (next[4], next[1])
      return updated
    }
  }

  mutating func write(
    _ update: Update<Gamma>, _ change: (Row) -> Row?
  ) -> RandomWrite {
    let written = table.rows.compactMap(change)
    let text = (try? update.sql.text) ?? "no SQL"
    let run = run(update)
    switch table.update(change) {
    case .fails: return RandomWrite(text: text, run: run, expected: nil)
    case .succeeds(let rows):
      return RandomWrite(text: text, run: run, expected: (WriteTable(rows: rows), written, []))
    case .mayFail(let rows):
      return RandomWrite(
        text: text, run: run, expected: (WriteTable(rows: rows), written, []), mayFail: true)
    }
  }

  private mutating func delete() -> RandomWrite {
    var condition: Condition?
    let delete = Gamma.delete().where { gamma in
      let made = expressions(over: Gamma.columns(of: gamma, at: 0)) { $0.condition() }
      condition = made
      return [made.predicate]
    }
    return write(delete) { condition?.holds([$0]) == true }
  }

  private mutating func deleteFirst() -> RandomWrite {
    let limit = values.below(4)
    let gone = sorted(table.rows).sorted { SQLLogic.order($0[3], $1[3]) < 0 }.prefix(limit)
    return write(Gamma.delete().order(by: \.$m).order(by: \.$id).limit(limit)) { row in
      gone.contains { SQLLogic.isSame($0[0], row[0]) }
    }
  }

  private mutating func write(
    _ delete: Delete<Gamma>, _ isGone: (Row) -> Bool
  ) -> RandomWrite {
    let gone = table.rows.filter(isGone)
    return RandomWrite(
      text: (try? delete.sql.text) ?? "no SQL", run: run(delete),
      expected: (WriteTable(rows: table.rows.filter { !isGone($0) }), gone, []))
  }

  // MARK: Running a write

  private mutating func run(
    _ command: some TableCommand<Gamma>, upserting: Bool = false
  ) -> (Database) throws -> RandomWrite.Found {
    if upserting, let insert = command as? Insert<Gamma>, values.flip() {
      return { .outcomes(try $0.upsert(insert).map(\.outcome)) }
    }
    if values.flip() {
      return { .rows(try $0.fetch(command.returning()).map(\.values)) }
    }
    return { .count(try $0.run(command)) }
  }

  private func sorted(_ rows: [Row]) -> [Row] { rows.sorted { SQLLogic.order($0[0], $1[0]) < 0 } }

  private static func remainder(_ value: DatabaseValue, _ divisor: Int64) -> DatabaseValue {
    let result = SQLLogic.remainder(value, .integer(divisor))
    // The column turns a REAL that was calculated beyond 64 bits into an integer.
    if case .real(let real) = result { return .integer(Int64(real)) }
    return result
  }

  private static func shuffled(_ list: [[Int]], _ random: inout SeededGenerator) -> [[Int]] {
    list.shuffled(using: &random)
  }
}
