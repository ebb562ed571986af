import SQLCore

/// One observer of a query. It shares the result with all observers of the same query. It remembers
/// the last result that it returned, so that each newer result has the difference from that result.
///
/// `@unchecked Sendable`: only one task at a time uses the observer. This is the task of the
/// iterator or of the user-interface object that created the observer. `refresh()` may run in other
/// tasks, but uses only values that have a lock.
final class ResultObserver<Row: Sendable>: LiveWatch, @unchecked Sendable {
  private let shared: SharedResult<Row>
  private let signal = Signal()
  private var version: UInt64 = 0
  private var last: Results<Void>?
  private var pace: Pace
  /// The number of the request for the first result; nil once the request was answered.
  private var firstRequest: UInt64?
  private let refreshes = Lock(Refreshes())

  /// The requests of `refresh()` that are not answered yet.
  private struct Refreshes {
    var requests: [(number: UInt64, done: Signal)] = []
    var isEnded = false
  }

  /// The number of the newest request that the last received outcome answers. That outcome also
  /// answers all earlier requests.
  private var answered: UInt64 = 0

  init(_ source: LiveSource<Row>, in database: Database, every interval: Duration? = nil) {
    let results = ChangeTracker.of(database)?.sharedResults
    shared =
      results?.result(of: source, in: database) ?? SharedResult(source, in: database, at: nil)
    pace = Pace(interval)
    shared.count(observers: 1)
  }

  deinit { shared.count(observers: -1) }

  func explain() async throws -> ObservationExplanation { try await shared.explain() }

  /// Returns the next result. The first call returns the first result. Each later call waits for a
  /// result that differs from the previous result. Returns nil if the task is cancelled or the
  /// database is closed.
  func next() async throws -> Results<Row>? {
    guard await pace.wait() else { return nil }
    beginFirst()
    while true {
      switch try takeNews() {
      case .take: return lastRows
      case .wait: _ = await signal.wait()
      case .end: return nil
      }
    }
  }

  // A waiting task keeps the memory of its asynchronous functions, and thousands of observers may
  // wait. So the asynchronous functions are small, and synchronous functions do most of the work.

  @inline(never)
  private func beginFirst() {
    if last == nil { firstRequest = shared.request() }
  }

  private var lastRows: Results<Row>? {
    @inline(never) get { last.map { Results($0) } }
  }

  /// Takes the newest outcome if the observer does not have it yet, and returns `.take`. Otherwise
  /// returns whether to wait or to end.
  @inline(never)
  private func takeNews() throws -> SharedState.Turn {
    while true {
      let turn = shared.turn(after: version, firstRequest, signal)
      guard case .take = turn, let news = shared.news else { return turn }
      firstRequest = nil
      switch news.outcome {
      case .failed(let error):
        version = news.version
        if shared.hasEnded, last != nil { return .end }
        throw error
      case .result(let result, _):
        guard take(result, of: news) != nil else { continue }
        pace.begin()
        return .take
      }
    }
  }

  /// Makes the given result the last result of this observer. Returns it with its difference from
  /// the previous result, or nil if both results are equal.
  private func take(_ result: Results<Void>, of news: SharedState.News) -> Results<Void>? {
    let isNext = news.version == version + 1
    let isSame = news.version == version
    version = news.version
    guard let last else {
      self.last = result.inserted
      return self.last
    }
    let new = isSame ? result.unchanged : isNext ? result : result.changed(from: last)
    self.last = new
    return new.difference.isEmpty ? nil : new
  }

  // MARK: User interfaces

  /// If `isFirst`, returns the first result. If not, waits for a commit that may have changed the
  /// result, and then returns the new result. This method is `@concurrent`, so that it does not
  /// occupy the caller's actor.
  @concurrent
  func step(isFirst: Bool) async -> LiveStep<Results<Row>> {
    if isFirst { firstRequest = shared.request() }
    while true {
      let request = firstRequest ?? refreshes.withLock { $0.requests.first?.number }
      switch shared.turn(after: version, request, signal) {
      case .take: return takeStep()
      case .wait: _ = await signal.wait()
      case .end: return .ended(isClosed: !Task.isCancelled)
      }
    }
  }

  @inline(never)
  private func takeStep() -> LiveStep<Results<Row>> {
    firstRequest = nil
    guard let news = shared.news else { return .unchanged }
    answered = news.answered
    switch news.outcome {
    case .failed(let error):
      version = news.version
      return shared.hasEnded ? .ended(isClosed: true) : .failed(error)
    case .result(let result, let missing):
      if let new = take(result, of: news) { return .result(Results(new), missing: missing) }
      return missing.map { .failed($0) } ?? .unchanged
    }
  }

  /// Runs the query again, whether or not its result changed. Waits until `answerRefreshes()` is
  /// called after the run.
  func refresh() async {
    guard !shared.hasEnded else { return }
    let done = Signal()
    // As soon as the shared result has answered the request, it wakes the observer.
    let isEnded = refreshes.withLock { refreshes in
      if !refreshes.isEnded { refreshes.requests.append((shared.request(mustFetch: true), done)) }
      return refreshes.isEnded
    }
    guard !isEnded else { return }
    _ = await done.wait()
  }

  func answerRefreshes() {
    let answered = answered
    let done = refreshes.withLock { refreshes in
      defer { refreshes.requests.removeAll { $0.number <= answered } }
      return refreshes.requests.filter { $0.number <= answered }
    }
    for refresh in done { refresh.done.giveForEver() }
  }

  func end() {
    let left = refreshes.withLock { refreshes in
      defer { refreshes = Refreshes(requests: [], isEnded: true) }
      return refreshes.requests
    }
    for refresh in left { refresh.done.giveForEver() }
  }
}

/// A timer that keeps a minimum interval between two elements of a stream.
struct Pace {
  private let interval: Duration?
  private var earliest: ContinuousClock.Instant?

  init(_ interval: Duration?) {
    self.interval = interval
  }

  /// Waits until the next element may be given. Returns false if the task is cancelled.
  func wait() async -> Bool {
    guard let earliest, earliest > .now else { return true }
    return (try? await Task.sleep(until: earliest, clock: .continuous)) != nil
  }

  /// Begins an interval.
  mutating func begin() { earliest = interval.map { .now + $0 } }
}

extension Results {
  /// Creates a result with the same rows, but with another row type. A row may be read only through
  /// a result whose `Row` is the type with which the row was created.
  init<Other>(_ other: Results<Other>) {
    self.init(
      other.entries, in: other.range, byKey: other.byKey, order: other.order,
      difference: other.difference)
  }

  /// This result with another difference, in which all rows are inserted.
  fileprivate var inserted: Results {
    var difference = ResultsDifference()
    difference.inserted = Array(0..<count)
    return with(difference)
  }

  /// This result with an empty difference.
  var unchanged: Results { with(ResultsDifference()) }

  /// Returns this result with its difference from the result `earlier`, which need not be the
  /// previous result.
  fileprivate func changed(from earlier: Results) -> Results {
    with(
      ResultsComparison.difference(
        from: earlier.visibleEntries, to: visibleEntries,
        haveKeys: order != nil && earlier.order != nil))
  }

  private func with(_ difference: ResultsDifference) -> Results {
    Results(entries, in: range, byKey: byKey, order: order, difference: difference)
  }

  var visibleEntries: [ResultEntry] { range.map { entries[$0] } }
}
