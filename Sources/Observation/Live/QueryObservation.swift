import QueryDSL
import SQLCore
import Synchronization

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
final class QueryWatch<Query: Fetchable>: Sendable {
  private let query: Query
  private let database: Database
  private let queue: CommitQueue
  private let state = Mutex<Watched?>(nil)

  private struct Watched {
    let subscription: UInt64
    let tables: [TableName: Subscription.Interest]
  }

  init(_ query: Query, in database: Database) {
    self.query = query
    self.database = database
    queue = CommitQueue(maximumRows: database.configuration.maximumTrackedRows)
  }

  deinit {
    stop()
  }

  /// The result, at once or when it may have changed.
  nonisolated(nonsending)
    func next() async throws -> [Query.Row]?
  {
    if let watched = state.withLock({ $0 }) {
      var isOutdated = false
      repeat {
        guard await queue.wait() else { return nil }
        let waiting = queue.takeAll()
        isOutdated = !waiting.everything.isEmpty || waiting.events.contains(.schemaChanged)
        if isOutdated || waiting.touches(watched.tables) { break }
      } while true
      if isOutdated {
        stop()
        try await start()
      }
    } else {
      try await start()
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
    var tables: [TableName: Subscription.Interest] = [:]
    for dependency in dependencies {
      let table = TableName(schema: dependency.database, dependency.table)
      var interest = tables[table] ?? Subscription.Interest(columns: [])
      if !dependency.column.isEmpty {
        interest.columns?.insert(dependency.column.lowercasedASCII)
      }
      tables[table] = interest
    }
    let id = tracker.add(Subscription(tables: tables, queue: queue))
    let watched = Watched(subscription: id, tables: tables)
    state.withLock { $0 = watched }
  }

  private func stop() {
    let watched = state.withLock { $0.take() }
    if let watched { ChangeTracker.of(database)?.remove(watched.subscription) }
  }
}

extension CommitQueue.Waiting {
  /// What happened to tables besides rows.
  var events: Set<TableEvent> {
    var events = everything
    for commit in commits {
      for write in commit.writes {
        for table in write.tables.values { events.formUnion(table.events) }
      }
    }
    for table in dropped?.values ?? [:].values { events.formUnion(table) }
    return events
  }

  /// Whether one of the tables changed in what is watched of it.
  func touches(_ watched: [TableName: Subscription.Interest]) -> Bool {
    if !everything.isEmpty { return true }
    if let dropped, dropped.keys.contains(where: { watched[$0] != nil }) { return true }
    return commits.contains { commit in
      commit.writes.contains { write in
        write.tables.contains { table, changes in
          watched[table].map { changes.touches($0.columns) } ?? false
        }
      }
    }
  }
}
