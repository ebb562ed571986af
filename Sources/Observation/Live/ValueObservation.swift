import SQLCore

/// The value that a closure reads, given at once and again after each commit that touches what it
/// read: `db.observe { connection in … }`.
///
/// ```swift
/// for try await count in db.observe({ try $0.count(Post.all) }) {
///   print(count)
/// }
/// ```
///
/// When the database is closed, the sequence finishes; a sequence that begins afterwards throws.
/// While a table or column that the closure read before does not exist, because it was dropped, no
/// value is given. The next value is given when it exists again.
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

  /// Returns an iterator, which is a separate observation.
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

    /// Returns the first value at once, and each further one when it may differ. Returns nil if the
    /// task is cancelled or the database is closed.
    public mutating func next() async throws -> Value? {
      guard await pace.wait() else { return nil }
      defer { pace.begin() }
      return try await watch.next()
    }

    /// Returns the first value at once, and each further one when it may differ. Returns nil if the
    /// task is cancelled or the database is closed.
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
  ///
  /// - Parameter interval: The shortest time between two values.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    every interval: Duration? = nil, _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, every: interval, isSame: nil, read)
  }

  /// Observes the value that a closure reads, and gives it again only if it differs from the
  /// previous value.
  ///
  /// - Parameter interval: The shortest time between two values.
  public func observe<Value: Sendable & Equatable>(
    every interval: Duration? = nil, _ read: @escaping @Sendable (Connection) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(in: self, every: interval, isSame: { $0 == $1 }, read)
  }
}

/// One observation of the value that a closure reads.
///
/// State: not begun → holding a value → ended, when the watch is released. While it holds a value,
/// the value may be stale after an error.
///
/// `@unchecked Sendable`: one task at a time uses it, the task of its iterator or of the user
/// interface's object that created it.
final class ValueWatch<Value: Sendable>: LiveWatch, ObservedResult, @unchecked Sendable {
  let watch: TableWatch
  private let read: @Sendable (Connection) throws -> Value
  private let isSame: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?
  private var tables: [QualifiedTableName: Subscription.Interest] = [:]
  /// Whether the value contains all commits that were looked at; false after an error.
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

  /// Returns the first value at once, and each further one when it may differ. Returns nil if the
  /// task is cancelled or the database is closed.
  func next() async throws -> Value? {
    guard let last else {
      last = try await evaluate()
      return last
    }
    do {
      repeat {
        if case .none = watch.takeTouch() { continue }
        guard let value = try await evaluateIfThere() else { continue }
        if let isSame, isSame(last, value) { continue }
        self.last = value
        return value
      } while await watch.wait()
      return nil
    } catch  where watch.hasEnded {
      return nil
    }
  }

  func answerRefreshes() { watch.answerRefreshes() }
  func end() { watch.end() }

  /// Evaluates the closure, or waits until its value may have changed and evaluates it again. It
  /// runs on no actor. After an error, it tries again at the next change of anything that the
  /// closure read before. If a table or column does not exist, it also tries again at the next
  /// change of the schema.
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

  /// Returns the value. If a table or column does not exist, its creation is watched for.
  private func evaluateOrWatchSchema() async throws -> Value {
    do {
      return try await evaluate()
    } catch let error as DatabaseError where error.isMissingName {
      // The table may have been created between the fetch and the subscription.
      guard watch.watchSchema() else { throw error }
      return try await evaluate()
    }
  }

  /// Returns the value; nil while a table or column that the closure names does not exist. Its
  /// creation is then watched for.
  private func evaluateIfThere() async throws -> Value? {
    do {
      return try await evaluate()
    } catch let error as DatabaseError where error.isMissingName {
      // The table may have been created between the fetch and the subscription, so it is fetched
      // again.
      return watch.watchSchema() ? try await evaluateIfThere() : nil
    }
  }

  /// Runs the closure. Runs it again if it read a table or column that was not watched, since a
  /// commit may have come between its reading and the watching.
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
