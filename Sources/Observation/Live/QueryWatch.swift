import QueryDSL
import SQLCore

/// One observation of a query: the result that it holds, kept up to date.
///
/// State: not begun → following a result, that is maintained or runs again ⇄ waiting for the schema,
/// where what is read is not there, or stale, after an error → ended, when the database is closed.
///
/// `@unchecked Sendable`: it is used by one task at a time, the one of its iterator or of the object
/// for a user interface that made it.
final class QueryWatch<Row: Sendable>: @unchecked Sendable {
  private let source: LiveSource<Row>
  let watch: TableWatch
  private let evaluators: RowEvaluators?
  private var plan: MaintenancePlan<Row>?
  private var held: Held?
  /// The schema for which it was found out what the query reads.
  private var schemaVersion: Int32 = 0
  /// Whether it is known what the query reads.
  private var isPrepared = false
  /// Whether the result is the one of the commits that were looked at; false after an error.
  private var isCurrent = false
  /// What the query reads and is not there; nil where all is.
  private(set) var missing: DatabaseError?

  /// A result, and the commits that it contains.
  private struct Held: Sendable {
    var result: Results<Row>
    /// nil where the query runs again.
    var window: ResultWindow?
    var position: CommitClock.Position
  }

  init(_ source: LiveSource<Row>, in database: Database) {
    self.source = source
    watch = TableWatch(database)
    evaluators = ChangeTracker.of(database)?.evaluators(for: database)
  }

  /// The result, at once or when it differs from the one before; nil once the task is cancelled, and
  /// when the database is closed.
  nonisolated(nonsending)
    func next() async throws -> Results<Row>?
  {
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

  /// The first result.
  nonisolated(nonsending)
    private func first() async throws -> Results<Row>?
  {
    _ = try await begin()
    return try await fetch()
  }

  /// The result with what was done since this was last asked; nil where it is equal to the one
  /// before.
  nonisolated(nonsending)
    func update() async throws -> Results<Row>?
  {
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

  /// Waits until the result may be another one, but for the first, and fetches it; on no actor: what
  /// it costs is not the actor's time. After an error it goes on with the next change.
  @concurrent
  func step(isFirst: Bool) async -> Step {
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

  /// Finds what the query reads and watches it; before the first fetch, so that nothing is missed
  /// between. False where what it read before is not there now, which is watched for.
  nonisolated(nonsending)
    private func begin() async throws -> Bool
  {
    isPrepared = false
    isCurrent = false
    while true {
      switch try await prepare() {
      case .success(let preparation):
        plan = preparation.plan
        schemaVersion = preparation.schemaVersion
        watch.watch(preparation.tables)
        isPrepared = true
        missing = nil
        return true
      case .failure(let error):
        // It may have come between the look and the watching: then it is looked for again.
        if watch.watchSchema() { continue }
        guard held != nil else { throw error }
        missing = error
        return false
      }
    }
  }

  /// What was found out of the query.
  private struct Preparation: Sendable {
    let plan: MaintenancePlan<Row>?
    let tables: [QualifiedTableName: Subscription.Interest]
    let schemaVersion: Int32
  }

  /// Finds what the query reads, or why it cannot be compiled.
  nonisolated(nonsending)
    private func prepare() async throws -> Result<Preparation, DatabaseError>
  {
    let (source, watch) = (source, watch)
    return try await watch.reading(hops: false) { core in
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let version = try core.schemaVersion()
      let text = try source.text()
      let dependencies: Set<ColumnDependency>
      do {
        dependencies = try core.dependencies(of: text)
      } catch let error as DatabaseError where error.code.primary == .error {
        try core.run(cached: "ROLLBACK")
        return .failure(error)
      }
      let connection = core.lend()
      let plan =
        watch.database.hasBuiltInCollations
        ? try source.plan(dependencies, connection) : nil
      var interests = try connection.interests(of: dependencies)
      if let plan, let keys = plan.keys {
        interests[QualifiedTableName(plan.table.name)]?.keys = keys
      }
      try core.run(cached: "COMMIT")
      return .success(Preparation(plan: plan, tables: interests, schemaVersion: version))
    }
  }

  /// The result of a query whose table is not there; nil where it had no rows before.
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

  /// The result from the database; nil where it is equal to the one before.
  nonisolated(nonsending)
    private func fetch() async throws -> Results<Row>?
  {
    isCurrent = false
    while true {
      if let new = try await fetchOnce() {
        defer { held = new }
        isCurrent = true
        return held != nil && new.result.difference.isEmpty ? nil : new.result
      }
      // The schema is another one: another process may have changed it.
      guard try await begin() else { return withoutRows() }
    }
  }

  /// The result from the database; nil where the schema is not the one of which is known what the
  /// query reads in it.
  nonisolated(nonsending)
    private func fetchOnce() async throws -> Held?
  {
    let (source, plan, watch, old) = (source, plan, watch, held)
    let version = schemaVersion
    let new = try await watch.reading(hops: !source.isShort) { core -> Held? in
      var isKnown = true
      let position = try watch.opening {
        try core.run(cached: "BEGIN DEFERRED")
        // The snapshot is taken by the first thing that is read.
        isKnown = try core.schemaVersion() == version
      } close: {
        try core.run(cached: "ROLLBACK")
      }
      guard isKnown else {
        try core.run(cached: "ROLLBACK")
        return nil
      }
      let new: (Results<Row>, ResultWindow?)
      do {
        new =
          if let plan {
            try Self.hold(try plan.fetch(on: core), plan, after: old)
          } else {
            try Self.hold(try source.fetch(core), after: old)
          }
      } catch is ColumnValueError where plan != nil {
        // The query may order by text that is invalid, which it need not read: its place among
        // others is known to SQLite alone.
        new = try Self.hold(try source.fetch(core), after: old)
      }
      try core.run(cached: "COMMIT")
      return Held(result: new.0, window: new.1, position: position)
    }
    try Task.checkCancellation()
    return new
  }

  private static func hold(
    _ entries: [ResultEntry], _ plan: MaintenancePlan<Row>, after old: Held?
  ) throws -> (Results<Row>, ResultWindow?) {
    let window = ResultWindow(
      entries, order: plan.order, limit: plan.limit, offset: plan.offset)
    let haveKeys = old?.window != nil
    let difference = ResultsComparison.difference(
      from: old?.result.visibleEntries ?? [], to: Array(entries[window.range]),
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

  /// The result with what these commits touched; nil where it is equal to the one before.
  nonisolated(nonsending)
    private func apply(_ commits: [Commit]) async throws -> Results<Row>?
  {
    guard let plan, let held, let window = held.window, let evaluators else {
      return try await fetch()
    }
    let commits = commits.filter { $0.sequence > held.position.last }
    // Where the result may contain the commit, it may contain what others committed after it, too:
    // the rows of the commit are older than that.
    guard !held.position.mayContainNext || commits.first?.sequence != held.position.last &+ 1 else {
      return try await fetch()
    }
    let rowCount = commits.reduce(0) { $0 + $1.rowCount }
    let outcome = try await evaluators.looking(at: rowCount) {
      try Self.merge(commits, into: window, plan, evaluators)
    }
    guard case .merged(var change) = outcome else {
      if case .untouched = outcome { return nil }
      return try await fetch()
    }
    let difference = change.difference()
    let results = Results<Row>(change.after, difference)
    self.held = Held(
      result: difference.isEmpty ? held.result : results, window: change.after,
      position: CommitClock.Position(
        last: commits.last?.sequence ?? held.position.last, mayContainNext: false))
    return difference.isEmpty ? nil : results
  }
}

extension QueryWatch {
  private enum Outcome {
    case merged(ResultChange)
    /// No row of the result was touched.
    case untouched
    /// It must be fetched.
    case unknown
  }

  /// Merges what commits touched into a result.
  private static func merge(
    _ commits: [Commit], into window: ResultWindow, _ plan: MaintenancePlan<Row>,
    _ evaluators: RowEvaluators
  ) throws -> Outcome {
    let changes = plan.changes(in: commits)
    guard !changes.rows.isEmpty else { return .untouched }
    // Many rows are fetched faster than they are looked at one by one.
    guard changes.isExact, changes.rows.count <= max(1_000, window.entries.count / 20),
      let entries = try? plan.entries(of: changes, evaluators)
    else { return .unknown }
    var change = ResultChange(of: window)
    for row in changes.rows { change.set(row.key, to: entries[row.key]) }
    // More rows went than were in reserve.
    return change.after.isShort ? .unknown : .merged(change)
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
