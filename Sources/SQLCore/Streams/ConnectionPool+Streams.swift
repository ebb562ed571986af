// Streams have connections of their own. A stream that finds none does not wait for those of others,
// which may be held for ever; it waits for one that is on its way back.
extension ConnectionPool {
  private enum StreamAnswer {
    case granted(Grant)
    case mustWait
    case none
  }

  /// Answers the waiter with a connection for a stream, at once or when one comes back that is on
  /// its way; false where all are held.
  func takeForStream(waiter: Waiter) -> Bool {
    let answer = state.withLock { state -> StreamAnswer in
      if let grant = state.stream.take() { return .granted(grant) }
      guard state.stream.waiterCount < state.endingStreams else { return .none }
      state.stream.waiters.append(waiter)
      return .mustWait
    }
    switch answer {
    case .granted(let grant):
      _ = waiter.grant(grant)
      return true
    case .mustWait: return true
    case .none: return false
    }
  }

  /// Notes that a stream ends: it will give back its connection, or the room for one.
  func streamWillEnd() {
    state.withLock { $0.endingStreams += 1 }
  }

  /// Takes back `streamWillEnd`, for a stream that was granted nothing.
  func streamDidNotBegin() {
    state.withLock { $0.endingStreams -= 1 }
  }

  /// Leaves the thread of a stream that keeps its connection.
  func leaveThread() {
    let thread = ThreadID.current
    state.withLock { $0.leave(thread) }
  }
}

extension ConnectionPool.State {
  mutating func leave(_ thread: ThreadID) {
    guard let index = threads.lastIndex(of: thread) else { return }
    threads.swapAt(index, threads.count - 1)
    threads.removeLast()
  }
}

extension ConnectionPool.Lane {
  var waiterCount: Int { waiters.count - firstWaiter }
}
