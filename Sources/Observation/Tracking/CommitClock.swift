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

  /// Opens a snapshot and tells the last commit that it surely contains; it contains at most one
  /// more, the one after it.
  func opening(_ open: () throws -> Void, close: () throws -> Void) rethrows -> UInt64 {
    while true {
      let last = ended.load(ordering: .sequentiallyConsistent)
      try open()
      if begun.load(ordering: .sequentiallyConsistent) <= last &+ 1 { return last }
      try close()
    }
  }
}
