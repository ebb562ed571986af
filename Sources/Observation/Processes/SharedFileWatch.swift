import SQLCore

/// The watch of a database's file, which exists while at least one observer needs it.
///
/// State: unwatched ⇄ watched for some observers → ended, when the database is closed. One lock
/// guards both the count and the watch. An observer that begins while the last one ends either
/// shares the existing watch, which then stays, or creates a new one.
final class SharedFileWatch<Watch: Sendable>: Sendable {
  private enum State {
    case unwatched
    case watched(Watch, count: Int)
    case ended
  }

  private let state = Lock(State.unwatched)

  /// Whether the file is watched.
  var isWatched: Bool {
    state.withLock { if case .watched = $0 { true } else { false } }
  }

  /// Begins the watch for one more observer; the first one creates it.
  func begin(_ make: () -> Watch) {
    state.withLock { state in
      switch state {
      case .unwatched: state = .watched(make(), count: 1)
      case .watched(let watch, let count): state = .watched(watch, count: count + 1)
      case .ended: break
      }
    }
  }

  /// Ends the watch for one observer; the last one releases it.
  func end() {
    let last = state.withLock { state -> Watch? in
      guard case .watched(let watch, let count) = state else { return nil }
      state = count > 1 ? .watched(watch, count: count - 1) : .unwatched
      return count > 1 ? nil : watch
    }
    // The watch is released outside the lock.
    withExtendedLifetime(last) {}
  }

  /// Ends the watch, and prevents any new one.
  func endForEver() {
    let last = state.withLock { state -> Watch? in
      defer { state = .ended }
      guard case .watched(let watch, _) = state else { return nil }
      return watch
    }
    withExtendedLifetime(last) {}
  }
}
