import Foundation

/// A subscription whose task takes elements from an asynchronous sequence while there is demand.
///
/// `@unchecked Sendable`: every access to `state` holds the lock. The subscriber and the sequence
/// are called only while the lock is not held. Only the task calls the subscriber, so calls of the
/// subscriber never overlap.
final class PullSubscription<Base: AsyncSequence & Sendable, Downstream: Subscriber>:
  Subscription, ElementTaker, @unchecked Sendable
where
  Base.Element: Sendable, Downstream.Input == Base.Element, Downstream.Failure == Base.Failure
{
  private enum State {
    /// The subscriber has not yet received the subscription, so no element may be sent.
    case attaching(Base, Downstream, demand: Subscribers.Demand)
    /// No element was demanded so far, and nothing runs.
    case idle(Base, Downstream)
    /// The task runs. `waiting` resumes it if it waits for demand.
    case running(
      Downstream, demand: Subscribers.Demand, Task<Void, Never>?, waiting: Continuation?)
    /// The subscriber has received the completion, or has cancelled. Nothing more is sent.
    case ended
  }

  private typealias Continuation = CheckedContinuation<Void, Never>

  private let lock = NSLock()
  private var state: State
  private let count: Int?

  init(_ sequence: Base, count: Int?, to downstream: Downstream) {
    state = .attaching(sequence, downstream, demand: .none)
    self.count = count
  }

  /// Allows elements to be sent. The publisher calls this after the subscriber has received the
  /// subscription.
  func activate() {
    let demand: Subscribers.Demand? = lock.withLock {
      guard case .attaching(let sequence, let downstream, let demand) = state else { return nil }
      state = .idle(sequence, downstream)
      return demand
    }
    if let demand { request(demand) }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let waiting: Continuation? = lock.withLock {
      switch state {
      case .attaching(let sequence, let downstream, let earlier):
        state = .attaching(sequence, downstream, demand: earlier + demand)
      case .idle(let sequence, let downstream):
        // The task may begin at once, but it cannot access the state before this closure has
        // released the lock.
        state = .running(downstream, demand: demand, task(taking: sequence), waiting: nil)
      case .running(let downstream, let earlier, let task, let waiting):
        state = .running(downstream, demand: earlier + demand, task, waiting: nil)
        return waiting
      case .ended: break
      }
      return nil
    }
    waiting?.resume()
  }

  func cancel() {
    // `old` keeps the old state until the lock was released, because releasing the state may call
    // the subscriber's `deinit`.
    let old = end()
    if case .running(_, _, let task, let waiting) = old {
      task?.cancel()
      waiting?.resume()
    }
  }

  private func end() -> State {
    lock.withLock {
      defer { state = .ended }
      return state
    }
  }

  // MARK: The task

  private func task(taking sequence: Base) -> Task<Void, Never> {
    // The task captures `self` without the generic type of the subscriber, because the conformances
    // of this type may be isolated to an actor.
    let taker: any ElementTaker<Base> = self
    return Task { await taker.run(sequence) }
  }

  func run(_ sequence: Base) async {
    var iterator = sequence.makeAsyncIterator()
    var sent = 0
    while await hasDemand() {
      do {
        guard let element = try await iterator.next(isolation: nil) else {
          return complete(.finished)
        }
        send(element)
        sent += 1
        if sent == count { return complete(.finished) }
      } catch {
        return complete(.failure(error))
      }
    }
  }

  /// Waits until an element is demanded. Returns false if the subscription has ended.
  private func hasDemand() async -> Bool {
    await withCheckedContinuation { continuation in
      let goesOn = lock.withLock {
        guard case .running(let downstream, let demand, let task, _) = state, demand == .none
        else { return true }
        state = .running(downstream, demand: demand, task, waiting: continuation)
        return false
      }
      if goesOn { continuation.resume() }
    }
    return lock.withLock { if case .running = state { true } else { false } }
  }

  private func send(_ element: Base.Element) {
    let receiver: Downstream? = lock.withLock {
      guard case .running(let downstream, let demand, let task, let waiting) = state else {
        return nil
      }
      state = .running(downstream, demand: demand - 1, task, waiting: waiting)
      return downstream
    }
    guard let receiver else { return }
    request(receiver.receive(element))
  }

  private func complete(_ completion: Subscribers.Completion<Base.Failure>) {
    if case .running(let downstream, _, _, _) = end() {
      downstream.receive(completion: completion)
    }
  }
}

/// An object whose task takes the elements of a sequence.
protocol ElementTaker<Base>: AnyObject, Sendable {
  associatedtype Base: AsyncSequence & Sendable
  /// Takes the elements of a sequence while they are wanted.
  func run(_ sequence: Base) async
}
