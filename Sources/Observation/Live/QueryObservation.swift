import QueryDSL
import SQLCore

/// The result of a query, given at once and again after each commit that changes it:
/// `db.observe(query)`.
///
/// ```swift
/// for try await posts in db.observe(Post.where { $0.$views > 100 }) {
///   print(posts.map(\.title))
/// }
/// ```
///
/// A slow observer skips results: it gets the latest result, with the difference from the last
/// result that it received, and no writer waits. Watching begins when the first element is
/// requested, and ends when the iterator is released.
///
/// When the database is closed, the sequence finishes; a sequence that begins afterwards throws. If
/// a table that the query reads is dropped later, a result without rows is given. The next result
/// is given when the table exists again.
public struct QueryObservation<Row: Sendable>: AsyncSequence, Sendable {
  /// The rows, and the difference from the result before.
  public typealias Element = Results<Row>
  /// The errors that `fetch` throws.
  public typealias Failure = any Error

  let source: LiveSource<Row>
  let database: Database
  private let interval: Duration?

  init(_ source: LiveSource<Row>, in database: Database, every interval: Duration?) {
    let tracker: ChangeTracker? = database.writeObserver()
    self.source = tracker?.sharedResults.sharing(source) ?? source
    self.database = database
    self.interval = interval
  }

  /// Returns an iterator, which is a separate observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(observer: ResultObserver(source, in: database, every: interval))
  }

  /// An iterator over the results of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let observer: ResultObserver<Row>

    init(observer: ResultObserver<Row>) {
      self.observer = observer
    }

    /// Returns the first result at once, and each later result when it differs from the previous
    /// one. Returns nil if the task is cancelled or the database is closed.
    public mutating func next() async throws -> Results<Row>? {
      try await observer.next()
    }

    /// Returns the first result at once, and each later result when it differs from the previous
    /// one. Returns nil if the task is cancelled or the database is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Results<Row>? {
      try await observer.next()
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension QueryObservation.Iterator: Sendable {}

extension Database {
  /// Observes the result of a query: gives it at once, and again after each commit that changes it.
  ///
  /// ```swift
  /// for try await posts in db.observe(Post.where { $0.$status == .published }) {
  ///   print(posts.count, posts.difference.inserted)
  /// }
  /// ```
  ///
  /// The sequence sees commits through this database and commits of other processes. It misses no
  /// change between the first result and the begin of watching, and omits a result that equals the
  /// previous one. While another process holds a lock, fetching is tried again until the lock is
  /// free. Iterating throws the errors that `fetch` throws, except when a table that existed before
  /// is dropped.
  ///
  /// Some queries are maintained rather than fetched again: queries over one table, over an inner
  /// or left join of tables, with groups and aggregates of these, and with subqueries that belong
  /// to their rows. Only the rows that a commit touched are evaluated, at a cost that does not
  /// depend on the size of the result. The same holds for models with the rows that they include.
  /// Rows that are equal in the query's order are in the order of their keys.
  ///
  /// Other queries are fetched again after each commit that touches a column that they read:
  ///
  /// - groups of a join by expressions over several tables, and sums of reals over all rows
  /// - window functions, INTERSECT and EXCEPT, and raw SQL within the query
  /// - subqueries about a table as a whole
  /// - right and full joins, and joins and subqueries for which an index is missing
  /// - functions other than SQLite's own deterministic ones
  /// - tables with collations that are not SQLite's own, if these matter for the order or the key
  /// - columns that are calculated on reading
  /// - models whose key is not the table's key
  /// - virtual tables, views, and attached databases
  ///
  /// A maintained query is also fetched again after a commit that touches more than a thousand rows
  /// and more than a twentieth of the rows held. `explanation` says for each query which it is.
  ///
  /// Observers of the same query with the same values share one result, and a commit costs one
  /// evaluation for all of them. If a query compares columns with values by `==` or `isIn`, a
  /// commit costs it nothing as long as the changed rows have other values, before and after.
  ///
  /// - Parameter interval: The shortest time between two results. Changes in between are part of
  ///   the next result. If it is nil, each result is given as soon as possible.
  public func observe<Q: Fetchable>(
    _ query: Q, every interval: Duration? = nil
  ) -> QueryObservation<Q.Row> {
    QueryObservation(LiveSource(query), in: self, every: interval)
  }

  /// Observes models with the rows that they include: gives them at once, and again after each
  /// commit that changes a model or a row that it includes.
  ///
  /// ```swift
  /// let authors = Author.order(by: \.$name).including(Post.all, by: \.$authorID)
  /// for try await authors in db.observe(authors) {
  ///   for (author, posts) in authors { … }             // (Author, [Post])
  /// }
  /// ```
  ///
  /// An author is *updated* in the difference if the author or one of the posts changed. The result
  /// is maintained under two conditions: the query of the parents and the queries of the included
  /// rows each read one table, as `observe(_:)` describes it, and SQLite finds the included rows by
  /// indexes. A commit then loads only the affected parents again, each with everything that it
  /// includes. Children that their own order does not distinguish are in the order of their keys.
  ///
  /// - Parameter interval: The shortest time between two results.
  public func observe<M, each Part>(
    _ query: Including<M, repeat each Part>, every interval: Duration? = nil
  ) -> QueryObservation<(M, repeat each Part)> {
    QueryObservation(LiveSource(query._included), in: self, every: interval)
  }

  /// Observes the rows of a raw SELECT: gives them at once, and again after each commit that
  /// changes them.
  ///
  /// ```swift
  /// for try await rows in db.observe(sql: "SELECT count(*) FROM Post WHERE views > \(100)") { … }
  /// ```
  ///
  /// The statement runs again after each commit that touches a column that it reads. Rows that
  /// equal the previous rows are not given again.
  ///
  /// - Parameter interval: The shortest time between two results.
  public func observe(sql: SQL, every interval: Duration? = nil) -> QueryObservation<Row> {
    QueryObservation(LiveSource(sql: sql), in: self, every: interval)
  }
}
