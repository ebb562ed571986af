import Apus

extension RowStream {
  /// Returns a publisher of the rows of this stream, which takes only as many rows as its
  /// subscriber demands.
  ///
  /// ```swift
  /// db.stream(Post.order(by: \.$createdAt)).publisher().sink { _ in … } receiveValue: { post in … }
  /// ```
  ///
  /// Each subscription reads the rows from a snapshot of its own, which is taken at the first
  /// demand. From then on, the subscription holds a connection until it has read all rows, until
  /// reading fails, or until it is cancelled. SQLite steps at most two batches ahead of the demand:
  /// see `RowStream`. The publisher completes when a row is demanded after the last one. The rows
  /// are sent one by one, on the threads of Swift's tasks. Use `receive(on:)` to receive them on
  /// another thread.
  public func publisher() -> AnyPublisher<Element, any Error> {
    PulledPublisher { self }.eraseToAnyPublisher()
  }
}
