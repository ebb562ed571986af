/// The cancellation of a long job: it notes that the waiting task was cancelled, and ends the
/// statements of the job's connections.
final class JobCancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The accesses that run statements of the job. A later access of the same connection has
    /// another lease, and is not affected.
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

  /// Registers a connection, so that cancelling ends its statements. Throws if the job is already
  /// cancelled.
  func cover(_ core: ConnectionCore) throws {
    let lease = core.lease
    state.withLock { $0.running.append((core, lease)) }
    try check()
  }
}
