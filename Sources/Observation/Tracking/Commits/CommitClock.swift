import Synchronization

/// A counter of the writer's commits, from which a snapshot knows which of them it contains.
final class CommitClock: Sendable {
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)
  /// The number of commits that added nothing to the write-ahead log.
  private let unlogged = Atomic<UInt64>(0)

  /// Notes that SQLite is about to commit: from now on a snapshot may contain the commit.
  func begin() {
    begun.store(ended.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  /// Notes that the commit is done, so that every later snapshot contains it. Returns its number.
  ///
  /// - Parameter isLogged: whether it added to the write-ahead log. A transaction that wrote
  ///   nothing did not.
  func end(isLogged: Bool) -> UInt64 {
    let number = begun.load(ordering: .relaxed)
    if !isLogged { unlogged.add(1, ordering: .sequentiallyConsistent) }
    ended.store(number, ordering: .sequentiallyConsistent)
    return number
  }

  /// Notes that all observers have received the last commit.
  func didDeliver() {
    delivered.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// Notes that nothing was committed.
  func cancel() {
    begun.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// The commits of the writer that a snapshot contains.
  struct Position {
    /// The last commit that it certainly contains.
    var last: UInt64
    /// Whether it may also contain the next one, which was being committed meanwhile.
    var mayContainNext: Bool
    /// Whether all observers have received the commits up to the last.
    var isDelivered = false
    /// The number of commits up to the last that added to the write-ahead log. It is never too
    /// large, and exact if the snapshot does not contain the next commit.
    var loggedCount: UInt64 = 0
  }

  /// Returns whether no commit has begun since the given one.
  func isLast(_ commit: UInt64) -> Bool {
    begun.load(ordering: .sequentiallyConsistent) == commit
  }

  /// Opens a snapshot and returns which commits it contains. If two commits began meanwhile, the
  /// snapshot is closed and opened again.
  func opening(_ open: () throws -> Void, close: () throws -> Void) rethrows -> Position {
    while true {
      let last = ended.load(ordering: .sequentiallyConsistent)
      let loggedCount = last &- unlogged.load(ordering: .sequentiallyConsistent)
      try open()
      let begun = begun.load(ordering: .sequentiallyConsistent)
      if begun <= last &+ 1 {
        return Position(
          last: last, mayContainNext: begun != last,
          isDelivered: delivered.load(ordering: .sequentiallyConsistent) >= last,
          loggedCount: loggedCount)
      }
      try close()
    }
  }
}
