import QueryDSL
import SQLCore

// Inserts of some columns of several rows, and upserts that set some columns.

extension RandomWrites {
  mutating func insertRows() -> RandomWrite {
    let rows = (0...values.below(3)).map { _ in
      (values.text(), values.optional { $0.below(3) }, values.optional { $0.text() })
    }
    let (insert, clauses) = conflicts(Gamma.insert(\.$code, \.$n, \.$t, values: rows))
    return write(
      insert, clauses,
      rows.map { [.null, value($0.0), value($0.1), 2, 0.5, value($0.2), .null, 1] },
      hasOutcomes: true)
  }

  mutating func upsertSetting() -> RandomWrite {
    let models = (0...values.below(3)).map { _ in model() }
    let insert = Gamma.insert(models).onConflictUpdate(\.$code, setting: \.$r, \.$t)
    let clause = ReferenceClause(target: [1]) { row, new in
      let updated = row[...3] + new[4...5] + row[6...]
      return zip(updated, row).allSatisfy { SQLLogic.isSame($0, $1) } ? nil : Array(updated)
    }
    return write(insert, [clause], models.map(\.values), hasOutcomes: true)
  }
}
