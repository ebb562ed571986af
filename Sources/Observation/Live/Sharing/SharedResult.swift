import QueryDSL
import SQLCore

/// The result of a query with certain values. All observers of the same query and values share it,
/// so that there is only one subscription, and one run after a commit.
///
/// A shared result has no permanent task. After a commit, a run begins at once if an observer waits
/// for a result, or else when an observer waits again. So the query does not run while all
/// observers are busy, and then runs once for all commits that came meanwhile.
///
/// State: idle → running, if a run is due and an observer waits → idle. The waiting observers are
/// woken after a run that has a new outcome or answers a request, and when the database is closed.
final class SharedResult<Row: Sendable>: ObservedResult, MergedResult, CommitListener {
  /// The observation of the query. Only the current run uses it.
  private let query: QueryWatch<Row>
  private let state = Lock(SharedState())
  /// The registration among the shared results of the database.
  private let entry: SharedResults.Entry?

  init(_ source: LiveSource<Row>, in database: Database, at entry: SharedResults.Entry?) {
    query = QueryWatch(source, in: database)
    self.entry = entry
    watch.queue.listen(self)
  }

  deinit { entry?.remove(query.cost) }

  /// The tables that are observed.
  private var watch: TableWatch { query.watch }

  /// Whether the database is closed or the observation was ended.
  var hasEnded: Bool { watch.hasEnded }

  func explain() async throws -> ObservationExplanation {
    try await QueryWatch(query.source, in: watch.database).explain()
  }

  /// Adds 1 or −1 to the number of observers. If no observers are left, cancels the run.
  func count(observers: Int) {
    let run = state.withLock { state in
      state.observers += observers
      return state.observers == 0 ? state.run : nil
    }
    run?.cancel()
  }

  var status: LiveStatus.Query {
    LiveStatus.Query(
      sql: (try? query.source.template.texts().first) ?? "", query.cost,
      observers: state.withLock { $0.observers })
  }

  /// Requests a result that contains all commits so far. Returns the number of the request.
  ///
  /// - Parameter mustFetch: whether to run the query even if nothing has changed.
  func request(mustFetch: Bool = false) -> UInt64 {
    var request: UInt64 = 0
    change { state in
      state.requests += 1
      if mustFetch { state.mustFetch = true }
      request = state.requests
      return false
    }
    return request
  }

  /// The last outcome; nil before the first.
  var news: SharedState.News? {
    state.withLock { state in
      state.outcome.map {
        SharedState.News(outcome: $0, version: state.version, answered: state.answered)
      }
    }
  }

  /// Returns the next step of an observer that has received all outcomes up to the given version.
  /// If the observer must wait, `signal` later wakes it. The observer then calls this method again.
  ///
  /// - Parameters:
  ///   - request: a request of the observer, or nil. Once it is answered, the observer must take
  ///     the outcome, even if the outcome is not new.
  ///   - signal: the observer's own signal.
  func turn(after version: UInt64, _ request: UInt64?, _ signal: Signal) -> SharedState.Turn {
    let isCancelled = Task.isCancelled
    var turn = SharedState.Turn.end
    change { state in
      if !isCancelled { turn = state.turn(after: version, request) }
      state.waiting[ObjectIdentifier(signal)] = turn == .wait ? signal : nil
      return false
    }
    return turn
  }

  /// Notes that commits came. If an observer waits, begins a run.
  func commitsCame() {
    change(inTask: false) { state in
      state.isPending = true
      return false
    }
  }

  func commitsEnded() {
    change { state in
      state.isEnded = true
      return true
    }
  }

  /// Changes the state. If the closure returns true, wakes all waiting observers. If a run is due
  /// and an observer waits, begins the run.
  ///
  /// - Parameter inTask: whether the run inherits the priority and the task-local values of the
  ///   current task.
  private func change(inTask: Bool = true, _ body: (inout SharedState) -> Bool) {
    let (woken, purpose) = state.withLock { state in
      var woken: [ObjectIdentifier: Signal] = [:]
      if body(&state) || state.isOver { swap(&woken, &state.waiting) }
      return (woken, state.beginRun())
    }
    for signal in woken.values { signal.give() }
    if let purpose { begin(purpose, inTask: inTask) }
  }

  // MARK: Running

  /// Begins a run. If the run only merges commits, it waits in a `MergeLine`. Otherwise it has its
  /// own task, which is cancelled if all observers are gone.
  private func begin(_ purpose: SharedState.Purpose, inTask: Bool) {
    if purpose.request == 0, !purpose.mustFetch, query.mergesCommits, let entry {
      entry.merge(
        self, inReader: query.mergesInReader,
        atMost: max(1, watch.database.configuration.maximumLiveReaders))
    } else {
      beginTask(purpose, inTask: inTask)
    }
  }

  private func beginTask(_ purpose: SharedState.Purpose, inTask: Bool) {
    let run =
      inTask
      ? Task { await self.run(purpose) } : Task.detached { await self.run(purpose) }
    let isWanted = state.withLock { state in
      if state.isRunning { state.run = run }
      return state.observers > 0
    }
    if !isWanted { run.cancel() }
  }

  /// Merges commits. If the query must be fetched, begins a task that fetches it.
  func merge() async {
    var isAnswered = state.withLock { $0.observers > 0 }
    let version = version
    if isAnswered {
      do {
        guard case .result(let new) = try await query.merge() else {
          return beginTask(SharedState.Purpose(request: 0, mustFetch: true), inTask: false)
        }
        note(new)
      } catch {
        isAnswered = !Task.isCancelled
        if isAnswered { keep(.failed(error)) }
      }
    }
    end(SharedState.Purpose(request: 0, mustFetch: false), since: version, isAnswered: isAnswered)
  }

  private var version: UInt64 { state.withLock { $0.version } }

  /// Runs the query or merges commits, and keeps the outcome.
  private func run(_ purpose: SharedState.Purpose) async {
    let version = version
    var isAnswered = true
    do {
      let count = query.fetchCount
      note(try await query.refreshed(again: purpose.mustFetch))
      // The result of a request must also contain the commits of other processes, even if these
      // commits were not noticed yet.
      if purpose.request > 0, query.fetchCount == count, try await query.mayLackCommits() {
        note(try await query.refreshed(again: true))
      }
    } catch {
      // If this run is cancelled, a later observer begins another run.
      isAnswered = !Task.isCancelled
      if isAnswered { keep(.failed(error)) }
    }
    end(purpose, since: version, isAnswered: isAnswered)
  }

  /// Ends a run. `version` is the version of the outcome when the run began.
  private func end(_ purpose: SharedState.Purpose, since version: UInt64, isAnswered: Bool) {
    change { state in
      (state.isRunning, state.run) = (false, nil)
      if isAnswered {
        state.answered = max(state.answered, purpose.request)
      } else {
        (state.isPending, state.mustFetch) = (true, true)
      }
      return state.version != version || purpose.request > 0
    }
  }

  /// Keeps a new result as the outcome. A nil result means that the result did not change.
  private func note(_ new: Results<Void>?) {
    if let new { return keep(.result(new, missing: query.missing)) }
    // An equal result is also kept in two cases: the last outcome was an error, or a table or
    // column went missing or exists again.
    let (isCurrent, missing) = (query.isCurrent, query.missing)
    let isNews = state.withLock { state in
      switch state.outcome {
      case .result(_, let known): (known == nil) != (missing == nil)
      case .failed: isCurrent || missing != nil
      case nil: false
      }
    }
    if isNews, let result = query.result { keep(.result(result.unchanged, missing: missing)) }
  }

  private func keep(_ outcome: SharedState.Outcome) {
    // The former outcome is released outside the lock, because it has values of the program, whose
    // `deinit` may run any code.
    _ = state.withLock { state in
      state.version += 1
      defer { state.outcome = outcome }
      return state.outcome
    }
  }
}
