/// A publisher of the elements of an asynchronous sequence, at the pace of each subscriber.
///
/// Each subscription makes a sequence of its own. Its next element is asked for only while the
/// subscriber demands one, and cancelling the subscription cancels the task that waits for it.
struct PulledPublisher<Base: AsyncSequence & Sendable>: Publisher where Base.Element: Sendable {
  typealias Output = Base.Element
  typealias Failure = Base.Failure

  /// The number of elements after which the publisher completes without asking for another; nil to
  /// complete when the sequence ends.
  var count: Int?
  /// Makes the sequence of a subscription, when it begins.
  let makeSequence: () -> Base

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = PullSubscription(makeSequence(), count: count, to: subscriber)
    subscriber.receive(subscription: subscription)
    subscription.activate()
  }
}
