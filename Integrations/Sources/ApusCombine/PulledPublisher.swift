/// A publisher of the elements of an asynchronous sequence, at the pace of each subscriber.
///
/// Each subscription has a sequence of its own. The next element of the sequence is requested only
/// if the subscriber demands an element. If the subscription is cancelled, the task that waits for
/// the element is cancelled, too.
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
