import QueryDSL
import SQLCore

/// A query that is watched: its text, how its result is maintained, and how it is fetched.
struct LiveSource<Row: Sendable>: Sendable {
  /// The SQL of the query, from which its dependencies are found.
  let text: @Sendable () throws -> String
  /// Returns the plan by which the result is maintained. Throws a `RerunReason` if the query is
  /// fetched again after each change.
  let plan: @Sendable (PlanningContext) throws -> any MaintenancePlan<Row>
  /// Fetches all rows of a query that is not maintained.
  let fetch: @Sendable (ConnectionCore) throws -> [ResultEntry]
  /// Whether the query has a limit, so that it may be fetched on the calling thread.
  let isShort: Bool

  init(_ query: some Fetchable<Row>) {
    let query = query.query
    text = { try query.sql.text }
    plan = { try Planning.plan(query, in: $0) }
    isShort = query.statement.limit != nil
    fetch = { core in
      let statement = try core.lendStatement(for: query.statement)
      defer { core.giveBack(statement) }
      var entries: [ResultEntry] = []
      while try core.step(statement) {
        do {
          let (row, next) = try query.read(statement, on: core)
          entries.append(
            ResultRowEntry(
              row, StatementRow(statement: statement).fingerprint(ofFirst: next)))
        } catch let error as ColumnValueError {
          throw error.at(table: nil, column: nil, row: entries.count)
        }
      }
      return entries
    }
  }
}

extension LiveSource where Row == SQLCore.Row {
  init(sql: SQL) {
    text = { sql.text }
    plan = { _ in throw RerunReason("it is raw SQL") }
    isShort = false
    fetch = { core in
      var entries: [ResultEntry] = []
      try core.lend().forEach(sql) { row in
        let fingerprint = row.fingerprint(ofFirst: row.count)
        entries.append(ResultRowEntry(try Row(copying: row), fingerprint))
      }
      return entries
    }
  }
}
