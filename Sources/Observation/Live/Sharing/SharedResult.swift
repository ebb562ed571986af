import QueryDSL
import SQLCore

/// The result of a query with its values, which all of its observers share: one subscription, one
/// run after a commit, one result.
///
/// No lasting task belongs to it. Several observers may wait for the next result. One of them waits
/// for commits and then has the query run for all; the others wait for that observer. So the query
/// does not run while all observers are busy, and then runs once for all commits of that time.
///
/// State: idle → an observer listens for commits → a task runs the query → idle. If an observer that
/// listens is cancelled, another one takes its place.
final class SharedResult<Row: Sendable>: ObservedResult {
  private let source: LiveSource<Row>
  /// Used by the task that runs the query.
  private let query: QueryWatch<Row>
  private let state = Lock(State())
  /// The place among the shared results of the database.
  private let entry: SharedResults.Entry?

  /// The outcome of a run.
  enum Outcome: Sendable {
    /// The result; `missing` is the error if a table or column of the query does not exist.
    case result(Results<Row>, missing: DatabaseError?)
    case failed(any Error)
  }

  /// An outcome as an observer receives it.
  struct News: Sendable {
    let outcome: Outcome
    /// The number of outcomes so far.
    let version: UInt64
    /// The number of the last request that has been answered.
    let answered: UInt64
  }

  fileprivate struct State {
    var version: UInt64 = 0
    var outcome: Outcome?
    var isRunning = false
    /// The task of the run.
    var run: Task<Void, Never>?
    var isListening = false
    /// Whether commits may wait to be looked at.
    var isPending = false
    /// Whether the query must be fetched even if nothing changed.
    var mustFetch = false
    /// The number of requests for a result that contains all commits so far, and the number of
    /// answered requests.
    var requests: UInt64 = 0
    var answered: UInt64 = 0
    /// The signals of the observers that wait for the observer that listens or runs.
    var waiting: [ObjectIdentifier: Signal] = [:]
    var observers = 0
    var cost = LiveCost()
  }

  /// The observer's next step.
  fileprivate enum Turn {
    case take
    case run(request: UInt64, mustFetch: Bool)
    case listen
    case wait
  }

  init(_ source: LiveSource<Row>, in database: Database, at entry: SharedResults.Entry?) {
    self.source = source
    query = QueryWatch(source, in: database)
    self.entry = entry
  }

  deinit { entry?.remove(state.withLock { $0.cost }) }

  /// The tables that are observed.
  private var watch: TableWatch { query.watch }

  /// Whether the database is closed.
  var hasEnded: Bool { watch.hasEnded }

  func explain() async throws -> ObservationExplanation {
    try await QueryWatch(source, in: watch.database).explain()
  }

  /// Counts an observer more, or fewer.
  func count(observers: Int) {
    let run = state.withLock { state in
      state.observers += observers
      return state.observers == 0 ? state.run : nil
    }
    run?.cancel()
  }

  var status: LiveStatus.Query {
    let (cost, observers) = state.withLock { ($0.cost, $0.observers) }
    return LiveStatus.Query(
      sql: (try? source.form.texts().first) ?? "", cost, observers: observers)
  }

  /// Asks for a result that contains all commits so far. Returns the number of the request.
  ///
  /// - Parameter mustFetch: whether the query runs even if nothing has changed.
  func request(mustFetch: Bool = false) -> UInt64 {
    let request = state.withLock { state in
      state.requests += 1
      if mustFetch { state.mustFetch = true }
      return state.requests
    }
    if mustFetch { watch.wake() }
    return request
  }

  /// The last outcome; nil before the first.
  var news: News? {
    state.withLock { state in
      state.outcome.map { News(outcome: $0, version: state.version, answered: state.answered) }
    }
  }

  /// Waits until there is an outcome after the given one, which is then in `news`. Returns false if
  /// the task is cancelled or the database is closed.
  ///
  /// The function runs on no actor: an observer whose actor is busy must not keep the others
  /// waiting. A task keeps the memory of all asynchronous functions that it has called, so a
  /// waiting observer calls only small functions: the query runs in a separate task.
  ///
  /// - Parameters:
  ///   - request: returns the request that the outcome may answer, even if it is not a new one.
  ///   - signal: the observer's own.
  @concurrent
  func wait(
    after version: UInt64, _ signal: Signal, request: @Sendable () -> UInt64?
  ) async -> Bool {
    // If no other observer is active, one of the waiting observers takes the place of this one.
    defer { end { !$0.isListening && !$0.isRunning ? .all : .none } }
    while !Task.isCancelled {
      switch turn(after: version, request(), signal) {
      case .take: return true
      case .run(let request, let mustFetch): begin(request, mustFetch: mustFetch)
      case .listen:
        let isWoken = await watch.wait()
        endListening(isWoken: isWoken)
        if !isWoken { return false }
      case .wait:
        guard await signal.wait() else {
          removeWaiting(signal)
          return false
        }
      }
    }
    return false
  }

  /// Runs the query in a task. The run belongs to no observer: it ends early if all are gone.
  private func begin(_ request: UInt64, mustFetch: Bool) {
    let run = Task { await self.run(request, mustFetch: mustFetch) }
    let isWanted = state.withLock { state in
      if state.isRunning { state.run = run }
      return state.observers > 0
    }
    if !isWanted { run.cancel() }
  }

  /// Returns the next step of an observer. The request is asked for before, since that may take a
  /// lock.
  private func turn(after version: UInt64, _ request: UInt64?, _ signal: Signal) -> Turn {
    state.withLock { $0.turn(after: version, request, signal) }
  }

  private func endListening(isWoken: Bool) {
    end { state in
      state.isListening = false
      if isWoken { state.isPending = true }
      return isWoken ? .none : .all
    }
  }

  private func removeWaiting(_ signal: Signal) {
    state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(signal)) }
  }

  private enum Waking { case none, one, all }

  /// Changes the state, and wakes the waiting observers that the closure returns.
  private func end(_ change: (inout State) -> Waking) {
    let woken = state.withLock { state in
      switch change(&state) {
      case .none: return [ObjectIdentifier: Signal]()
      case .one:
        return state.waiting.popFirst().map { [$0.key: $0.value] } ?? [:]
      case .all:
        defer { state.waiting = [:] }
        return state.waiting
      }
    }
    for signal in woken.values { signal.give() }
  }

  // MARK: Running

  /// Runs the query, or merges the changes of commits, and keeps the outcome.
  private func run(_ request: UInt64, mustFetch: Bool) async {
    let version = state.withLock { $0.version }
    var isAnswered = true
    do {
      let count = query.fetchCount
      try await update(again: mustFetch)
      // A request asks for the commits of other processes as well.
      if request > 0, query.fetchCount == count, try await query.mayLackCommits() {
        try await update(again: true)
      }
    } catch {
      // A later observer tries again if this run is cancelled.
      isAnswered = !Task.isCancelled
      if isAnswered { keep(.failed(error)) }
    }
    let cost = query.cost
    end { state in
      (state.isRunning, state.run) = (false, nil)
      state.cost = cost
      if isAnswered {
        state.answered = max(state.answered, request)
      } else {
        state.isPending = true
        state.mustFetch = true
      }
      if state.version != version || request > 0 || state.isPending || state.mustFetch
        || state.answered < state.requests
      {
        return .all
      }
      // After a run without a new outcome, one of the observers listens again.
      return .one
    }
  }

  private func update(again: Bool) async throws {
    if let new = try await query.update(again: again) {
      return keep(.result(new, missing: query.missing))
    }
    // An equal result is news after an error, and if a table is missing now or exists again.
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

  private func keep(_ outcome: Outcome) {
    state.withLock { state in
      state.version += 1
      state.outcome = outcome
    }
  }
}

extension SharedResult.State {
  fileprivate mutating func turn(
    after version: UInt64, _ request: UInt64?, _ signal: Signal
  ) -> SharedResult.Turn {
    let isAnswered = request.map { $0 <= answered } ?? false
    if isAnswered || request == nil && self.version > version, outcome != nil { return .take }
    let mustRun = isPending || mustFetch || request != nil || outcome == nil
    guard !isRunning, mustRun || !isListening else {
      waiting[ObjectIdentifier(signal)] = signal
      return .wait
    }
    guard mustRun else {
      isListening = true
      return .listen
    }
    defer { (isRunning, isPending, mustFetch) = (true, false, false) }
    return .run(request: answered < requests ? requests : 0, mustFetch: mustFetch)
  }
}
