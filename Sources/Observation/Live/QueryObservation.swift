import QueryDSL
import SQLCore

/// The result of a query, first as it is and again after each commit that may have changed it:
/// `db.observe(query)`.
///
/// Results that nobody asked for are passed over: whoever is slow sees the latest, and no writer
/// waits. Watching begins with the first element asked for, and ends with the iterator.
public struct QueryObservation<Query: Fetchable>: AsyncSequence, Sendable {
  /// All rows of the query.
  public typealias Element = [Query.Row]
  /// What `fetch` throws.
  public typealias Failure = any Error

  private let query: Query
  private let database: Database

  init(_ query: Query, in database: Database) {
    self.query = query
    self.database = database
  }

  /// Gives the results.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: QueryWatch(query, in: database))
  }

  /// Gives the results of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let watch: QueryWatch<Query>

    init(watch: QueryWatch<Query>) {
      self.watch = watch
    }

    /// The result, at once or when it may have changed; nil once the task is cancelled.
    public mutating func next() async throws -> [Query.Row]? {
      try await watch.next()
    }

    /// The result, at once or when it may have changed; nil once the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> [Query.Row]? {
      try await watch.next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension QueryObservation.Iterator: Sendable {}

extension Database {
  /// The result of a query, and again after each commit that touches what it reads.
  ///
  /// ```swift
  /// for try await posts in db.observe(Post.where { $0.$status == .published }) { … }
  /// ```
  ///
  /// A commit counts where a row comes to or goes from a table of the query, or a column changes
  /// that the query reads, whoever wrote it through this database. Between the first result and
  /// the watching no change is missed. Throws what `fetch` throws.
  public func observe<Query: Fetchable>(_ query: Query) -> QueryObservation<Query> {
    QueryObservation(query, in: self)
  }
}

/// One observation of a query: what it reads, and whether that was touched.
///
/// State: not begun → watching, clean or touched → ended, when the task is cancelled or the value
/// goes.
final class QueryWatch<Query: Fetchable>: Sendable {
  private let query: Query
  private let database: Database
  private let signals: AsyncStream<Bool>
  private let continuation: AsyncStream<Bool>.Continuation
  private let state = Lock(State.idle)

  private enum State {
    case idle
    case watching(subscription: UInt64)
    /// The schema changed: the query may read other columns.
    case outdated(subscription: UInt64)
  }

  init(_ query: Query, in database: Database) {
    self.query = query
    self.database = database
    // One signal is kept: however often the result was touched, it is fetched once.
    (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    stop()
  }

  /// The result, at once or when it may have changed.
  nonisolated(nonsending)
    func next() async throws -> [Query.Row]?
  {
    switch state.withLock({ $0 }) {
    case .idle:
      try await start()
    case .watching, .outdated:
      var iterator = signals.makeAsyncIterator()
      guard await iterator.next() != nil else { return nil }
      if case .outdated = state.withLock({ $0 }) {
        stop()
        try await start()
      }
    }
    guard !Task.isCancelled else { return nil }
    return try await database.fetch(query)
  }

  /// Subscribes to what the query reads; before the first fetch, so that nothing is missed between.
  nonisolated(nonsending)
    private func start() async throws
  {
    let sql = try query.sql.text
    let dependencies = try await database.reading(hops: false) { try $0.dependencies(of: sql) }
    guard let tracker = ChangeTracker.of(database) else { return }
    var tables: [String: Subscription.Interest] = [:]
    for dependency in dependencies where dependency.database == "main" {
      let table = dependency.table.lowercasedASCII
      var interest = tables[table] ?? Subscription.Interest(columns: [])
      if !dependency.column.isEmpty {
        interest.columns?.insert(dependency.column.lowercasedASCII)
      }
      tables[table] = interest
    }
    let watched = tables
    let id = tracker.add(
      Subscription(tables: tables) { [weak self, continuation] changes in
        if changes.isUnknown {
          self?.noteSchemaChange()
          continuation.yield(true)
        } else if changes.touch(watched) {
          continuation.yield(true)
        }
      })
    state.withLock { $0 = .watching(subscription: id) }
  }

  private func noteSchemaChange() {
    state.withLock { state in
      if case .watching(let id) = state { state = .outdated(subscription: id) }
    }
  }

  private func stop() {
    let id = state.withLock { state -> UInt64? in
      defer { state = .idle }
      switch state {
      case .idle: return nil
      case .watching(let id), .outdated(let id): return id
      }
    }
    if let id { ChangeTracker.of(database)?.remove(id) }
  }
}

extension CommittedChanges {
  /// Whether a row came or went in one of the tables, or one of the columns differs.
  fileprivate func touch(_ watched: [String: Subscription.Interest]) -> Bool {
    tables.contains { name, table in
      guard let interest = watched[name] else { return false }
      return table.rows.contains { row in
        guard let old = row.old, let new = row.new else { return true }
        return table.columns.indices.contains { index in
          old[index] != new[index]
            && interest.columns?.contains(table.columns[index].lowercasedASCII) ?? true
        }
      }
    }
  }
}
