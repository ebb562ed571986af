import SQLCore

/// A queue of the commits that an observer has not yet taken.
///
/// The writer only appends and never waits. If an observer is slow, the queue drops rows, but still
/// reports which tables changed.
final class CommitQueue: CommitReceiver {
  /// The content of the queue.
  struct Waiting {
    var commits: [Commit] = []
    /// The tables whose rows were dropped, each with its events. Nil if no rows were dropped.
    var dropped: [QualifiedTableName: Set<TableEvent>]?
    /// The events after which every table counts as changed. The key of an element is the number of
    /// elements of `commits` that came before the events.
    var everything: [Int: Set<TableEvent>] = [:]
    /// The signals of callers that requested a fetch and wait for the result.
    var refreshes: [Signal] = []

    var isEmpty: Bool {
      commits.isEmpty && dropped == nil && everything.isEmpty && refreshes.isEmpty
    }
  }

  fileprivate struct State {
    var waiting = Waiting()
    var rowCount = 0
    /// Whether the queue has ended, because the database is closed.
    var isEnded = false
    /// The signal that wakes waiting tasks; nil before a task waits for the first time.
    var signal: Signal?
    weak var listener: (any CommitListener)?
  }

  private let state = Lock(State())
  private let maximumRows: Int
  private static let maximumCommits = 10_000

  init(maximumRows: Int) {
    self.maximumRows = maximumRows
  }

  /// Appends a commit. This is called on the writer's thread.
  func append(_ commit: Commit) {
    state.withLock { state in
      guard !state.isEnded else { return }
      if let event = commit.everything {
        state.waiting.everything[state.waiting.commits.count, default: []].insert(event)
        return
      }
      guard state.waiting.dropped == nil else { return state.drop(commit) }
      state.waiting.commits.append(commit)
      state.rowCount += commit.rowCount
      guard
        state.rowCount > maximumRows || state.waiting.commits.count > Self.maximumCommits,
        state.waiting.commits.count > 1
      else { return }
      let commits = state.waiting.commits
      state.waiting.commits = []
      state.rowCount = 0
      for commit in commits { state.drop(commit) }
      let events = Set(state.waiting.everything.values.joined())
      state.waiting.everything = events.isEmpty ? [:] : [0: events]
    }
  }

  func wake() {
    let (signal, listener) = state.withLock { ($0.signal, $0.listener) }
    signal?.give()
    listener?.commitsCame()
  }

  /// Sets the object that is notified of new commits. The object is held weakly.
  func listen(_ listener: any CommitListener) { state.withLock { $0.listener = listener } }

  /// Ends the queue, so that no more commits are appended. Waiting commits can still be taken.
  /// Tasks that wait for more resume.
  func end() {
    let (refreshes, signal, listener) = state.withLock { state in
      state.isEnded = true
      defer { state.waiting.refreshes = [] }
      return (state.waiting.refreshes, state.signal, state.listener)
    }
    for refresh in refreshes { refresh.giveForEver() }
    signal?.giveForEver()
    listener?.commitsEnded()
  }

  /// Whether the queue has ended, so that no more commits are appended.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Adds a request to fetch the result again. The signal `done` is given after the fetch. Returns
  /// false if the queue has ended.
  func refresh(_ done: Signal) -> Bool {
    let (isTaken, signal) = state.withLock { state in
      if !state.isEnded { state.waiting.refreshes.append(done) }
      return (!state.isEnded, state.signal)
    }
    if isTaken { signal?.give() }
    return isTaken
  }

  /// Waits until there is a commit to take. Returns false if the task is cancelled, or if the queue
  /// has ended and is empty.
  func wait() async -> Bool {
    let signal = state.withLock { $0.signalUnlessOver() }
    guard let signal, await signal.wait() else { return false }
    return !isOver
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Takes everything that waits, except the commits after the given commit.
  func take(through last: UInt64 = .max) -> Waiting {
    state.withLock { state in
      var taken = state.waiting
      let end = taken.commits.firstIndex { $0.sequence > last } ?? taken.commits.endIndex
      state.waiting = Waiting()
      state.waiting.commits = Array(taken.commits[end...])
      taken.commits.removeSubrange(end...)
      state.rowCount = state.waiting.commits.reduce(0) { $0 + $1.rowCount }
      return taken
    }
  }
}

extension CommitQueue.State {
  fileprivate var isOver: Bool { isEnded && waiting.isEmpty }

  /// Returns the signal that is given when something is appended. Nil if the queue has ended and is
  /// empty.
  fileprivate mutating func signalUnlessOver() -> Signal? {
    guard !isOver else { return nil }
    if let signal { return signal }
    let new = Signal()
    if isEnded { new.giveForEver() } else if !waiting.isEmpty { new.give() }
    signal = new
    return new
  }

  /// Records which tables a commit touched, and drops its rows.
  fileprivate mutating func drop(_ commit: Commit) {
    for write in commit.writes {
      for (table, changes) in write.tables {
        waiting.dropped = waiting.dropped ?? [:]
        waiting.dropped?[table, default: [.tableChanged]].formUnion(changes.events)
      }
    }
  }
}

/// An object that a `CommitQueue` notifies of new commits. It is called on the writer's thread.
protocol CommitListener: AnyObject, Sendable {
  func commitsCame()
  /// Called when the queue has ended.
  func commitsEnded()
}

/// A signal that wakes waiting tasks.
///
/// If no task waits when the signal is given, the next task that waits continues at once. Giving
/// the signal several times counts once. Unlike a stream of the standard library, a signal remains
/// usable after a waiting task was cancelled.
final class Signal: Sendable {
  private struct State {
    var isGiven = false
    /// Whether every later wait returns at once.
    var isLasting = false
    /// The first waiting task. It is stored separately, because there is almost always at most one.
    /// `others` has the other tasks.
    var first: Waiting?
    var others: [UInt64: UnsafeContinuation<Bool, Never>] = [:]
    var nextID: UInt64 = 0

    mutating func add(_ continuation: UnsafeContinuation<Bool, Never>, _ id: UInt64) {
      if first == nil {
        first = Waiting(id: id, continuation: continuation)
      } else {
        others[id] = continuation
      }
    }

    mutating func remove(_ id: UInt64) -> UnsafeContinuation<Bool, Never>? {
      guard first?.id == id else { return others.removeValue(forKey: id) }
      defer { first = nil }
      return first?.continuation
    }
  }

  private struct Waiting {
    let id: UInt64
    let continuation: UnsafeContinuation<Bool, Never>
  }

  private let state = Lock(State())

  /// Wakes all waiting tasks. If no task waits, the next task that waits continues at once.
  func give() {
    let (first, others) = state.withLock { state in
      state.isGiven = state.first == nil && state.others.isEmpty
      defer { (state.first, state.others) = (nil, [:]) }
      return (state.first?.continuation, state.others)
    }
    first?.resume(returning: true)
    for continuation in others.values { continuation.resume(returning: true) }
  }

  /// Wakes all tasks that wait now or later.
  func giveForEver() {
    state.withLock { $0.isLasting = true }
    give()
  }

  /// Waits until the signal is given. Returns false if the task is cancelled.
  ///
  /// The closure below captures the caller's actor, so that it runs on that actor.
  func wait(isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    return await withTaskCancellationHandler {
      _ = actor
      return await withUnsafeContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // If the task was cancelled before this line, the handler below has found nothing to
          // resume, so the task must not begin to wait.
          guard !Task.isCancelled else { return false }
          guard !state.isGiven, !state.isLasting else {
            state.isGiven = false
            return true
          }
          state.add(continuation, id)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { $0.remove(id) }
      continuation?.resume(returning: false)
    }
  }
}
