import QueryDSL
import SQLCore

/// One observation of a query, with the result that it keeps up to date.
///
/// State: not begun → following a result, which is maintained or fetched again → ended, when the
/// database is closed. While following, it may be waiting for the schema, if a table or column that
/// it reads does not exist, or stale after an error.
///
/// `@unchecked Sendable`: it is used by one task at a time, that of its iterator or of the user
/// interface's object that created it.
final class QueryWatch<Row: Sendable>: LiveWatch, @unchecked Sendable {
  private let source: LiveSource<Row>
  let watch: TableWatch
  private let evaluators: RowEvaluators?
  private var maintenance = Maintenance.runsAgain(RerunReason("it has not been prepared"))
  private var held: Held?
  /// The number of times that the whole result was fetched.
  private(set) var fetchCount = 0
  /// The version of the schema for which the query's dependencies were found.
  private var schemaVersion: Int32 = 0
  /// Whether the query's dependencies are known.
  private var isPrepared = false
  /// Whether the result contains all commits that were looked at; false after an error.
  private var isCurrent = false
  /// The error if a table or column that the query reads does not exist; nil if all exist.
  private(set) var missing: DatabaseError?

  /// The way in which the result follows the commits.
  enum Maintenance: Sendable {
    case maintained(any MaintenancePlan<Row>)
    case runsAgain(RerunReason)
  }

  /// A result, and the commits that it contains.
  private struct Held: Sendable {
    var result: Results<Row>
    /// The rows held to maintain the result; nil if the query is fetched again.
    var window: ResultWindow?
    var snapshot: WatchedSnapshot
  }

  init(_ source: LiveSource<Row>, in database: Database) {
    self.source = source
    watch = TableWatch(database)
    evaluators = ChangeTracker.of(database)?.evaluators(for: database)
  }

  /// Returns the first result at once, and each further one when it differs from the one before.
  /// Returns nil if the task is cancelled or the database is closed.
  func next() async throws -> Results<Row>? {
    guard held != nil else { return try await first() }
    do {
      repeat {
        if let result = try await update() { return result }
      } while await watch.wait()
      return nil
    } catch  where watch.hasEnded {
      return nil
    }
  }

  /// Fetches the first result.
  private func first() async throws -> Results<Row>? {
    _ = try await begin()
    return try await fetch()
  }

  /// Returns the result with the commits since the last call; nil if it is equal to the one before.
  func update() async throws -> Results<Row>? {
    let touch = watch.takeTouch()
    if case .none = touch { return nil }
    if case .schema = touch { isPrepared = false }
    guard isPrepared else {
      guard try await begin() else { return withoutRows() }
      return try await fetch()
    }
    if case .rows(let commits) = touch, isCurrent {
      isCurrent = false
      let result = try await apply(commits)
      isCurrent = isPrepared
      return result
    }
    return try await fetch()
  }

  /// Fetches the first result, or waits until the result may have changed and updates it. It runs
  /// on no actor, so that its cost is not the actor's time. After an error, it tries again at the
  /// next change.
  @concurrent
  func step(isFirst: Bool) async -> LiveStep<Results<Row>> {
    do {
      let result: Results<Row>?
      if isFirst {
        result = try await first()
      } else {
        guard await watch.wait() else { return .ended(isClosed: !Task.isCancelled) }
        result = try await update()
      }
      if let result { return .result(result, missing: missing) }
      if let missing { return .failed(missing) }
      return isCurrent ? .unchanged : .stillFailed
    } catch {
      if Task.isCancelled { return .ended(isClosed: false) }
      return watch.hasEnded ? .ended(isClosed: true) : .failed(error)
    }
  }

  /// Whether the result is maintained.
  var isMaintained: Bool { plan != nil }

  private var plan: (any MaintenancePlan<Row>)? {
    if case .maintained(let plan) = maintenance { plan } else { nil }
  }

  /// Finds what the query reads, and watches it. This comes before the first fetch, so that no
  /// change between them is missed. Returns false if a table or column that it read before does not
  /// exist; its creation is then watched for.
  private func begin() async throws -> Bool {
    isPrepared = false
    isCurrent = false
    while true {
      switch try await prepare() {
      case .success(let preparation):
        maintenance = preparation.maintenance
        schemaVersion = preparation.schemaVersion
        watch.watch(preparation.tables)
        isPrepared = true
        missing = nil
        return true
      case .failure(let error):
        // The table may have been created between the fetch and the subscription, so it is
        // prepared again.
        if watch.watchSchema() { continue }
        guard held != nil else { throw error }
        missing = error
        return false
      }
    }
  }

  /// The plan and the dependencies of the query.
  struct Preparation: Sendable {
    let maintenance: Maintenance
    let tables: [QualifiedTableName: Subscription.Interest]
    let schemaVersion: Int32
  }

  /// Finds what the query reads, or the error with which its compilation fails.
  func prepare() async throws -> Result<Preparation, DatabaseError> {
    let (source, watch) = (source, watch)
    return try await watch.reading(hops: false, isFirst: held == nil) { core in
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let version = try core.schemaVersion()
      let texts = try source.texts()
      var dependencies: Set<ColumnDependency> = []
      do {
        for text in texts { dependencies.formUnion(try core.dependencies(of: text)) }
      } catch let error as DatabaseError where error.code.primary == .error {
        try core.run(cached: "ROLLBACK")
        return .failure(error)
      }
      let connection = core.lend()
      let maintenance = try Self.maintenance(
        of: source, in: watch,
        PlanningContext(
          dependencies: dependencies, connection: connection, isPrivate: watch.isPrivate,
          reserve: watch.database.configuration.liveReserve))
      var interests = try connection.interests(of: dependencies)
      if case .maintained(let plan) = maintenance { plan.narrow(&interests) }
      try core.run(cached: "COMMIT")
      return .success(
        Preparation(maintenance: maintenance, tables: interests, schemaVersion: version))
    }
  }

  private static func maintenance(
    of source: LiveSource<Row>, in watch: TableWatch, _ context: PlanningContext
  ) throws -> Maintenance {
    do {
      guard watch.database.hasBuiltInCollations else {
        throw RerunReason("one of SQLite's own collations was replaced")
      }
      return .maintained(try source.plan(context))
    } catch let reason as RerunReason {
      return .runsAgain(reason)
    }
  }

  /// Returns an empty result for a query whose table does not exist; nil if it had no rows before.
  private func withoutRows() -> Results<Row>? {
    guard let held, !held.result.isEmpty else { return nil }
    var difference = ResultsDifference()
    difference.removed = Array(held.result.indices)
    let result = Results<Row>(
      PersistentSequence(), in: 0..<0, byKey: nil, order: nil, difference: difference)
    self.held?.result = result
    self.held?.window = nil
    return result
  }

  // MARK: Fetching

  /// Fetches the result from the database. Returns nil if it is equal to the one before.
  private func fetch() async throws -> Results<Row>? {
    isCurrent = false
    let reporting = held == nil ? nil : watch.rerunReporting
    let start = reporting.map { _ in ContinuousClock.now }
    while true {
      if let new = try await fetchOnce() {
        fetchCount += 1
        if let reporting, let start { try report(ContinuousClock.now - start, to: reporting) }
        defer { held = new }
        isCurrent = true
        return held != nil && new.result.difference.isEmpty ? nil : new.result
      }
      // The schema has changed, perhaps by another process.
      guard try await begin() else { return withoutRows() }
    }
  }

  /// Reports that the query ran again, if that took long.
  private func report(_ duration: Duration, to reporting: RerunReporting) throws {
    guard duration > reporting.limit else { return }
    let reason =
      switch maintenance {
      case .maintained: "It is maintained, but had to be fetched"
      case .runsAgain(let reason): reason.sentence
      }
    reporting.report(
      ObservationRerun(
        sql: try source.texts().first ?? "", duration: duration, reason: reason + "."))
  }

  /// Fetches the result from the database. Returns nil if the schema is not the one for which the
  /// query's dependencies were found.
  private func fetchOnce() async throws -> Held? {
    let (source, plan, watch, old) = (source, plan, watch, held)
    let version = schemaVersion
    let new = try await watch.reading(hops: !source.isShort, isFirst: old == nil) {
      core -> Held? in
      guard var snapshot = try watch.openSnapshot(on: core, schemaVersion: version) else {
        return nil
      }
      if plan?.readsSnapshots == true {
        snapshot = watch.countingOthers(in: snapshot, on: core)
      }
      let new: (Results<Row>, ResultWindow?)
      do {
        new =
          if let plan {
            try Self.hold(try plan.window(on: core), after: old)
          } else {
            try Self.hold(try source.fetch(core), after: old)
          }
      } catch is ColumnValueError where plan != nil {
        // The query may order by a column with invalid text that it does not select. Only SQLite
        // knows the order of such text.
        new = try Self.hold(try source.fetch(core), after: old)
      }
      try core.run(cached: "COMMIT")
      return Held(result: new.0, window: new.1, snapshot: snapshot)
    }
    try Task.checkCancellation()
    return new
  }

  private static func hold(
    _ window: ResultWindow, after old: Held?
  ) throws -> (Results<Row>, ResultWindow?) {
    let haveKeys = old?.window != nil
    let difference = ResultsComparison.difference(
      from: old?.result.visibleEntries ?? [], to: window.range.map { window.entries[$0] },
      haveKeys: haveKeys)
    return (Results(window, difference), window)
  }

  private static func hold(
    _ entries: [ResultEntry], after old: Held?
  ) throws -> (Results<Row>, ResultWindow?) {
    let difference = ResultsComparison.difference(
      from: old?.result.visibleEntries ?? [], to: entries, haveKeys: false)
    let results = Results<Row>(
      PersistentSequence(entries), in: 0..<entries.count, byKey: nil, order: nil,
      difference: difference)
    return (results, nil)
  }

  // MARK: Maintaining

  /// Returns the result with the rows that the commits touched; nil if it is equal to the one
  /// before.
  private func apply(_ commits: [Commit]) async throws -> Results<Row>? {
    guard let plan, let held, let window = held.window, let evaluators else {
      return try await fetch()
    }
    let position = held.snapshot.position
    let commits = commits.filter { $0.sequence > position.last }
    guard let first = commits.first else { return nil }
    // If the result may contain the commit, it may also contain what other connections committed
    // after it; then the rows of the commit are older than the result.
    guard !position.mayContainNext || first.sequence != position.last &+ 1 else {
      return try await fetch()
    }
    let outcome = try await plan.change(
      of: HeldRows(window: window, snapshot: held.snapshot), by: commits,
      with: MaintenanceMeans(watch: watch, evaluators: evaluators, schemaVersion: schemaVersion))
    guard case .changed(var change, let snapshot) = outcome else {
      if case .untouched = outcome { return nil }
      return try await fetch()
    }
    let difference = change.difference()
    let results = Results<Row>(change.after, difference)
    self.held = Held(
      result: difference.isEmpty ? held.result : results, window: change.after,
      snapshot: snapshot)
    return difference.isEmpty ? nil : results
  }
}

extension Results {
  fileprivate init(_ window: ResultWindow, _ difference: ResultsDifference) {
    self.init(
      window.entries, in: window.range, byKey: window.byKey, order: window.order,
      difference: difference)
  }

  fileprivate var visibleEntries: [ResultEntry] { range.map { entries[$0] } }
}
