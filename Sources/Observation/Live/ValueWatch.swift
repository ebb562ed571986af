import SQLCore

/// One observation of the value that a closure reads.
///
/// State: not begun → holding a value → ended, when it is released. It is used by one task at a
/// time.
final class ValueWatch<Value: Sendable> {
  private let watch: TableWatch
  private let read: @Sendable (Connection) throws -> Value
  private let isSame: (@Sendable (Value, Value) -> Bool)?
  private var last: Value?
  private var tables: [QualifiedTableName: Subscription.Interest] = [:]

  init(
    in database: Database, isSame: (@Sendable (Value, Value) -> Bool)?,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) {
    watch = TableWatch(database)
    self.isSame = isSame
    self.read = read
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

  /// Runs the closure, and again if it read something that was not watched, since a commit may have
  /// come between its reading and the watching.
  private func evaluate() async throws -> Value {
    let (watch, read) = (watch, read)
    while true {
      let (value, tables) = try await watch.reading(hops: true) { core in
        try core.run(cached: "BEGIN DEFERRED")
        let (value, dependencies) = try core.recordingReads { try read(core.lend()) }
        let interests = try core.lend().interests(of: dependencies)
        try core.run(cached: "COMMIT")
        return (value, interests)
      }
      try Task.checkCancellation()
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
