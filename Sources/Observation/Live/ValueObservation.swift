import SQLCore

/// The value that a closure reads, given at once and again after each commit that touches what it
/// read: `db.observe { connection in … }`.
///
/// When the database is closed, the sequence finishes; one that begins afterwards throws. While a
/// table or column that the closure read before does not exist, because it was dropped, no value is
/// given; the next one is given when it exists again.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The value that the closure returns.
  public typealias Element = Value
  /// The errors that the closure throws.
  public typealias Failure = any Error

  private let database: Database
  private let read: @Sendable (Connection) throws -> Value
  private let isSame: (@Sendable (Value, Value) -> Bool)?

  init(
    in database: Database, isSame: (@Sendable (Value, Value) -> Bool)?,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) {
    self.database = database
    self.isSame = isSame
    self.read = read
  }

  /// Returns an iterator, which is an observation of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: ValueWatch(in: database, isSame: isSame, read))
  }

  /// An iterator over the values of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let watch: ValueWatch<Value>

    init(watch: ValueWatch<Value>) {
      self.watch = watch
    }

    /// Returns the first value at once, and each further one when it may differ. Returns nil if the
    /// task is cancelled or the database is closed.
    public mutating func next() async throws -> Value? {
      try await watch.next()
    }

    /// Returns the first value at once, and each further one when it may differ. Returns nil if the
    /// task is cancelled or the database is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Value? {
      try await watch.next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ValueObservation.Iterator: Sendable {}

extension Database {
  /// Observes the value that a closure reads: gives it at once, and again after each commit that
  /// touches what it read.
  ///
  /// ```swift
  /// for try await (posts, authors) in db.observe({ connection in
  ///   (try connection.count(Post.all), try connection.count(Author.all))
  /// }) { … }
  /// ```
  ///
  /// The closure reads from one snapshot, on a thread of the database, and may read other tables
  /// each time. Its statements are compiled for each run, since SQLite reports what a statement
  /// reads when it is compiled. Iterating throws the errors that the closure throws.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, isSame: nil, read)
  }

  /// Observes the value that a closure reads, and gives it again only if it is not equal to the one
  /// before.
  public func observe<Value: Sendable & Equatable>(
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, isSame: { $0 == $1 }, read)
  }
}
