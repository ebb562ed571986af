import QueryDSL
import SQLCore

/// The plan for a query with `including`: the parents that a commit concerns are loaded again, each
/// with all that it includes.
///
/// These are the touched parents, and those to which touched rows of the included tables belong, or
/// belonged before.
final class IncludingPlan<Parent: Model, Row: Sendable>: SnapshotPlan {
  private let parents: KeyedQuery<Parent>
  private let root: PlannedTable
  private let traces: [InclusionTrace]
  private let complete: @Sendable (ConnectionCore, LoadedRows<Parent>) throws -> LoadedRows<Row>

  var form: ResultForm { parents.form }
  var explanation: String {
    let names = Set(traces.flatMap(\.tables).map(\.layout.tableName)).sorted()
      .joined(separator: ", ")
    return "a commit that touches \(root.layout.tableName) or \(names) loads only those rows of "
      + "\(root.layout.tableName) again that this concerns, with what they include"
  }

  init(_ included: _IncludedQuery<Parent, Row>, in context: PlanningContext) throws {
    let query = included.query.query
    let select = query.statement
    guard select.joins.isEmpty, !select.isGrouped else {
      throw RerunReason("it includes rows in those of a join or of groups")
    }
    try select.requireKnownParts(on: context.connection)
    for relation in included.relations { try relation.requireKnownParts(on: context.connection) }
    let tables = try [PlannedTable](
      select.tables + included.relations.flatMap { try $0.tables },
      reading: context.dependencies, on: context.connection)
    let root = tables[0]
    for table in tables where !table.hasCompleteKeys {
      throw RerunReason("the key of \(table.layout.tableName) may be NULL")
    }
    try context.requireLog()
    traces = try included.relations.map { try InclusionTrace($0, of: root, in: tables) }
    self.root = root
    parents = try KeyedQuery(query, of: [root], reserve: context.reserve)
    complete = included.complete
    try context.connection.use().requireIndexes(
      for: [RestrictedStatement(root.restrict(parents.statement, to: root.sampleKeys), after: root)]
        + zip(traces, included.relations).flatMap { try $0.statements(of: $1) })
  }

  // MARK: Evaluating

  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    try completing(parents.fetch(on: core), on: core)
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    let maximum = Planning.maximumTouched(of: window.entries.count)
    guard var keys = root.touchedKeys(in: commits) else { return nil }
    for trace in traces {
      guard let more = try trace.affectedParents(of: commits, maximum: maximum, on: core) else {
        return nil
      }
      keys.formUnion(more)
    }
    guard keys.seekCount <= maximum else { return nil }
    var change = ResultChange(of: window)
    guard !keys.isEmpty else { return change }
    var statement = root.restrict(parents.statement, to: keys)
    statement.order = .none
    change.replaceRows(
      ofRoots: keys, by: try completing(try parents.entries(of: statement, on: core), on: core),
      at: 0..<root.keyCollations.count)
    return change
  }

  /// Returns parents with what they include.
  private func completing(
    _ parents: [ResultEntry], on core: ConnectionCore
  ) throws -> [ResultEntry] {
    let loaded = try complete(
      core,
      LoadedRows(
        parents.map { $0.row(as: Parent.self) }, fingerprints: parents.map(\.fingerprint)))
    return zip(parents, zip(loaded.rows, loaded.fingerprints ?? [])).map { parent, row in
      ResultRowEntry(key: parent.key, order: parent.order, fingerprint: row.1, row: row.0)
    }
  }
}
