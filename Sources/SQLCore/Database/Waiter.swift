/// One access that waits for a connection: it is granted one or ended, whichever comes first; and
/// while it runs it can be ended as well.
final class Waiter: Sendable {
  typealias Answer = @Sendable (Result<ConnectionPool.Grant, any Error>) -> Void

  private enum State {
    /// Made, and not yet told whom to answer.
    case idle
    case waiting(Answer)
    /// Granted; from here on it is not the waiter that ends it.
    case granted
    /// It uses a connection, under that lease.
    case running(ConnectionCore, lease: UInt64)
    /// It ended before it ran, for that reason.
    case endedEarly(any Error)
    /// It is over.
    case ended
  }

  private let state = Lock(State.idle)
  /// What it writes, where it can share a commit.
  let sharedWrite: (any SharedWrite)?

  /// Whether it is a look of the library's own, which nobody asked for.
  let isLook: Bool

  init(sharedWrite: (any SharedWrite)? = nil, isLook: Bool = false) {
    self.sharedWrite = sharedWrite
    self.isLook = isLook
  }

  /// Begins to wait; returns why it ended, where it did before it began.
  func begin(_ answer: @escaping Answer) -> (any Error)? {
    state.withLock { state in
      if case .endedEarly(let error) = state { return error }
      state = .waiting(answer)
      return nil
    }
  }

  /// Answers with a grant; false where nobody waits any more.
  func grant(_ grant: ConnectionPool.Grant) -> Bool {
    guard let answer = stopWaiting(to: .granted) else { return false }
    answer(.success(grant))
    return true
  }

  /// Takes it out of its queue, to be run by somebody who has a connection; false where nobody
  /// waits any more.
  func join() -> Bool {
    stopWaiting(to: .granted) != nil
  }

  /// It uses a connection now; where it was cancelled in between, the lease is marked.
  func run(on core: ConnectionCore) {
    let lease = core.lease
    let isCancelled = state.withLock { state -> Bool in
      if case .endedEarly = state { return true }
      state = .running(core, lease: lease)
      return false
    }
    if isCancelled { core.cancel(lease: lease) }
  }

  /// It uses the connection no longer.
  func finish() {
    state.withLock { $0 = .ended }
  }

  /// Ends it, waiting or running.
  func cancel() {
    let running = state.withLock { state -> (ConnectionCore, UInt64)? in
      switch state {
      case .running(let core, let lease): return (core, lease)
      case .granted:
        state = .endedEarly(CancellationError())
        return nil
      case .idle, .waiting, .endedEarly, .ended: return nil
      }
    }
    if let (core, lease) = running { return core.cancel(lease: lease) }
    endWaiting(with: CancellationError())
  }

  /// Ends its waiting; false where it does not wait.
  @discardableResult
  func endWaiting(with error: any Error) -> Bool {
    guard let answer = stopWaiting(to: .endedEarly(error)) else { return false }
    answer(.failure(error))
    return true
  }

  private func stopWaiting(to next: State) -> Answer? {
    state.withLock { state -> Answer? in
      switch state {
      case .waiting(let answer):
        state = next
        return answer
      case .idle:
        if case .endedEarly = next { state = next }
        return nil
      case .granted, .running, .endedEarly, .ended: return nil
      }
    }
  }
}
