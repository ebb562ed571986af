import Synchronization

/// Numbers the commits of the writer, so that a snapshot knows which of them it contains.
final class CommitClock: Sendable {
  private let begun = Atomic<UInt64>(0)
  private let ended = Atomic<UInt64>(0)

  /// SQLite is about to commit: from now on a snapshot may contain it.
  func begin() {
    begun.store(ended.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
  }

  /// The commit is done: every later snapshot contains it. Returns its number.
  func end() -> UInt64 {
    let number = begun.load(ordering: .relaxed)
    ended.store(number, ordering: .sequentiallyConsistent)
    return number
  }

  /// Nothing was committed.
  func cancel() {
    begun.store(ended.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// What a snapshot contains of the writer's commits.
  struct Position {
    /// The last commit that it surely contains.
    var last: UInt64
    /// Whether it may contain the next one as well, which was being committed meanwhile.
    var mayContainNext: Bool
  }

  /// Opens a snapshot and returns what it contains: it is opened again where two commits began
  /// meanwhile.
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
