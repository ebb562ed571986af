import Dispatch

// Readers keep the snapshots of their last reads (`KeptSnapshot`). While an idle reader keeps one,
// a timer of the pool ends the snapshots that are no longer used. The timer does not run in a
// process that does not read.
extension ConnectionPool {
  /// The state of the timer that ends kept snapshots. In each round of the timer, the pool ends the
  /// snapshots that are no longer used.
  struct Rounds {
    /// The number of the current round.
    private(set) var number: UInt64 = 0
    /// Whether the next round was scheduled.
    private(set) var isScheduled = false

    /// Notes that an idle reader keeps a snapshot. Returns whether the next round must be
    /// scheduled.
    mutating func begin() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    mutating func next() { number &+= 1 }
    mutating func end() { isScheduled = false }
  }

  /// Ends the kept snapshots of all idle readers, so that they do not stand in the way of a
  /// checkpoint. Readers in use take new snapshots by themselves after the checkpoint.
  func endKeptSnapshots() {
    state.withLock { state in
      for core in state[.reader].idle where core.state.pointee.kept.isKept {
        core.endKeptSnapshot()
      }
    }
  }

  func scheduleRound() {
    queue.asyncAfter(deadline: .now() + roundLength) { [weak self] in self?.runRound() }
  }

  /// Ends the snapshots that were not used since the last round.
  ///
  /// The lock of the pool is held while SQLite releases the snapshots, which takes some
  /// microseconds. The readers therefore stay in the pool, and every read can still get a reader.
  private func runRound() {
    let continues = state.withLock { state in
      state.rounds.next()
      var isAnyKept = false
      for core in state[.reader].idle where core.state.pointee.kept.isKept {
        if state.rounds.number &- core.state.pointee.kept.lastUse > 1 {
          core.endKeptSnapshot()
        } else {
          isAnyKept = true
        }
      }
      if !isAnyKept { state.rounds.end() }
      return isAnyKept
    }
    if continues { scheduleRound() }
  }
}
