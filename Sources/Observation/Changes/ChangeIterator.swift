import SQLCore

/// An iterator over the elements of a stream of changes.
public struct ChangeIterator<Element: Sendable>: AsyncIteratorProtocol {
  /// nil for a type that cannot be a model, which has no table and so no changes.
  private let feed: ChangeFeed<Element>?

  init(_ feed: ChangeFeed<Element>?) {
    self.feed = feed
  }

  /// Returns the next element, or nil if the task is cancelled and after the last element of a
  /// database that was closed.
  public mutating func next() async -> Element? {
    await feed?.next()
  }

  /// Returns the next element, or nil if the task is cancelled and after the last element of a
  /// database that was closed.
  public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
    await feed?.next()
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ChangeIterator: Sendable {}
