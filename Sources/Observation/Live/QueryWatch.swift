import QueryDSL
import SQLCore

/// An observation of one query, which keeps the query's result up to date.
///
/// State: not begun → following a result, which is maintained or fetched again → ended, when the
/// database is closed. While following, the result may be stale after an error. If a table or
/// column of the query does not exist, the watch waits for a change of the schema.
///
/// `@unchecked Sendable`: only the task that runs the query for a `SharedResult` uses the watch.
final class QueryWatch<Row: Sendable>: @unchecked Sendable {
  let source: LiveSource<Row>
  let watch: TableWatch
  private let evaluators: RowEvaluators?
  /// The facts about the query, for one version of the schema.
  private var preparation: Preparation?
  private var held: HeldResult?
  private let costs = Lock(LiveCost())
  /// The number of bytes that this query has added to the total of all maintained queries.
  private var heldBytes = 0
  /// The reason why the query runs again although it has a plan. If its rows did not fit into the
  /// memory for maintained queries, `bytes` is their size; nil if the size is not known.
  private var obstacle: (reason: RerunReason, bytes: Int?)?
  /// Whether the query runs again because calculating differences cost more than running the query.
  private var isResting = false
  /// The cost of the result so far.
  var cost: LiveCost { costs.withLock { $0 } }
  /// The number of times that the whole result was fetched.
  var fetchCount: Int { costs.withLock { $0.fetches } }
  /// Whether the facts in `preparation` are still true.
  private var isPrepared = false
  /// Whether the result contains all commits taken from the queue; false after an error.
  private(set) var isCurrent = false
  /// The error if a table or column that the query reads does not exist; nil if all exist.
  private(set) var missing: (any Error)?

  /// The last result; nil before the first.
  var result: Results<Void>? { held?.result }

  init(_ source: LiveSource<Row>, in database: Database) {
    self.source = source
    watch = TableWatch(database)
    evaluators = ChangeTracker.of(database)?.evaluators(for: database).with(source.values)
  }

  /// Fetches the first result.
  private func first() async throws -> Results<Void>? {
    _ = try await begin()
    return try await fetch()
  }

  /// Updates the result with the commits since the last call. Returns the new result, or nil if it
  /// equals the previous result.
  ///
  /// - Parameter again: whether to fetch the result even if no commit touched it.
  func refreshed(again: Bool = false) async throws -> Results<Void>? {
    if again {
      if case .schema = watch.takeTouch() { isPrepared = false }
    } else if case .result(let result) = try await merge() {
      return result
    }
    guard held != nil else { return try await first() }
    checkGeneration()
    if !isPrepared, try await !begin() { return withoutRows() }
    return try await fetch()
  }

  /// Marks the preparation as out of date if, since it was made, a function or a collation was
  /// registered or the content of the database was replaced. The plan may then be wrong.
  private func checkGeneration() {
    if preparation?.generation != watch.generation { isPrepared = false }
  }

  /// Merges the commits since the last call into the result.
  func merge() async throws -> Merging {
    let touch = watch.takeTouch()
    guard held != nil else { return .mustFetch }
    switch touch {
    case .none: return .result(nil)
    case .unknown: return .mustFetch
    case .schema:
      isPrepared = false
      return .mustFetch
    case .rows(let commits):
      checkGeneration()
      guard isPrepared, isCurrent else { return .mustFetch }
      isCurrent = false
      let merging = try await apply(commits)
      if case .result = merging { isCurrent = true }
      return merging
    }
  }

  /// Whether the next commit will probably be merged into the result, without a fetch.
  var mergesCommits: Bool { isCurrent && isMaintained && !isResting }

  /// Whether merging a commit needs a reader connection. If not, commits are merged in memory.
  var mergesInReader: Bool { preparation?.readsSnapshots == true }

  deinit { watch.countHeldBytes(-heldBytes) }

  /// Whether the result is maintained.
  var isMaintained: Bool { isMaintainable && obstacle == nil }

  private var isMaintainable: Bool { preparation?.isMaintained == true }

  private var plan: (any MaintenancePlan<Row>)? {
    obstacle == nil ? preparation?.maintenance.plan : nil
  }

  /// Finds the tables that the query reads, and begins to watch them. This comes before the first
  /// fetch, so that no change in between is missed. If a table or column that the query read before
  /// does not exist, returns false and begins to watch for its creation.
  private func begin() async throws -> Bool {
    isPrepared = false
    isCurrent = false
    while true {
      switch try await prepare(after: preparation?.schemaVersion) {
      case .success(let (new, watched)):
        preparation = new
        watch.watch(watched.tables)
        note(watched)
        isPrepared = true
        missing = nil
        return true
      case .failure(let error):
        // The table may have been created before the subscription began, so the query is prepared
        // again.
        if watch.watchSchema() { continue }
        guard held != nil else { throw error }
        missing = error
        return false
      }
    }
  }

  /// Returns a result without rows, for a query whose table does not exist. Returns nil if the
  /// previous result also had no rows.
  private func withoutRows() -> Results<Void>? {
    guard let held, !held.result.isEmpty else { return nil }
    var difference = ResultsDifference()
    difference.removed = Array(held.result.indices)
    let result = Results<Void>(
      PersistentSequence(), in: 0..<0, byKey: nil, order: nil, difference: difference)
    self.held?.result = result
    self.held?.window = nil
    return result
  }

  // MARK: Fetching

  /// Fetches the result from the database. Returns nil if it equals the previous result.
  private func fetch() async throws -> Results<Void>? {
    isCurrent = false
    takeRoom()
    let reporting = held == nil ? nil : watch.rerunReporting
    let start = ContinuousClock.now
    while true {
      if let new = try await fetchOnce() {
        costs.withLock { $0.countFetch(since: start) }
        if let reporting { try report(ContinuousClock.now - start, to: reporting) }
        isCurrent = true
        let isSame = held != nil && new.result.difference.isEmpty
        hold(isSame ? withKnownRows(new) : new)
        return isSame ? nil : new.result
      }
      // The schema has changed, perhaps in another process.
      guard try await begin() else { return withoutRows() }
    }
  }

  /// Returns the new result, which equals the held result, with the held rows in place of its own.
  /// The observers have the held rows. Returns the new result unchanged if hidden values differ.
  private func withKnownRows(_ new: HeldResult) -> HeldResult {
    guard let held, held.schemaVersion == new.schemaVersion else { return new }
    switch (held.window, new.window) {
    case (nil, nil): break
    case (let known?, let window?) where window.hasSameRows(as: known): break
    default: return new
    }
    var new = new
    (new.result, new.window) = (held.result.unchanged, held.window)
    return new
  }

  private func hold(_ new: HeldResult) {
    held = new
    let count = new.result.entries.count
    // Besides the row, an entry takes 96 bytes, for an object with a key, order values and a
    // fingerprint. In each tree, the reference to the entry takes 16 bytes.
    let trees = (new.result.byKey == nil ? 1 : 2) + (plan?.indexedPlaces.count ?? 0)
    let rows = count + (new.window?.parts.reduce(0) { $0 + $1.entries.count } ?? 0)
    let bytes = rows * (MemoryLayout<Row>.stride + 96 + 16 * trees)
    costs.withLock { ($0.rows, $0.byteCount) = (count, bytes) }
    let all = countHeld(isMaintained ? bytes : 0)
    guard new.obstacle != nil || isMaintained && all > watch.maximumHeldBytes else { return }
    obstacle = new.obstacle.map { ($0, nil) } ?? (.lacksRoom, heldBytes)
    held?.window = nil
    countHeld(0)
    noteWay()
  }

  @discardableResult
  private func countHeld(_ bytes: Int) -> Int {
    defer { heldBytes = bytes }
    return watch.countHeldBytes(bytes - heldBytes)
  }

  /// Lets the query be maintained again if its rows and all held rows fit into three quarters of
  /// `maximumHeldBytes`. If the size of its rows is unknown, does so at each 64th fetch.
  private func takeRoom() {
    guard let obstacle else { return }
    if let bytes = obstacle.bytes {
      guard watch.countHeldBytes(0) + bytes <= watch.maximumHeldBytes / 4 * 3 else { return }
    } else if !fetchCount.isMultiple(of: 64) {
      return
    }
    self.obstacle = nil
    noteWay()
  }

  /// Stores, for `db.liveStatus`, how the result is kept up to date, and what is watched.
  private func note(_ watched: Watched) {
    noteWay()
    let tables = watched.tables.filter { $0.value.keys == nil && $0.value.routes == nil }
      .map(\.key.name).sorted()
    costs.withLock { ($0.missingIndexes, $0.tablesOfAllRows) = (watched.missingIndexes, tables) }
  }

  /// Stores, for `db.liveStatus`, whether the result is maintained now, and why.
  private func noteWay() {
    let isMaintained = isMaintained && !isResting
    let obstacle = obstacle?.reason ?? (isResting ? .isResting : nil)
    let reason = isMaintainable ? obstacle.map { $0.sentence + "." } : nil
    let explanation = reason ?? preparation?.explanation ?? ""
    costs.withLock { ($0.isMaintained, $0.explanation) = (isMaintained, explanation) }
  }

  /// Reports that the query ran again, if the run took longer than the limit.
  private func report(_ duration: Duration, to reporting: RerunReporting) throws {
    guard duration > reporting.limit else { return }
    let reason: String? =
      if !isMaintainable {
        preparation?.maintenance.reason?.sentence
      } else if let obstacle {
        obstacle.reason.sentence
      } else {
        isResting ? RerunReason.isResting.sentence : "It is maintained, but had to be fetched"
      }
    reporting.report(
      ObservationRerun(
        sql: try source.template.texts().first ?? "", duration: duration,
        reason: (reason ?? "") + "."))
  }

  /// Fetches the result. Returns nil if the schema has changed since the query was prepared.
  private func fetchOnce() async throws -> HeldResult? {
    let (source, plan, watch, old) = (source, plan, watch, held)
    guard let version = preparation?.schemaVersion else { return nil }
    let new = try await watch.reading(hops: !source.template.isShort, isFirst: old == nil) {
      core -> HeldResult? in
      guard var snapshot = try watch.openSnapshot(on: core, schemaVersion: version) else {
        return nil
      }
      let counted = watch.countingOthers(in: snapshot, on: core)
      if plan?.readsSnapshots == true { snapshot = counted }
      var obstacle: RerunReason?
      let new = try core.withArguments(source.values) {
        guard let plan else { return try Self.hold(try source.template.fetch(core), after: old) }
        let start = ContinuousClock.now
        defer { source.template.breaker.noteRun(ContinuousClock.now - start) }
        do {
          return try Self.hold(try plan.window(on: core), after: old)
        } catch is ColumnValueError {
          // The query may order by a column that it does not select and that has invalid text. Only
          // SQLite knows the order of such text.
          obstacle = .hasInvalidText
        } catch let reason as RerunReason {
          obstacle = reason
        }
        return try Self.hold(try source.template.fetch(core), after: old)
      }
      try core.run(cached: "COMMIT")
      return HeldResult(
        result: new.0, window: new.1, snapshot: snapshot, schemaVersion: version,
        otherCount: counted.otherCount, obstacle: obstacle)
    }
    try Task.checkCancellation()
    return new
  }

  private static func hold(
    _ window: ResultWindow, after old: HeldResult?
  ) throws -> (Results<Void>, ResultWindow?) {
    let haveKeys = old?.window != nil
    let difference = ResultsComparison.difference(
      from: old?.result.visibleEntries ?? [], to: window.range.map { window.entries[$0] },
      haveKeys: haveKeys)
    return (Results(window, difference), window)
  }

  private static func hold(
    _ entries: [ResultEntry], after old: HeldResult?
  ) throws -> (Results<Void>, ResultWindow?) {
    let difference = ResultsComparison.difference(
      from: old?.result.visibleEntries ?? [], to: entries, haveKeys: false)
    let results = Results<Void>(
      PersistentSequence(entries), in: 0..<entries.count, byKey: nil, order: nil,
      difference: difference)
    return (results, nil)
  }

  /// Returns whether the result may lack a commit, for example a commit of another connection that
  /// was not noticed yet. This does not run the query.
  func mayLackCommits() async throws -> Bool {
    guard isCurrent, isPrepared, let held else { return true }
    guard !watch.isPrivate else { return false }
    guard let count = held.otherCount else { return true }
    guard let version = preparation?.schemaVersion else { return true }
    let watch = watch
    let known = WatchedSnapshot(position: held.snapshot.position, otherCount: count)
    return try await watch.reading(hops: false, isFirst: true) { core in
      guard let opened = try watch.openSnapshot(on: core, schemaVersion: version) else {
        return true
      }
      defer { try? core.run(cached: "COMMIT") }
      if case .known = watch.following(known, opened, on: core) { return false }
      return true
    }
  }

  // MARK: Maintaining

  /// Merges the rows that commits touched into the result.
  private func apply(_ commits: [Commit]) async throws -> Merging {
    guard let held else { return .mustFetch }
    let position = held.snapshot.position
    let commits = commits.filter { $0.sequence > position.last }
    guard let first = commits.first else { return .result(nil) }
    guard let plan, let window = held.window, let evaluators,
      let schemaVersion = preparation?.schemaVersion
    else { return .mustFetch }
    // If the result may already contain this commit, it may also contain later commits of other
    // connections. Then the rows of this commit could be older than the result.
    guard !position.mayContainNext || first.sequence != position.last &+ 1 else {
      return .mustFetch
    }
    let takesMerge = source.template.breaker.takesMerge()
    if isResting == takesMerge {
      isResting = !takesMerge
      noteWay()
    }
    guard takesMerge else { return .mustFetch }
    let outcome = try await plan.change(
      of: HeldRows(window: window, snapshot: held.snapshot), by: commits,
      with: MaintenanceMeans(
        watch: watch, evaluators: evaluators, values: source.values, schemaVersion: schemaVersion,
        breaker: source.template.breaker))
    guard case .changed(var change, let snapshot) = outcome else {
      if case .untouched = outcome { return .result(nil) }
      return .mustFetch
    }
    let difference = change.difference()
    let results = Results(change.after, difference)
    costs.withLock { $0.merges += 1 }
    hold(
      HeldResult(
        result: difference.isEmpty ? held.result : results, window: change.after,
        snapshot: snapshot, schemaVersion: held.schemaVersion, otherCount: held.otherCount))
    return .result(difference.isEmpty ? nil : results)
  }
}

extension Results<Void> {
  fileprivate init(_ window: ResultWindow, _ difference: ResultsDifference) {
    self.init(
      window.entries, in: window.range, byKey: window.byKey, order: window.order,
      difference: difference)
  }
}

// This type is outside of the generic class, because inside it, each use would look up metadata of
// types. For the same reason, its result has the row type `Void`, and `ResultObserver` returns the
// result with the real row type.

/// A result, with the snapshot that says which commits the result contains.
private struct HeldResult: Sendable {
  var result: Results<Void>
  /// The rows that the plan updates; nil if the query is fetched again after each change.
  var window: ResultWindow?
  var snapshot: WatchedSnapshot
  /// The version of the schema when the rows were fetched.
  let schemaVersion: Int32
  /// The number of commits of other connections that the result contains, counted as in a
  /// `WatchedSnapshot`. Nil if the number is not known.
  var otherCount: UInt32?
  /// The reason why the plan could not fetch its rows; nil if there is no such reason.
  var obstacle: RerunReason?
}
