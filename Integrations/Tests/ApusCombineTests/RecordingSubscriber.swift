import Apus
import ApusCombine
import Foundation

/// A subscriber that records what it receives, and demands and cancels what a test says.
///
/// `@unchecked Sendable`: every access to `state` holds the lock.
final class RecordingSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
  private struct State {
    var subscription: (any Subscription)?
    var values: [Input] = []
    var completions: [Subscribers.Completion<Failure>] = []
    var isReceiving = false
    var overlaps = 0
  }

  private let lock = NSLock()
  private var state = State()
  private let initialDemand: Subscribers.Demand
  private let onValue: (@Sendable (RecordingSubscriber, Input) -> Subscribers.Demand)?

  /// - Parameters:
  ///   - demand: the demand at the beginning.
  ///   - onValue: what to do with a value, and how many more to demand.
  init(
    demand: Subscribers.Demand,
    onValue: (@Sendable (RecordingSubscriber, Input) -> Subscribers.Demand)? = nil
  ) {
    initialDemand = demand
    self.onValue = onValue
  }

  var values: [Input] { lock.withLock { state.values } }
  var completions: [Subscribers.Completion<Failure>] { lock.withLock { state.completions } }
  var hasCompleted: Bool { !completions.isEmpty }
  /// The number of calls that began while another one was running.
  var overlaps: Int { lock.withLock { state.overlaps } }

  var failure: Failure? {
    if case .failure(let error) = completions.first { error } else { nil }
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { state.subscription }?.request(demand)
  }

  func cancel() {
    lock.withLock { state.subscription }?.cancel()
  }

  func receive(subscription: any Subscription) {
    lock.withLock { state.subscription = subscription }
    subscription.request(initialDemand)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    entering { $0.values.append(input) }
    defer { leaving() }
    return onValue?(self, input) ?? .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    entering { $0.completions.append(completion) }
    leaving()
  }

  private func entering(_ note: (inout State) -> Void) {
    lock.withLock {
      if state.isReceiving { state.overlaps += 1 }
      state.isReceiving = true
      note(&state)
    }
  }

  private func leaving() {
    lock.withLock { state.isReceiving = false }
  }
}

/// Waits until a condition holds. A test in which it never does hangs, and is ended by the
/// watchdog.
func until(_ condition: @Sendable () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
