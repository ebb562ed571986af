import QueryDSL
import SQLCore

/// The plan for a query with `including`. The parents that a commit affects are loaded again, each
/// with all its included rows.
///
/// The affected parents are the touched parents, and the parents to which touched rows of the
/// included tables belong or belonged.
final class IncludingPlan<Parent: Model, Row: Sendable>: SnapshotPlan {
  private let parents: KeyedQuery<Parent>
  private let root: PlannedTable
  private let traces: [InclusionTrace]
  /// Replaces single children in the held parents. Nil if the parents must always be loaded again.
  private let children: TouchedChildren?
  private let complete: @Sendable (ConnectionCore, LoadedRows<Parent>) throws -> LoadedRows<Row>

  var arrangement: ResultArrangement { parents.arrangement }
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
    children = try TouchedChildren(included.relations, traces, of: root)
    parents = try KeyedQuery(query, of: [root], reserve: context.reserve)
    complete = included.complete
    let core = try context.connection.use()
    try core.requireIndexes(
      for: [RestrictedStatement(root.restrict(parents.statement, to: root.sampleKeys), after: root)]
        + zip(traces, included.relations).flatMap { try $0.statements(of: $1, on: core) })
  }

  // MARK: Evaluating

  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    try completing(parents.fetch(on: core), on: core)
  }

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    let rowCount = commits.reduce(0) { $0 + $1.rowCount }
    let change = try await means.evaluators.offloading(rowCount: rowCount) {
      try self.changeOfChildren(in: held.window, by: commits, means.evaluators)
    }
    guard let change else { return try await changeInSnapshot(of: held, by: commits, with: means) }
    var snapshot = held.snapshot
    snapshot.position =
      WatchedSnapshot(containing: commits.last?.sequence ?? snapshot.position.last).position
    return .changed(change, snapshot)
  }

  /// Returns the change that commits make, without using a reader. This is possible if the commits
  /// touched only children, and each child keeps its parent and its position among the parent's
  /// children. If not, returns nil.
  private func changeOfChildren(
    in window: ResultWindow, by commits: [Commit], _ evaluators: RowEvaluators
  ) throws -> ResultChange? {
    guard let children, root.touchedKeys(in: commits)?.isEmpty == true,
      let touched = children.touched(by: commits, evaluators)
    else { return nil }
    var change = ResultChange(of: window)
    for owner in Set(touched.new.owners) {
      let key: RowKey
      switch (root.isKeyedByRowID, owner.first) {
      case (true, .integer(let id)?): key = .rowID(id)
      case (true, _): continue
      case (false, _): key = .values(owner)
      }
      guard let entry = window.entry(of: key) else { continue }
      let row: any Sendable = entry.row(as: Row.self)
      guard let replaced = try children.replacement.replace(row, touched.old, touched.new),
        let new = replaced.row as? Row
      else { return nil }
      change.set(
        key,
        to: ResultRowEntry(
          key: entry.key, order: entry.order,
          fingerprint: entry.fingerprint &+ replaced.fingerprintDifference, row: new))
    }
    return change
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
      keyedByFirst: root.keyCollations.count)
    return change
  }

  /// Loads the included rows, and returns the parents with them.
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

/// Replaces the included rows that a commit changed, without loading their parents again. This is
/// possible only if each such row keeps its key, its parent, and its position among the parent's
/// children.
struct TouchedChildren: Sendable {
  let replacement: ChildReplacement
  private let table: PlannedTable
  /// The folded names of the columns that decide to which parent a child belongs, whether the child
  /// is included, and in which position.
  private let deciding: Set<String>

  /// Returns nil if the children of the result cannot be replaced one by one.
  init?(
    _ relations: [IncludedRelation], _ traces: [InclusionTrace], of parent: PlannedTable
  ) throws {
    guard relations.count == 1, let replacement = relations[0].replacement,
      traces[0].holdsParentKeys
    else { return nil }
    let (table, relation) = (traces[0].table, try relations[0].relation.get())
    // The columns by which children refer to their parent must store exactly the values of the
    // parent's key.
    guard
      zip(relation.ownerColumns, relation.parentColumns).allSatisfy({ own, column in
        PlannedTable.haveSameValues(table, Int(own.index), parent, column)
      })
    else { return nil }
    self.table = table
    self.replacement = replacement
    deciding = table.names(
      of: try relations[0].children.decidingColumns.union(relation.ownerColumns))
  }

  /// Returns the touched children with their values before and after the commits. Returns nil if a
  /// child appeared or disappeared, if its parent or its position may have changed, or if its
  /// values are not known exactly.
  func touched(
    by commits: [Commit], _ evaluators: RowEvaluators
  ) -> (old: ChildReplacement.Children, new: ChildReplacement.Children)? {
    let rows = Commit.nettedRows(commits, of: table)
    guard !rows.rows.isEmpty, rows.isExact else { return nil }
    let places = rows.columns.indices.filter { deciding.contains(rows.columns[$0].lowercasedASCII) }
    var before: [[DatabaseValue]] = []
    var after: [[DatabaseValue]] = []
    for row in rows.rows {
      guard let old = row.old, let new = row.new else { return nil }
      before.append(row.key.values + old)
      after.append(row.key.values + new)
    }
    guard zip(before, after).allSatisfy({ old, new in places.allSatisfy { old[$0] == new[$0] } })
    else { return nil }
    func children(_ states: [[DatabaseValue]]) -> ChildReplacement.Children? {
      try? evaluators.evaluating(states, columns: rows.columns, in: table.shadow) {
        try replacement.load($0)
      }
    }
    guard let old = children(before), let new = children(after) else { return nil }
    return (old, new)
  }
}
