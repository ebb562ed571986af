import SQLCore

/// A circuit breaker that all live queries of one template share. Usually only the difference that
/// a commit makes is calculated. While this costs clearly more than running the query again, the
/// queries run again instead.
///
/// State: closed → resting → closed.
///
/// While closed, each slow difference adds a strike, and each fast difference removes one. With
/// enough strikes, a rest begins, in which the queries run again for a number of updates. After the
/// rest, half of the strikes remain. So a few more slow differences begin another rest, which is
/// twice as long. Because several strikes are needed, a single slow commit does not change the
/// state.
///
/// The measured times exclude the wait for a connection.
final class MergeBreaker: Sendable {
  private struct State {
    /// The mean time of a complete run of the query; nil before the first run.
    var run: Duration?
    var strikes = 0
    /// The number of updates until the rest ends; 0 without a rest.
    var rest = 0
    var length = shortestRest
  }

  private static let maximumStrikes = 8
  private static let shortestRest = 32
  private static let longestRest = 1_024
  /// A difference that is calculated in less than this time never counts as slow.
  private static let negligible = Duration.milliseconds(1)

  private let state = Lock(State())

  /// Returns whether to calculate a difference for this update. During a rest, counts the update
  /// and returns false.
  func takesMerge() -> Bool {
    state.withLock { state in
      guard state.rest > 0 else { return true }
      state.rest -= 1
      return false
    }
  }

  /// Whether the queries run again for now, because a rest is in progress.
  var isResting: Bool { state.withLock { $0.rest > 0 } }

  func noteRun(_ time: Duration) {
    state.withLock { state in
      state.run = state.run.map { $0 * 3 / 4 + time / 4 } ?? time
    }
  }

  func noteMerge(_ time: Duration) {
    state.withLock { state in
      guard let run = state.run else { return }
      if time > Self.negligible, time > run * 2 {
        state.strikes += 1
        guard state.strikes >= Self.maximumStrikes else { return }
        (state.rest, state.strikes) = (state.length, Self.maximumStrikes / 2)
        state.length = min(state.length * 2, Self.longestRest)
      } else if time < run, state.strikes > 0 {
        state.strikes -= 1
        if state.strikes == 0 { state.length = Self.shortestRest }
      }
    }
  }
}
