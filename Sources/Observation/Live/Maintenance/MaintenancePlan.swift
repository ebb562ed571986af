import QueryDSL
import SQLCore

/// A plan that keeps the result of a query up to date. The cost of an update depends on the number
/// of changed rows, not on the number of held rows.
///
/// The kind of the plan follows from the query:
///
/// - `RowPlan`: each row of the result comes from one row of one table. Changed rows are evaluated
///   one by one.
/// - `JoinPlan`: each row comes from one row of each joined table, and may depend on subqueries.
///   The query is evaluated again for the affected rows of its first table.
/// - `AggregatePlan`: each row is a group of the rows of one table. The aggregates of a group
///   change by the difference that its touched rows make.
/// - `GroupPlan`: each row is a group of the rows of a join or of a query with subqueries. The
///   query is evaluated again for the affected groups.
/// - `TotalPlan`: the only row has aggregates over all rows of a join or of a query with
///   subqueries.
/// - `DistinctCountPlan`: the only row has `count(DISTINCT …)` over all rows. The rows with the
///   same value form a group, and one of the plans above maintains the groups.
/// - `CompoundPlan`: the rows come from several SELECTs, each maintained as a join.
/// - `IncludingPlan`: each row is a parent with its included rows. The affected parents are loaded
///   again.
protocol MaintenancePlan<Row>: Sendable {
  associatedtype Row: Sendable
  /// The order of the result, and the limit and offset of the query.
  var arrangement: ResultArrangement { get }
  /// The parts of a row's key by which the plan looks up held rows, each as a range of indices into
  /// the key. In a join of posts and authors, for example, 1..<2 is the author's key.
  var indexedPlaces: [Range<Int>] { get }
  /// Whether the plan also looks up the held rows that have NULL in such a part of the key.
  var indexesNull: Bool { get }
  /// Whether the plan reads from the database. Such a plan must know whether the snapshot that it
  /// reads contains commits of other connections.
  var readsSnapshots: Bool { get }
  /// A description of the maintenance, as text that completes the sentence "Maintained: …".
  var explanation: String { get }

  /// Fetches the whole result. If the query has a limit, also fetches some rows after the limit, as
  /// a reserve. Throws a `RerunReason` if there are too many rows.
  func fetch(on core: ConnectionCore) throws -> [ResultEntry]

  /// Fetches all rows that the plan maintains: the result, and any rows from which the result is
  /// calculated. Throws a `RerunReason` if there are too many rows.
  func window(on core: ConnectionCore) throws -> ResultWindow

  /// Changes `interests` so that only rows that can affect the result are watched.
  ///
  /// - Parameter values: the values of the query's arguments.
  func narrow(
    _ interests: inout [QualifiedTableName: Subscription.Interest], _ values: [DatabaseValue])

  /// Returns the change that commits make in a held result.
  ///
  /// - Parameter commits: the commits that the held result does not contain yet, at least one.
  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome
}

extension MaintenancePlan {
  var indexedPlaces: [Range<Int>] { [] }
  var indexesNull: Bool { false }
  func window(on core: ConnectionCore) throws -> ResultWindow {
    ResultWindow(
      try fetch(on: core), in: arrangement, indexedPlaces: indexedPlaces, indexesNull: indexesNull)
  }
  func narrow(
    _ interests: inout [QualifiedTableName: Subscription.Interest], _ values: [DatabaseValue]
  ) {}
}

/// A plan whose rows come from one statement.
protocol KeyedPlan<Row>: MaintenancePlan {
  /// The query that fetches the whole result.
  var query: KeyedQuery<Row> { get }
}

extension KeyedPlan {
  var arrangement: ResultArrangement { query.arrangement }
  func fetch(on core: ConnectionCore) throws -> [ResultEntry] { try query.fetch(on: core) }
}

/// The rows of a maintained result, and the snapshot from which the rows were read.
struct HeldRows: Sendable {
  var window: ResultWindow
  var snapshot: WatchedSnapshot
}

/// The objects and values that a plan needs to update a result. Among them are the watch, which
/// reads from the database, and the evaluators, which evaluate expressions on changed rows in
/// memory.
struct MaintenanceMeans: Sendable {
  let watch: TableWatch
  let evaluators: RowEvaluators
  /// The values of the query's arguments.
  let values: [DatabaseValue]
  /// The version of the schema for which the plan was made.
  let schemaVersion: Int32
  let breaker: MergeBreaker

  /// Runs a closure that calculates how commits change a result. Reports to `breaker` how long the
  /// closure took.
  func measuring<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = ContinuousClock.now
    defer { breaker.noteMerge(ContinuousClock.now - start) }
    return try body()
  }
}

/// The effect of commits on a held result.
enum MaintenanceOutcome: Sendable {
  /// The result has changed, and now contains the commits of the snapshot.
  case changed(ResultChange, WatchedSnapshot)
  /// No row of the result was touched.
  case untouched
  /// It is not known how the commits change the result, so the result must be fetched again.
  case unknown
}

/// The facts that determine the plan of a query.
struct PlanningContext {
  /// The columns that the query reads.
  let dependencies: Set<ColumnDependency>
  /// A connection in a read transaction.
  let connection: Connection
  /// Whether no other connection can commit to the database.
  let isPrivate: Bool
  /// The least number of rows to hold after the limit of a query, as a reserve.
  let reserve: Int
  /// The greatest number of rows that a plan may hold in addition to the rows of the result.
  let maximumParts: Int
}

/// The choice of a plan.
enum Planning {
  /// Returns the plan for a query. Throws a `RerunReason` if the query cannot be maintained.
  static func plan<Row: Sendable>(
    _ query: Query<Row>, in context: PlanningContext
  ) throws -> any MaintenancePlan<Row> {
    var query = query
    query.statement = query.statement.orderedByExpressions
    var select = query.statement
    guard !select.tables.isEmpty else { throw RerunReason("it reads no table") }
    if let compound = select.extras?.content.compound,
      select.extras?.content.commonTables.isEmpty ?? true
    {
      return try CompoundPlan(query, of: compound, in: context)
    }
    let isDistinct = select.isDistinct
    select.isDistinct = false
    let (scopes, all) = try scopes(of: select, in: context)
    let tables = Array(all.prefix(select.tables.count))
    let scoped = Array(all.dropFirst(tables.count))
    select.isDistinct = isDistinct
    select = try select.groupingInsteadOfDistinct(in: tables)
    query.statement = select
    guard select.isGrouped else {
      return scopes.count == 1 && tables.count == 1
        ? try RowPlan(query, of: tables[0], in: context)
        : try JoinPlan(query, of: tables, scopes, scoped: scoped, in: context)
    }
    return try plan(grouped: query, of: tables, scopes, scoped: scoped, in: context)
  }

  /// Returns the plan for a query with GROUP BY or aggregates.
  ///
  /// - Parameter scoped: the tables that subqueries read.
  static func plan<Row: Sendable>(
    grouped query: Query<Row>, of tables: [PlannedTable], _ scopes: [QueryScope],
    scoped: [PlannedTable], in context: PlanningContext
  ) throws -> any SnapshotPlan<Row> {
    var query = query
    query.statement = try query.statement.selectingLeastValues(in: tables)
    let isTotal = query.statement.groups.isEmpty
    // The result has a single row, which needs no order.
    if isTotal { query.statement.order = .none }
    let groups = try PlannedGroups(of: query.statement, in: tables)
    if isTotal, try query.statement.countsDistinctValues {
      return try DistinctCountPlan(
        query, by: groups, of: tables, scopes, scoped: scoped, in: context)
    }
    if scopes.count == 1, tables.count == 1, !groups.showsDependentColumns {
      return try AggregatePlan(query, by: groups, of: tables[0], in: context)
    }
    return isTotal
      ? try TotalPlan(query, by: groups, of: tables, scopes, scoped: scoped, in: context)
      : try GroupPlan(query, by: groups, of: tables, scopes, scoped: scoped, in: context)
  }

  /// Returns the SELECTs of a query and their tables. The tables of the query itself come before
  /// the tables of its subqueries. Throws a `RerunReason` if changes of these tables cannot be
  /// followed.
  ///
  /// - Parameter partly: whether `select` is only a part of the watched query, such as one SELECT
  ///   of a UNION. If so, columns that only the other parts read are ignored.
  static func scopes(
    of select: SelectStatement, in context: PlanningContext, partly: Bool = false
  ) throws -> (scopes: [QueryScope], tables: [PlannedTable]) {
    let scopes = try select.knownScopes(on: context.connection)
    var dependencies = context.dependencies
    if partly {
      let own = try context.connection.use().dependencies(of: select.rendered().text)
      dependencies = own
    }
    let tables = try [PlannedTable](
      scopes.flatMap(\.statement.tables), reading: dependencies, on: context.connection)
    return (scopes, tables)
  }

  /// Returns the names of tables in the form "a, b or c".
  static func names(_ names: [String]) -> String {
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    guard names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
  }

  /// Returns the greatest number of touched rows for which a result of `count` rows is maintained.
  /// If a commit touches more rows, fetching all rows is faster.
  static func maximumTouched(of count: Int) -> Int { max(1_000, count / 20) }
}

/// A plan that evaluates the changes of commits in a reader's snapshot. If the snapshot also
/// contains later commits, the plan applies those as well.
protocol SnapshotPlan<Row>: MaintenancePlan {
  /// Returns false if the changed rows show that the result stays the same. Does not read the
  /// database.
  ///
  /// - Parameter values: the values of the query's arguments.
  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool

  /// Returns the change of a held result, evaluated in an open snapshot. Returns nil if the result
  /// must be fetched.
  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange?
}

/// The greatest number of attempts to take a snapshot. While a writer is committing, it may be
/// unknown whether the snapshot contains this commit. The attempt then fails. Each attempt takes as
/// long as a writer needs to report a commit.
private let maximumAttempts = 32

extension SnapshotPlan {
  var readsSnapshots: Bool { true }
  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool { true }

  func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    guard isTouched(by: commits, means.values) else { return .untouched }
    return try await changeInSnapshot(of: held, by: commits, with: means)
  }

  /// Returns the change that commits make in a held result. The change is evaluated in a new
  /// snapshot.
  func changeInSnapshot(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans
  ) async throws -> MaintenanceOutcome {
    guard held.snapshot.otherCount != nil else { return .unknown }
    let hops = commits.reduce(0) { $0 + $1.rowCount } > 64
    for _ in 0..<maximumAttempts {
      let outcome = try await means.watch.reading(hops: hops) { core in
        try self.change(of: held, by: commits, with: means, on: core)
      }
      if let outcome { return outcome }
      await Task.yield()
    }
    return .unknown
  }

  /// Evaluates the changes of the commits in a new snapshot. Returns nil if it is not known at this
  /// moment which commits the snapshot contains.
  private func change(
    of held: HeldRows, by commits: [Commit], with means: MaintenanceMeans, on core: ConnectionCore
  ) throws -> MaintenanceOutcome? {
    let watch = means.watch
    guard let opened = try watch.openSnapshot(on: core, schemaVersion: means.schemaVersion) else {
      return .unknown
    }
    defer { try? core.run(cached: "COMMIT") }
    let snapshot: WatchedSnapshot
    switch watch.following(held.snapshot, opened, on: core) {
    case .known(let known): snapshot = known
    case .others: return .unknown
    case .undecided: return nil
    }
    // Later commits that the snapshot contains are applied together with the given commits.
    var commits = commits
    switch watch.takeTouch(through: snapshot.position.last) {
    case .none: break
    case .rows(let later): commits += later
    case .unknown, .schema: return .unknown
    }
    do {
      let change: ResultChange? = try means.measuring {
        try core.withArguments(means.values) {
          try self.change(of: held.window, by: commits, with: means, on: core)
        }
      }
      guard let change, !change.after.isShort else { return .unknown }
      return .changed(change, snapshot)
    } catch is ColumnValueError {
      // The value that the type cannot read may be in a row that does not belong to the result. So
      // this is not an error: the result is fetched again.
      return .unknown
    }
  }
}

extension PlanningContext {
  /// Throws a `RerunReason` if the database offers no way to find out which commits a snapshot
  /// contains.
  func requireLog() throws {
    if isPrivate { return }
    // While another connection commits, the change count of the write-ahead log is unknown for a
    // moment. So the count is read several times, until it is known.
    for _ in 0..<maximumAttempts where try connection.use().logChangeCount != nil { return }
    throw RerunReason("the file has no write-ahead log with a shared index", isOfMoment: true)
  }
}
