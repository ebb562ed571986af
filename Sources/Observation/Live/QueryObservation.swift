import QueryDSL
import SQLCore

/// The result of a query, first as it is and again after each commit that changed it:
/// `db.observe(query)`.
///
/// Results that nobody asked for are passed over: whoever is slow sees the latest, with the
/// difference from the one that it had, and no writer waits. Watching begins with the first element
/// asked for, and ends with the iterator.
///
/// When the database is closed, the sequence finishes; one that begins then throws. A table that the
/// query reads may be dropped later: that is reported as a result without rows, and the next result
/// comes when the table is there again.
public struct QueryObservation<Row: Sendable>: AsyncSequence, Sendable {
  /// The rows, and the difference from the result before.
  public typealias Element = Results<Row>
  /// What `fetch` throws.
  public typealias Failure = any Error

  private let source: LiveSource<Row>
  private let database: Database

  init(_ source: LiveSource<Row>, in database: Database) {
    self.source = source
    self.database = database
  }

  /// Gives the results.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: QueryWatch(source, in: database))
  }

  /// Gives the results of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let watch: QueryWatch<Row>

    init(watch: QueryWatch<Row>) {
      self.watch = watch
    }

    /// The result, at once or when it differs; nil once the task is cancelled, and
    /// when the database is closed.
    public mutating func next() async throws -> Results<Row>? {
      try await watch.next()
    }

    /// The result, at once or when it differs; nil once the task is cancelled, and
    /// when the database is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Results<Row>? {
      try await watch.next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension QueryObservation.Iterator: Sendable {}

extension Database {
  /// The result of a query, and again after each commit that changes it.
  ///
  /// ```swift
  /// for try await posts in db.observe(Post.where { $0.$status == .published }) {
  ///   print(posts.count, posts.difference.inserted)
  /// }
  /// ```
  ///
  /// Whoever writes through this database is seen, and other processes are. Between the first
  /// result and the watching no change is missed; a result that is equal to the one before is not
  /// told. While another process holds a lock, fetching is tried again, for as long as that takes.
  /// Throws what `fetch` throws, but for a table that was there and is dropped.
  ///
  /// Where each row of the result comes of one row of one table, it is not fetched again: the rows
  /// that a commit touched are looked at, and what that costs does not depend on how many the
  /// result has. Rows that the query's order leaves alike stand in the order of their keys. These
  /// run again, after a commit that touches a column that they read: joins, groups, aggregates,
  /// `distinct`, subqueries, raw SQL within the query, functions that are not SQLite's own
  /// deterministic ones, `COLLATE` and where NULL stands said in the query, tables whose collations are not SQLite's own where they matter for the
  /// order or the key, columns that are calculated on reading, a model whose key is not the
  /// table's, virtual tables, views, and attached databases. A commit that touches more than a
  /// twentieth of the rows, and more than a thousand, is followed by a fetch as well.
  public func observe<Query: Fetchable>(_ query: Query) -> QueryObservation<Query.Row> {
    QueryObservation(LiveSource(query), in: self)
  }

  /// The rows of a raw SELECT, and again after each commit that changes them.
  ///
  /// ```swift
  /// for try await rows in db.observe(sql: "SELECT count(*) FROM Post WHERE views > \(100)") { … }
  /// ```
  ///
  /// It runs again after a commit that touches a column that it reads, and says nothing where the
  /// rows are equal.
  public func observe(sql: SQL) -> QueryObservation<Row> {
    QueryObservation(LiveSource(sql: sql), in: self)
  }
}
