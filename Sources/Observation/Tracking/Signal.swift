import SQLCore

/// Says to tasks that there is something for them.
///
/// A signal that nobody waits for is kept, once. Unlike a stream of the standard library it goes on
/// after a task that waited for it was cancelled.
final class Signal: Sendable {
  private struct State {
    var isGiven = false
    /// Whether it is given for ever.
    var isLasting = false
    var waiting: [UInt64: UnsafeContinuation<Bool, Never>] = [:]
    /// Cancelled before they came to wait.
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())

  /// Wakes all who wait, or else the next who would.
  func give() {
    let waiting = state.withLock { state in
      state.isGiven = state.waiting.isEmpty
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: true) }
  }

  /// Wakes all who wait, and all who would from now on.
  func giveForEver() {
    state.withLock { $0.isLasting = true }
    give()
  }

  /// Waits for it; false once the task is cancelled.
  nonisolated(nonsending)
    func wait() async -> Bool
  {
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
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
