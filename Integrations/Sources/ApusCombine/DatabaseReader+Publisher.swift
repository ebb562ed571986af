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
  /// The closure does not run before a subscriber demands the value. It runs once for each
  /// subscriber, on a thread of the database. The value and the completion are sent on `scheduler`,
  /// which is the main queue by default. If the subscriber cancels, the running statement or the
  /// wait for a connection ends. The publisher fails with the errors that `read` throws.
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
  /// `scheduler`, the main queue by default, after the commit. If the subscriber cancels before the
  /// commit, the transaction is rolled back. The publisher fails with the errors that `write`
  /// throws.
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
