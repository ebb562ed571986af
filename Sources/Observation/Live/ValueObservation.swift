import SQLCore

/// A sequence of the values that a closure reads: `db.observe { connection in … }`. It gives the
/// first value at once, and a new value after each commit that touches what the closure read.
///
/// ```swift
/// for try await count in db.observe({ try $0.count(Post.all) }) {
///   print(count)
/// }
/// ```
///
/// When the database is closed, the sequence finishes. A sequence that begins afterwards throws. If
/// a table or column that the closure read is dropped, the sequence gives no value. The next value
/// follows when the table or column exists again.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The value that the closure returns.
  public typealias Element = Value
  /// The errors that the closure throws.
  public typealias Failure = any Error

  private let database: Database
  private let read: @Sendable (Connection) throws -> Value
  private let isSame: (@Sendable (Value, Value) -> Bool)?
  private let interval: Duration?

  init(
    in database: Database, every interval: Duration?,
    isSame: (@Sendable (Value, Value) -> Bool)?,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) {
    self.database = database
    self.interval = interval
    self.isSame = isSame
    self.read = read
  }

  /// Returns an iterator. Each iterator is a separate observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: ValueWatch(in: database, isSame: isSame, read), pace: Pace(interval))
  }

  /// An iterator over the values of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let watch: ValueWatch<Value>
    private var pace: Pace

    init(watch: ValueWatch<Value>, pace: Pace) {
      self.watch = watch
      self.pace = pace
    }

    /// Returns the next value. The first call returns the first value. Each later call waits until
    /// the value may have changed, and returns the new value. Returns nil if the task is cancelled
    /// or the database is closed.
    public mutating func next() async throws -> Value? {
      guard await pace.wait() else { return nil }
      defer { pace.begin() }
      return try await watch.next()
    }

    /// Returns the next value. The first call returns the first value. Each later call waits until
    /// the value may have changed, and returns the new value. Returns nil if the task is cancelled
    /// or the database is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Value? {
      guard await pace.wait() else { return nil }
      defer { pace.begin() }
      return try await watch.next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ValueObservation.Iterator: Sendable {}

extension Database {
  /// Returns a sequence of the values that a closure reads: the first value at once, and a new
  /// value after each commit that touches what the closure read.
  ///
  /// ```swift
  /// for try await (posts, authors) in db.observe({ connection in
  ///   (try connection.count(Post.all), try connection.count(Author.all))
  /// }) { … }
  /// ```
  ///
  /// The closure reads from one snapshot, on a thread of the database, and may read different
  /// tables in each run. Its statements are compiled for each run, because SQLite reports what a
  /// statement reads only while the statement is compiled. Iterating throws the errors that the
  /// closure throws.
  ///
  /// - Parameter interval: The shortest time between two values.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    every interval: Duration? = nil, _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, every: interval, isSame: nil, read)
  }

  /// Returns a sequence of the values that a closure reads. A new value is given only if it differs
  /// from the previous value.
  ///
  /// - Parameter interval: The shortest time between two values.
  public func observe<Value: Sendable & Equatable>(
    every interval: Duration? = nil, _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, every: interval, isSame: { $0 == $1 }, read)
  }
}

/// One observation of a value that a closure reads.
///
/// State: not begun → holding a value → ended, when the watch is released. After an error, the held
/// value may be stale.
///
/// `@unchecked Sendable`: only one task uses the watch at a time. This is the task of the iterator
/// or of the user-interface object that created the watch.
final class ValueWatch<Value: Sendable>: LiveWatch, ObservedResult, @unchecked Sendable {
  let watch: TableWatch
  private let read: @Sendable (Connection) throws -> Value
  private let isSame: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?
  private var tables: [QualifiedTableName: Subscription.Interest] = [:]
  /// Whether the value contains all commits that the watch has taken from the queue; false after an
  /// error.
  private var isCurrent = false
  /// The cost of the value so far.
  private let cost = Lock(LiveCost())
  private var entry: SharedResults.Entry?

  init(
    in database: Database, isSame: (@Sendable (Value, Value) -> Bool)?,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) {
    watch = TableWatch(database)
    self.isSame = isSame
    self.read = read
    entry = ChangeTracker.of(database)?.sharedResults.enter(self)
  }

  deinit { entry?.remove(cost.withLock { $0 }) }

  var status: LiveStatus.Query {
    LiveStatus.Query(sql: "observe { }", cost.withLock { $0 }, observers: 1)
  }

  /// Returns the next value. The first call returns the first value. Each later call waits until
  /// the value may have changed, and returns the new value. Returns nil if the task is cancelled or
  /// the database is closed.
  func next() async throws -> Value? {
    do {
      guard let last else {
        last = try await evaluate()
        return last
      }
      repeat {
        if case .none = watch.takeTouch() { continue }
        guard let value = try await evaluateIfThere() else { continue }
        if let isSame, isSame(last, value) { continue }
        self.last = value
        return value
      } while await watch.wait()
      return nil
    } catch  where Task.isCancelled || last != nil && watch.hasEnded {
      return nil
    }
  }

  func answerRefreshes() { watch.answerRefreshes() }
  func end() { watch.end() }

  /// Waits until the value may have changed, and then runs the closure. The first step does not
  /// wait. After an error, the next step runs the closure as soon as something that the closure
  /// read before changes. If a table or column does not exist, the next step also runs the closure
  /// as soon as the schema changes.
  ///
  /// This method is `@concurrent`, so that it does not occupy the caller's actor.
  @concurrent
  func step(isFirst: Bool) async -> LiveStep<Value> {
    do {
      if !isFirst {
        guard await watch.wait() else { return .ended(isClosed: !Task.isCancelled) }
        if case .none = watch.takeTouch() { return isCurrent ? .unchanged : .stillFailed }
      }
      isCurrent = false
      let value = try await evaluateOrWatchSchema()
      isCurrent = true
      if let isSame, let last, isSame(last, value) { return .unchanged }
      last = value
      return .result(value, missing: nil)
    } catch {
      if Task.isCancelled { return .ended(isClosed: false) }
      return watch.hasEnded ? .ended(isClosed: true) : .failed(error)
    }
  }

  /// Returns the value. If a table or column does not exist, also begins to watch for its creation.
  private func evaluateOrWatchSchema() async throws -> Value {
    do {
      return try await evaluate()
    } catch let error as DatabaseError where error.isMissingName {
      // The table may have been created between the read and the subscription.
      guard watch.watchSchema() else { throw error }
      return try await evaluate()
    }
  }

  /// Returns the value. If a table or column that the closure names does not exist, returns nil and
  /// watches for its creation.
  private func evaluateIfThere() async throws -> Value? {
    do {
      return try await evaluate()
    } catch let error as DatabaseError where error.isMissingName {
      // The table may have been created between the read and the subscription, so the closure runs
      // again.
      return watch.watchSchema() ? try await evaluateIfThere() : nil
    }
  }

  /// Runs the closure. If the closure read a table or column that was not watched, runs the closure
  /// again, because a commit may have come after the read and before the watch began.
  private func evaluate() async throws -> Value {
    let (watch, read, isFirst) = (watch, read, last == nil)
    while true {
      let start = ContinuousClock.now
      let (value, tables) = try await watch.reading(hops: true, isFirst: isFirst) { core in
        try core.run(cached: "BEGIN DEFERRED")
        let (value, dependencies) = try core.recordingReads { try read(core.lend()) }
        let interests = try core.lend().interests(of: dependencies)
        try core.run(cached: "COMMIT")
        return (value, interests)
      }
      try Task.checkCancellation()
      cost.withLock { cost in
        cost.countFetch(since: start)
        cost.explanation = RerunReason("it is a closure").sentence + "."
        cost.tablesOfAllRows = tables.keys.map(\.name).sorted()
      }
      if watch.covers(tables) { return value }
      self.tables.merge(tables) { known, new in
        guard let columns = known.columns, let others = new.columns else {
          return Subscription.Interest()
        }
        return Subscription.Interest(columns: columns.union(others))
      }
      watch.watch(self.tables)
    }
  }
}
