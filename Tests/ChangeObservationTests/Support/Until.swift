import ChangeObservation
import Observation

/// Suspends until what `isTrue` reads of observable objects satisfies it, waiting for their changes.
@MainActor
func until(_ isTrue: @MainActor () -> Bool) async {
  while true {
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let done = withObservationTracking {
      isTrue()
    } onChange: {
      change.yield()
    }
    if done { return }
    for await _ in changes { break }
    // The change is told before it is made.
    await Task.yield()
  }
}

extension LivePhase {
  /// Why fetching failed; nil where it did not.
  var error: (any Error)? {
    if case .failed(let error) = self { error } else { nil }
  }

  var hasEnded: Bool {
    if case .ended = self { true } else { false }
  }
}
