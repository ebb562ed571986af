import SQLCore

/// What a closure reads, first as it is and again after each commit that touches what it read:
/// `db.observe { connection in … }`.
///
/// When the database is closed, the sequence finishes; one that begins then throws. While a table or
/// column that the closure read before is not there, because it was dropped, no value is told; the
/// next one comes when it is there again.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// What the closure returns.
  public typealias Element = Value
  /// What the closure throws.
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

  /// Gives the values.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: ValueWatch(in: database, isSame: isSame, read))
  }

  /// Gives the values of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let watch: ValueWatch<Value>

    init(watch: ValueWatch<Value>) {
      self.watch = watch
    }

    /// The value, at once or when it may differ; nil once the task is cancelled, and
    /// when the database is closed.
    public mutating func next() async throws -> Value? {
      try await watch.next()
    }

    /// The value, at once or when it may differ; nil once the task is cancelled, and
    /// when the database is closed.
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
  /// What a closure reads, and again after each commit that touches what it read.
  ///
  /// ```swift
  /// for try await (posts, authors) in db.observe({ connection in
  ///   (try connection.count(Post.all), try connection.count(Author.all))
  /// }) { … }
  /// ```
  ///
  /// The closure reads from one snapshot, on a thread of the database, and may read other tables
  /// each time. Its statements are compiled anew each time, which is how SQLite tells what they
  /// read. Rethrows what the closure throws.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, isSame: nil, read)
  }

  /// The same, of a value that can be compared: one that is equal to the one before is not told.
  public func observe<Value: Sendable & Equatable>(
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, isSame: { $0 == $1 }, read)
  }
}
