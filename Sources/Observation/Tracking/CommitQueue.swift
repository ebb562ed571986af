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

    var isEmpty: Bool { commits.isEmpty && dropped == nil && everything.isEmpty }
  }

  fileprivate struct State {
    var waiting = Waiting()
    var rowCount = 0
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

  /// Waits until there is something; false once the task is cancelled.
  nonisolated(nonsending)
    func wait() async -> Bool
  {
    await signal.wait()
  }

  /// Takes what waits.
  func takeAll() -> Waiting {
    state.withLock { state in
      defer { state = State() }
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
