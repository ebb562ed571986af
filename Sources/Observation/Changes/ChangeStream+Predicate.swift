import QueryDSL
import SQLCore

extension Database {
  /// What changes in those rows of a model's table for which each line held before the write, or
  /// holds after it.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, where: { $0.$status == .published }) { … }
  /// ```
  ///
  /// A row that comes to hold, or ceases to, is told with what happened to it in the table: most
  /// often it was updated. The predicates are asked of the rows that a write touched, on the side of
  /// whoever listens. Of predicates that cannot be asked of a row alone, and which `observe(_:)`
  /// lists as running again, every row of the table is told.
  public func changes<M: Model>(
    of model: M.Type, @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> ChangeStream<M> {
    let filter = RowFilter(M.where(predicates), in: self)
    return changes(of: model, named: nil, keys: nil) { await filter.filter($0) }
  }
}

/// Keeps of what a write changed the rows for which a query's predicates held before or hold after.
private final class RowFilter<M: Model>: Sendable {
  private let source: LiveSource<M>
  private let database: Database
  private let evaluators: RowEvaluators?
  private let state = Lock(State.unknown)

  private enum State {
    case unknown
    /// The predicates can be asked of a row alone; nil where they cannot.
    case known(MaintenancePlan<M>?)
  }

  init(_ query: TableQuery<M, M>, in database: Database) {
    source = LiveSource(query)
    self.database = database
    evaluators = ChangeTracker.of(database)?.evaluators(for: database)
  }

  func filter(_ write: WriteChanges) async -> WriteChanges {
    let table = QualifiedTableName(M.tableName)
    guard let changes = write.tables[table] else { return write }
    // The table is another one: so may be the columns that are asked for.
    if changes.events.contains(.schemaChanged) { state.withLock { $0 = .unknown } }
    guard let evaluators, let plan = await plan() else { return write }
    let places = changes.names.places(of: plan.columns)
    let columns = changes.names.keys + places.map { changes.names.columns[$0] }
    let rows = changes.rows.map { changes.change($0, at: places) }
    func keys(_ values: (NetChange) -> [DatabaseValue]?) -> Set<RowKey>? {
      let touched = TouchedRows(
        columns: columns,
        rows: rows.map { NetChange(key: $0.key, old: nil, new: values($0)) })
      return (try? plan.entries(of: touched, evaluators)).map { Set($0.keys) }
    }
    guard let before = keys(\.old), let after = keys(\.new) else { return write }
    var filtered = write
    filtered.tables[table]?.rows = zip(changes.rows, rows).compactMap { row, change in
      before.contains(change.key) || after.contains(change.key) ? row : nil
    }
    return filtered
  }

  private func plan() async -> MaintenancePlan<M>? {
    if case .known(let plan) = state.withLock({ $0 }) { return plan }
    let source = source
    guard database.hasBuiltInCollations else { return nil }
    // Where it cannot be found out now, it is tried again with the next write.
    let found = try? await database.reading(hops: false) { core in
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let dependencies = try core.dependencies(of: try source.text())
      let plan = try source.plan(dependencies, core.lend())
      try core.run(cached: "COMMIT")
      return State.known(plan)
    }
    guard case .known(let plan)? = found else { return nil }
    state.withLock { $0 = .known(plan) }
    return plan
  }
}
