import ChangeObservation
import Observation

/// Suspends until `isTrue` holds, waiting for changes of the observable objects that it reads.
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
    // The change is reported before it is made.
    await Task.yield()
  }
}

extension LivePhase {
  /// The error of a failed fetch, or nil.
  var error: (any Error)? {
    if case .failed(let error) = self { error } else { nil }
  }

  var hasEnded: Bool {
    if case .ended = self { true } else { false }
  }
}
