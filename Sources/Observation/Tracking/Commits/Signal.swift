import SQLCore

/// A signal that wakes tasks that wait for something to do.
///
/// A signal that no task waits for is kept, but only once. Unlike a stream of the standard library,
/// it remains usable after a waiting task was cancelled.
final class Signal: Sendable {
  private struct State {
    var isGiven = false
    /// Whether it stays given for all future waits.
    var isLasting = false
    var waiting: [UInt64: UnsafeContinuation<Bool, Never>] = [:]
    /// The waits that were cancelled before they were entered in `waiting`.
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())

  /// Wakes all waiting tasks. If no task waits, the next one that would wait continues at once.
  func give() {
    let waiting = state.withLock { state in
      state.isGiven = state.waiting.isEmpty
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: true) }
  }

  /// Wakes all tasks that wait now or later.
  func giveForEver() {
    state.withLock { $0.isLasting = true }
    give()
  }

  /// Waits until the signal is given. Returns false if the task is cancelled.
  ///
  /// The operation captures the caller's actor, so that it runs there.
  func wait(isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    return await withTaskCancellationHandler {
      _ = actor
      return await withUnsafeContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          guard !state.cancelled.contains(id) else { return false }
          guard !state.isGiven, !state.isLasting else {
            state.isGiven = false
            return true
          }
          state.waiting[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: id)
        if continuation == nil { state.cancelled.insert(id) }
        return continuation
      }
      continuation?.resume(returning: false)
    }
  }
}
