import Apus
import Dispatch

extension QueryObservation {
  /// Returns a publisher of the results of this observation: the first result at once, and another
  /// one after each commit that changes the result.
  ///
  /// ```swift
  /// db.observe(Post.where { $0.$status == .published }).publisher()
  ///   .sink { completion in … } receiveValue: { posts in … }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Each subscription is an observation of its own, which begins with the first demand. A result
  /// is skipped if a newer result exists before the subscriber demands one. The results are sent on
  /// `scheduler`, which is the main queue by default. The publisher completes when the database is
  /// closed. It fails with the errors that a loop over the observation would throw.
  public func publisher(
    on scheduler: some Scheduler = DispatchQueue.main
  ) -> AnyPublisher<Results<Row>, any Error> {
    PulledPublisher { self }.receive(on: scheduler).eraseToAnyPublisher()
  }
}

extension ValueObservation {
  /// Returns a publisher of the values of this observation: the first value at once, and another
  /// one after each commit that may change the value.
  ///
  /// ```swift
  /// db.observe { try $0.count(Post.all) }.publisher().sink { _ in … } receiveValue: { count in … }
  /// ```
  ///
  /// Otherwise, this works like the publisher of a `QueryObservation`.
  public func publisher(
    on scheduler: some Scheduler = DispatchQueue.main
  ) -> AnyPublisher<Value, any Error> {
    PulledPublisher { self }.receive(on: scheduler).eraseToAnyPublisher()
  }
}
