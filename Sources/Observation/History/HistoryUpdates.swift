import SQLCore

/// The observers that are notified when the steps of a history may have changed.
final class HistoryUpdates: Sendable {
  private struct State {
    var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextID: UInt64 = 0
    var isEnded = false
  }

  private let state = Lock(State())

  deinit { end() }

  /// Returns a stream with an element at once, and another one after each change. Changes that come
  /// before the element is taken give one element together.
  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let id = state.withLock { state -> UInt64? in
      guard !state.isEnded else { return nil }
      state.nextID += 1
      state.observers[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
    }
    return stream
  }

  func send() {
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  func end() {
    let observers = state.withLock { state in
      state.isEnded = true
      defer { state.observers = [:] }
      return Array(state.observers.values)
    }
    for observer in observers { observer.finish() }
  }
}
