import QueryDSL
import SQLCore

/// The plan for `count(DISTINCT x)` over all rows. The query may also have other aggregates.
///
/// The plan maintains a further query, `SELECT count(*) … GROUP BY x`. The value of
/// `count(DISTINCT x)` is the number of groups of that query whose `x` is not NULL. The value
/// changes when a group appears, and when the last row of a group is gone.
///
/// A second further query, without GROUP BY, has the other aggregates. Each further query has its
/// own plan. The rows of these queries are held but not shown.
final class DistinctCountPlan<Row: Sendable>: SnapshotPlan {
  let arrangement: ResultArrangement
  private let total: TotalRow<Row>
  private let parts: [DistinctCountPart]
  /// The greatest number of values that are counted. If there are more, the query is not
  /// maintained.
  private let maximumParts: Int

  var explanation: String {
    let distinct = parts.first { $0.isDistinct }
    return (distinct?.plan.explanation ?? "")
      + ", where the rows with each counted value are a group, "
      + "while no more than \(maximumParts) values are counted"
  }

  /// - Parameter scoped: the tables that subqueries read.
  init(
    _ query: Query<Row>, by groups: PlannedGroups, of tables: [PlannedTable],
    _ scopes: [QueryScope], scoped: [PlannedTable], in context: PlanningContext
  ) throws {
    try context.requireLog()
    let select = query.statement
    func part(
      of nodes: [ExpressionNode], at places: [Int], by group: ExpressionNode? = nil,
      where filter: PredicateNode? = nil
    ) throws -> DistinctCountPart {
      var part = query.selectingValues(of: nodes)
      part.statement.groups = [group].compactMap(\.self)
      if let filter { part.statement.predicates.append(filter) }
      return DistinctCountPart(
        plan: try Planning.plan(grouped: part, of: tables, scopes, scoped: scoped, in: context),
        places: places, isDistinct: group != nil)
    }
    var nodes: [ExpressionNode] = []
    var others: [Int] = []
    var parts: [DistinctCountPart] = []
    _ = try select.replacingAggregates { aggregate in
      if let counted = aggregate.countedDistinctly {
        parts.append(
          try part(of: [.countOfRows], at: [nodes.count], by: counted, where: aggregate.filter))
      } else {
        others.append(nodes.count)
      }
      nodes.append(aggregate.node)
      return aggregate.node
    }
    if !others.isEmpty { parts.append(try part(of: others.map { nodes[$0] }, at: others)) }
    self.parts = parts
    total = try TotalRow(query, by: groups, aggregates: nodes, of: tables)
    maximumParts = context.maximumParts
    arrangement = ResultArrangement(
      order: RowOrder(terms: [], keyCollations: []), limit: nil, offset: 0, reserve: 0)
  }

  // MARK: Fetching

  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    Array(try window(on: core).entries.run(from: 0) { _ in true })
  }

  /// Throws a `RerunReason` if there are too many different values.
  func window(on core: ConnectionCore) throws -> ResultWindow {
    guard let row = try total.fetch(on: core) else { return ResultWindow([], in: arrangement) }
    for part in parts where part.isDistinct {
      guard case .integer(let count) = row.aggregates[part.places[0]], count <= maximumParts else {
        throw RerunReason(
          "more than \(maximumParts) values are counted, for which "
            + "Configuration.maximumLiveMemory is too small")
      }
    }
    var window = ResultWindow([total.entry(of: row, key: .values([]), order: [])], in: arrangement)
    window.parts = try parts.map { try $0.plan.window(on: core) }
    return window
  }

  // MARK: Evaluating

  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    parts.contains { $0.plan.isTouched(by: commits, values) }
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    guard let held = window.entry(of: .values([])) else { return nil }
    var values = held.aggregates
    var windows: [ResultWindow] = []
    for (part, held) in zip(parts, window.parts) {
      guard let changed = try part.plan.change(of: held, by: commits, with: means, on: core),
        part.apply(changed, to: &values)
      else { return nil }
      windows.append(changed.after)
    }
    var change = ResultChange(of: window)
    if values != held.aggregates {
      guard let row = try? total.row(of: values, carrying: values, means.evaluators) else {
        return nil
      }
      change.set(.values([]), to: total.entry(of: row, key: .values([]), order: []))
    }
    change.keep(windows)
    return change
  }
}

// The following type is not a member of the generic class, because each use of it would then have
// to look up metadata at run time.

/// One of the further queries of a `DistinctCountPlan`. This query calculates some aggregates of
/// the result: for each of its values, `places` has the index of this aggregate.
private struct DistinctCountPart: Sendable {
  let plan: any SnapshotPlan<[DatabaseValue]>
  let places: [Int]
  /// Whether the number of groups of this query is the value of `count(DISTINCT …)`.
  let isDistinct: Bool

  /// Updates the result's aggregates after a change of the further query. Returns false if the new
  /// values are not known.
  func apply(_ change: ResultChange, to values: inout [DatabaseValue]) -> Bool {
    guard isDistinct else {
      // If the plan is a `TotalPlan`, its window also holds the parts of its totals. The row with
      // the totals is the first row.
      guard let place = change.after.range.first else { return false }
      let row = change.after.entries[place].row(as: [DatabaseValue].self)
      for (place, value) in zip(places, row) { values[place] = value }
      return true
    }
    guard case .integer(var count) = values[places[0]] else { return false }
    for (old, new) in change.touchedRows where (old ?? new)?.key.values != [.null] {
      count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    }
    values[places[0]] = .integer(count)
    return true
  }
}

extension SelectStatement {
  /// Whether the query has an aggregate `count(DISTINCT …)`.
  var countsDistinctValues: Bool {
    get throws {
      var isFound = false
      _ = try replacingAggregates { aggregate in
        if aggregate.countedDistinctly != nil { isFound = true }
        return aggregate.node
      }
      return isFound
    }
  }
}

extension AggregateNode {
  /// The expression inside `count(DISTINCT …)`. Nil if this is another aggregate, or if rows cannot
  /// be grouped by the expression.
  fileprivate var countedDistinctly: ExpressionNode? {
    guard isDistinct, name == "count", let argument else { return nil }
    return argument.groupsRows ? argument : nil
  }
}
