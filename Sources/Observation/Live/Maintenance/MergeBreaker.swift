import SQLCore

/// The comparison of two costs, for all queries of one template: of differences, and of complete runs.
/// While differences cost clearly more, the queries run again.
///
/// State: closed, with strikes for slow differences → resting, for a number of updates → closed, with
/// half of the strikes, so that a few slow differences begin a rest of twice the length. Fast
/// differences take the strikes away, one by one: the state does not swing from commit to commit.
///
/// The times exclude the wait for a connection.
final class MergeBreaker: Sendable {
  private struct State {
    /// The mean time of a run; nil before the first one.
    var run: Duration?
    var strikes = 0
    /// The number of further updates for which the queries run again.
    var rest = 0
    var length = shortestRest
  }

  private static let maximumStrikes = 8
  private static let shortestRest = 32
  private static let longestRest = 1_024
  /// The time below which a difference is never too slow.
  private static let negligible = Duration.milliseconds(1)

  private let state = Lock(State())

  /// Returns whether to calculate a difference now; false while the queries run again.
  func takesMerge() -> Bool {
    state.withLock { state in
      guard state.rest > 0 else { return true }
      state.rest -= 1
      return false
    }
  }

  /// Whether the queries run again.
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
