import Synchronization

/// A counter of the writer's commits, from which a snapshot knows which of them it contains.
final class CommitClock: Sendable {
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)

  /// Notes that SQLite is about to commit: from now on a snapshot may contain the commit.
  func begin() {
    begun.store(ended.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  /// Notes that the commit is done, so that every later snapshot contains it. Returns its number.
  func end() -> UInt64 {
    let number = begun.load(ordering: .relaxed)
    ended.store(number, ordering: .sequentiallyConsistent)
    return number
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
  }

  /// Opens a snapshot and returns which commits it contains. If two commits began meanwhile, the
  /// snapshot is closed and opened again.
  func opening(_ open: () throws -> Void, close: () throws -> Void) rethrows -> Position {
    while true {
      let last = ended.load(ordering: .sequentiallyConsistent)
      try open()
      let begun = begun.load(ordering: .sequentiallyConsistent)
      if begun <= last &+ 1 { return Position(last: last, mayContainNext: begun != last) }
      try close()
    }
  }
}
