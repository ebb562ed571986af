import QueryDSL
import SQLCore

/// The plan for a query with GROUP BY over inner and left joins, or with GROUP BY and subqueries.
/// The query is evaluated again only for the groups to which touched rows belong or belonged.
final class GroupPlan<Row: Sendable>: SnapshotPlan, KeyedPlan {
  let query: KeyedQuery<Row>
  private let groups: PlannedGroups
  /// The statement of the query, without a condition on the groups. Each update adds the condition
  /// that limits the statement to the affected groups.
  private let restricted: SelectStatement
  /// For each table, the trace that finds the groups to which changed rows of the table belong.
  private let traces: [GroupTrace]

  var indexedPlaces: [Range<Int>] {
    Set(traces.map(\.firstPlace)).subtracting([0]).map { $0..<($0 + 1) }
  }
  var indexesNull: Bool { true }
  var explanation: String {
    let names = Planning.names(traces.map(\.table.layout.tableName))
    return "a commit that touches \(names) evaluates it again only for the groups that this "
      + "concerns"
  }

  /// - Parameter scoped: the tables that the subqueries read.
  init(
    _ query: Query<Row>, by groups: PlannedGroups, of tables: [PlannedTable],
    _ scopes: [QueryScope], scoped: [PlannedTable], in context: PlanningContext
  ) throws {
    let select = query.statement
    let grouping = SelectStatement(
      selection: .terms(select.groups.map { .expression($0) }), from: select.from)
    guard try grouping.scopes().count == 1 else { throw RerunReason("it groups by a subquery") }
    try context.requireLog()
    let links = TableLinks(of: scopes, in: tables + scoped)
    traces =
      try tables.map { table in
        do {
          return try GroupTrace(from: table, to: groups, of: select, in: tables)
        } catch let reason as RerunReason {
          guard
            let trace = try? GroupTrace(from: table, to: groups, by: links, of: select, in: tables)
          else { throw reason }
          return trace
        }
      } + scoped.map { try GroupTrace(from: $0, to: groups, by: links, of: select, in: tables) }
    self.groups = groups
    self.query = try KeyedQuery(
      query, groupedBy: groups,
      aggregates: groups.otherClassCounts.isEmpty ? [] : [.countOfRows] + groups.otherClassCounts,
      of: tables, reserve: context.reserve)
    let statement = links.probing(self.query.statement)
    restricted = statement
    try context.connection.use().requireIndexes(
      for: traces.flatMap { trace in
        try [false, true].map { isNull in
          try RestrictedStatement(
            restrict(statement, to: trace.sample(isNull: isNull)), after: trace.table)
        } + trace.statements()
      })
  }

  private func restrict(
    _ statement: SelectStatement, to values: GroupTrace.Values
  ) -> SelectStatement {
    var statement = statement
    for (place, values) in values.places {
      groups.restrict(&statement, at: place, to: values)
    }
    return statement
  }

  // MARK: Evaluating

  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    traces.contains { $0.isTouched(by: commits, values) }
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let maximum = Planning.maximumTouched(of: window.entries.count)
    var groups: [RowKey: ResultEntry?] = [:]
    for trace in traces {
      let values: GroupTrace.Values
      switch try trace.groups(of: commits, maximum: maximum, means, on: core) {
      case .untouched: continue
      case .unknown: return nil
      case .groups(let found): values = found
      }
      guard values.count <= maximum else { return nil }
      for key in held(values, in: window) where groups[key] == nil { groups[key] = .some(nil) }
      var statement = restrict(restricted, to: values)
      statement.order = .none
      for entry in try query.entries(of: statement, on: core) {
        guard
          !PlannedGroups.hasEqualValues(entry.aggregates.first, entry.aggregates.dropFirst())
        else { return nil }
        groups[entry.key] = entry
      }
    }
    var change = ResultChange(of: window)
    for (key, entry) in groups { change.set(key, to: entry) }
    return change
  }

  /// Returns the keys of those held groups whose GROUP BY terms have the given values.
  private func held(_ values: GroupTrace.Values, in window: ResultWindow) -> [RowKey] {
    guard let first = values.places.first else { return [] }
    return first.values.flatMap { value in
      window.keys(with: [value], at: first.place..<(first.place + 1))
    }.map(RowKey.values).filter(values.contains)
  }
}
