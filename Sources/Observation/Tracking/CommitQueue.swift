import SQLCore

/// The commits that somebody who watches has not yet asked for.
///
/// A writer only appends; whoever is slow finds that the rows were dropped, and never that nothing
/// happened.
final class CommitQueue: Sendable {
  /// What waited.
  struct Waiting {
    var commits: [Commit] = []
    /// The tables of which rows were dropped, with what is known besides; nil where none were.
    var dropped: [QualifiedTableName: Set<TableEvent>]?
    /// Whether something happened of which is not known what it touched.
    var everything: Set<TableEvent> = []
    /// Who asked for the result to be fetched again, and waits for it.
    var refreshes: [Signal] = []

    var isEmpty: Bool {
      commits.isEmpty && dropped == nil && everything.isEmpty && refreshes.isEmpty
    }
  }

  fileprivate struct State {
    var waiting = Waiting()
    var rowCount = 0
    /// Whether nothing more comes: the database is closed.
    var isEnded = false
  }

  private let state = Lock(State())
  private let signal = Signal()
  private let maximumRows: Int
  private static let maximumCommits = 10_000

  init(maximumRows: Int) {
    self.maximumRows = maximumRows
  }

  /// Called on the writer's thread.
  func append(_ commit: Commit) {
    state.withLock { state in
      guard !state.isEnded else { return }
      if let event = commit.everything {
        state.waiting.everything.insert(event)
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
    }
    signal.give()
  }

  /// Nothing more comes. What waits can still be taken; whoever waits for more goes on.
  func end() {
    let refreshes = state.withLock { state in
      state.isEnded = true
      defer { state.waiting.refreshes = [] }
      return state.waiting.refreshes
    }
    for refresh in refreshes { refresh.giveForEver() }
    signal.giveForEver()
  }

  /// Whether nothing more comes.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Asks for the result to be fetched again; the signal is given when that is done. False where
  /// nothing comes any more.
  func refresh(_ done: Signal) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isEnded else { return false }
      state.waiting.refreshes.append(done)
      return true
    }
    if isTaken { signal.give() }
    return isTaken
  }

  /// Waits until there is something; false once the task is cancelled, and where nothing is left and
  /// nothing more comes.
  nonisolated(nonsending)
    func wait() async -> Bool
  {
    if isOver { return false }
    guard await signal.wait() else { return false }
    return !isOver
  }

  private var isOver: Bool { state.withLock { $0.isEnded && $0.waiting.isEmpty } }

  /// Takes what waits.
  func takeAll() -> Waiting {
    state.withLock { state in
      defer {
        state.waiting = Waiting()
        state.rowCount = 0
      }
      return state.waiting
    }
  }
}

extension CommitQueue.State {
  /// Keeps of a commit which tables it touched.
  fileprivate mutating func drop(_ commit: Commit) {
    for write in commit.writes {
      for (table, changes) in write.tables {
        waiting.dropped = waiting.dropped ?? [:]
        waiting.dropped?[table, default: [.tableChanged]].formUnion(changes.events)
      }
    }
  }
}
