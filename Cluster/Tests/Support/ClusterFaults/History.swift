import Apus
import Foundation

/// A value behind a lock.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// The writes that were acknowledged or refused, and the rules that were violated.
final class History: Sendable {
  struct Settled {
    /// The numbers of each writer that are acknowledged.
    var entries: [Int: Set<Int>] = [:]
    /// The numbers that were reported as not run.
    var refused: [Int: Set<Int>] = [:]
    var elements: Set<Int> = []
  }

  private struct State {
    var settled = Settled()
    var violations: [String] = []
    var acknowledged = 0
    var repeated = 0
    var unknown = 0
    var notRun = 0
    var other: [String: Int] = [:]
    var reads = 0
    var failedReads = 0
    var hasEnded = false
    /// How long the writes took that were acknowledged since `takePace`, from their first attempt on.
    var times: [Duration] = []
    var lastTime = ContinuousClock.now
    var longestPause = Duration.zero

    mutating func acknowledge(since start: ContinuousClock.Instant) {
      let now = ContinuousClock.now
      acknowledged += 1
      times.append(now - start)
      longestPause = max(longestPause, now - lastTime)
      lastTime = now
    }
  }

  /// The writes of a part of a trial: how many there were, how long they took, and the longest time
  /// without one.
  struct Pace {
    var count: Int
    var median: Duration
    var p99: Duration
    var longestPause: Duration
  }

  private let state = Locked(State())

  var settled: Settled { state.withLock { $0.settled } }
  var violations: [String] { state.withLock { $0.violations } }
  var acknowledged: Int { state.withLock { $0.acknowledged } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func end() { state.withLock { $0.hasEnded = true } }

  func violate(_ text: String) {
    print("\nVIOLATED: \(text)")
    state.withLock { $0.violations.append(text) }
  }

  func acknowledge(entry number: Int, of writer: Int, since start: ContinuousClock.Instant) {
    state.withLock {
      $0.settled.entries[writer, default: []].insert(number)
      $0.acknowledge(since: start)
    }
  }

  func acknowledge(element: Int, since start: ContinuousClock.Instant) {
    state.withLock {
      $0.settled.elements.insert(element)
      $0.acknowledge(since: start)
    }
  }

  /// Returns the pace of the writes since the last call.
  func takePace() -> Pace {
    state.withLock { state in
      let times = state.times.sorted()
      let now = ContinuousClock.now
      defer { (state.times, state.longestPause, state.lastTime) = ([], .zero, now) }
      func quantile(_ share: Double) -> Duration {
        times.isEmpty ? .zero : times[min(times.count - 1, Int(Double(times.count) * share))]
      }
      return Pace(
        count: times.count, median: quantile(0.5), p99: quantile(0.99),
        longestPause: max(state.longestPause, now - state.lastTime))
    }
  }

  func refuse(entry number: Int, of writer: Int) {
    state.withLock { _ = $0.settled.refused[writer, default: []].insert(number) }
  }

  func count(_ isRepeated: Bool) { if isRepeated { state.withLock { $0.repeated += 1 } } }

  func countRead() { state.withLock { $0.reads += 1 } }

  func failRead() { state.withLock { $0.failedReads += 1 } }

  func fail(_ error: any Error) {
    state.withLock {
      switch (error as? RemoteSessionError)?.outcome {
      case .unknown?: $0.unknown += 1
      case .notRun?: $0.notRun += 1
      case nil: $0.other["\(error)", default: 0] += 1
      }
    }
  }

  var summary: String {
    state.withLock {
      """
      \($0.acknowledged) writes acknowledged; \($0.unknown) calls threw an unknown outcome, \
      \($0.notRun) that nothing was changed, \($0.other.values.reduce(0, +)) another error \
      \($0.other.sorted { $0.value > $1.value }.prefix(5).map { "(\($0.value) × \($0.key))" }.joined()); \
      \($0.repeated) keys were found committed by an attempt whose outcome was unknown; \
      \($0.reads) reads, \($0.failedReads) failed
      """
    }
  }
}
