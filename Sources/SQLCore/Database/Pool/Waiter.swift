/// An access that waits for a connection. The wait ends with a connection or an error, whichever
/// comes first. After that, the running access can still be cancelled.
final class Waiter: Sendable {
  typealias Answer = @Sendable (Result<ConnectionPool.Grant, any Error>) -> Void

  private enum State {
    /// Created, but not waiting yet.
    case idle
    /// Waiting for a connection. The second value notifies the listeners of `db.onWait` when the
    /// wait ends. It is nil if there are no listeners, or if the access is not in the waiting line.
    case waiting(Answer, AccessWaits.Running?)
    /// Granted a connection. The wait is over, but the access does not use the connection yet.
    case granted
    /// Using the connection. `lease` is the number of the access.
    case running(ConnectionCore, lease: UInt64)
    /// The access ended with this error before it got a connection.
    case endedEarly(any Error)
    /// Finished.
    case ended
  }

  private let state = Lock(State.idle)
  /// The write of this access, if it can share a commit.
  let sharedWrite: (any SharedWrite)?

  /// Whether the access is a probe: a read for the library itself.
  let isProbe: Bool

  init(sharedWrite: (any SharedWrite)? = nil, isProbe: Bool = false) {
    self.sharedWrite = sharedWrite
    self.isProbe = isProbe
  }

  /// Whether the access still waits. An access that was cancelled remains in the waiting line until
  /// its turn, but does not wait any more.
  var isWaiting: Bool {
    state.withLock { state in
      if case .waiting = state { return true }
      return false
    }
  }

  /// Begins to wait. Returns an error if the access was ended before it began to wait.
  func begin(_ answer: @escaping Answer) -> (any Error)? {
    state.withLock { state in
      if case .endedEarly(let error) = state { return error }
      state = .waiting(answer, nil)
      return nil
    }
  }

  /// Notes that the access was put into the waiting line, unless the access was cancelled before.
  /// When the wait ends, `wait` notifies the listeners of `db.onWait`.
  func stand(_ wait: AccessWaits.Running) {
    state.withLock { state in
      if case .waiting(let answer, _) = state { state = .waiting(answer, wait) }
    }
  }

  /// Gives a grant to the access, which ends the wait. Returns false if the access no longer waits.
  func grant(_ grant: ConnectionPool.Grant) -> Bool {
    guard let (answer, wait) = stopWaiting(to: .granted) else { return false }
    answer(.success(grant))
    wait?.end(wasGranted: true)
    return true
  }

  /// Ends the wait of a write that joins a shared transaction. This transaction already has the
  /// connection, and will run the write. Returns false if the access no longer waits.
  func join() -> Bool {
    guard let (_, wait) = stopWaiting(to: .granted) else { return false }
    wait?.end(wasGranted: true)
    return true
  }

  /// Notes that the access now uses a connection. If the access was cancelled after it was granted
  /// the connection, ends the access.
  func run(on core: ConnectionCore) {
    let lease = core.lease
    let isCancelled = state.withLock { state -> Bool in
      if case .endedEarly = state { return true }
      state = .running(core, lease: lease)
      return false
    }
    if isCancelled { core.cancel(lease: lease) }
  }

  /// Notes that the access no longer uses the connection.
  func finish() {
    state.withLock { $0 = .ended }
  }

  /// Cancels the access, whether it is waiting or running.
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

  /// Ends the waiting with an error. Returns false if the access does not wait.
  @discardableResult
  func endWaiting(with error: any Error) -> Bool {
    guard let (answer, wait) = stopWaiting(to: .endedEarly(error)) else { return false }
    answer(.failure(error))
    wait?.end(wasGranted: false)
    return true
  }

  private func stopWaiting(to next: State) -> (Answer, AccessWaits.Running?)? {
    state.withLock { state -> (Answer, AccessWaits.Running?)? in
      switch state {
      case .waiting(let answer, let wait):
        state = next
        return (answer, wait)
      case .idle:
        if case .endedEarly = next { state = next }
        return nil
      case .granted, .running, .endedEarly, .ended: return nil
      }
    }
  }
}
