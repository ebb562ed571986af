import Apus
import Dispatch

extension DatabaseReader {
  /// Returns a publisher of the value that a closure reads from one snapshot.
  ///
  /// ```swift
  /// db.readPublisher { try $0.count(Post.all) }
  ///   .sink { completion in … } receiveValue: { count in … }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Nothing runs before a value is demanded, and each subscriber causes a read of its own, on a
  /// thread of the database. The value and the completion arrive on `scheduler`, the main queue by
  /// default. Cancelling ends the statement or the waiting. The publisher fails with what `read`
  /// throws.
  public func readPublisher<Value: Sendable>(
    on scheduler: some Scheduler = DispatchQueue.main, deadline: Duration? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) -> AnyPublisher<Value, any Error> {
    PulledPublisher(count: 1) {
      SingleValue { try await self.read(on: .background, deadline: deadline, body) }
    }
    .receive(on: scheduler).eraseToAnyPublisher()
  }
}

extension Database {
  /// Returns a publisher of the value that a closure returns from a transaction.
  ///
  /// ```swift
  /// db.writePublisher { try $0.insert(post) }.sink { _ in … } receiveValue: { _ in … }
  /// ```
  ///
  /// Each subscriber that demands the value causes one transaction. The value arrives on
  /// `scheduler`, the main queue by default, after the commit. Cancelling before the commit rolls
  /// the transaction back. The publisher fails with what `write` throws.
  public func writePublisher<Value: Sendable>(
    on scheduler: some Scheduler = DispatchQueue.main, label: String? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) -> AnyPublisher<Value, any Error> {
    PulledPublisher(count: 1) {
      SingleValue { try await self.write(label: label, body) }
    }
    .receive(on: scheduler).eraseToAnyPublisher()
  }
}
