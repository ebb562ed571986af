/// Whether the task that waits for a long job was cancelled; ends what its connections run.
final class JobCancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The accesses that run statements of the job; a later one of the same connection is another.
    var running: [(core: ConnectionCore, lease: UInt64)] = []
  }

  private let state = Lock(State())

  func cancel() {
    let running = state.withLock { state in
      state.isCancelled = true
      return state.running
    }
    for (core, lease) in running { core.cancel(lease: lease) }
  }

  func check() throws {
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
  }

  /// From here on, cancelling ends what the connection runs.
  func cover(_ core: ConnectionCore) throws {
    let lease = core.lease
    state.withLock { $0.running.append((core, lease)) }
    try check()
  }
}
