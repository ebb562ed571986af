import SQLCore

/// The watch of a database's file, which is there while at least one observer needs it.
///
/// State: unwatched ⇄ watched by some observers → ended, when the database is closed. One lock guards
/// the count together with the watch: an observer that comes while the last one goes either shares
/// its watch, which then stays, or begins a new one.
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

  /// One more observer needs the watch: the first one makes it.
  func begin(_ make: () -> Watch) {
    state.withLock { state in
      switch state {
      case .unwatched: state = .watched(make(), count: 1)
      case .watched(let watch, let count): state = .watched(watch, count: count + 1)
      case .ended: break
      }
    }
  }

  /// An observer goes: the watch goes with the last one.
  func end() {
    let last = state.withLock { state -> Watch? in
      guard case .watched(let watch, let count) = state else { return nil }
      state = count > 1 ? .watched(watch, count: count - 1) : .unwatched
      return count > 1 ? nil : watch
    }
    // It is let go outside the lock.
    withExtendedLifetime(last) {}
  }

  /// There is nothing to watch any more, whoever comes.
  func endForEver() {
    let last = state.withLock { state -> Watch? in
      defer { state = .ended }
      guard case .watched(let watch, _) = state else { return nil }
      return watch
    }
    withExtendedLifetime(last) {}
  }
}
