import QueryDSL
import SQLCore

/// A sequence of a query's results: `db.observe(query)`. It gives the first result at once, and a
/// new result after each commit that changes the result.
///
/// ```swift
/// for try await posts in db.observe(Post.where { $0.$views > 100 }) {
///   print(posts.map(\.title))
/// }
/// ```
///
/// A slow observer skips results and gets only the latest result. The `difference` of that result
/// is the difference from the last result that this observer received. Writers do not wait for
/// observers. Watching begins when the first element is requested, and ends when the iterator is
/// released.
///
/// When the database is closed, the sequence finishes. A sequence that begins afterwards throws. If
/// a table that the query reads is dropped during the iteration, the sequence gives a result
/// without rows. The next result follows when the table exists again.
public struct QueryObservation<Row: Sendable>: AsyncSequence, Sendable {
  /// The rows, with the difference from the previous result.
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

  /// Returns an iterator. Each iterator is a separate observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(observer: ResultObserver(source, in: database, every: interval))
  }

  /// An iterator over the results of one observation.
  public struct Iterator: AsyncIteratorProtocol {
    private let observer: ResultObserver<Row>

    init(observer: ResultObserver<Row>) {
      self.observer = observer
    }

    /// Returns the next result. The first call returns the first result. Each later call waits for
    /// a result that differs from the previous result. Returns nil if the task is cancelled or the
    /// database is closed.
    public mutating func next() async throws -> Results<Row>? {
      try await observer.next()
    }

    /// Returns the next result. The first call returns the first result. Each later call waits for
    /// a result that differs from the previous result. Returns nil if the task is cancelled or the
    /// database is closed.
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
  /// Returns a sequence of the query's results: the first result at once, and a new result after
  /// each commit that changes the result.
  ///
  /// ```swift
  /// for try await posts in db.observe(Post.where { $0.$status == .published }) {
  ///   print(posts.count, posts.difference.inserted)
  /// }
  /// ```
  ///
  /// The sequence sees the commits that are made through this `Database`, and the commits of other
  /// processes. In an attached file, it does not see the commits of other connections. Every change
  /// after the first result is seen. A result that equals the previous result is not given.
  ///
  /// While another process holds a lock, fetching is tried again until the lock is free. Iterating
  /// throws the errors that `fetch` throws. If a table that existed before is dropped, nothing is
  /// thrown.
  ///
  /// Some queries are *maintained* rather than fetched again: SQLite evaluates only the rows that a
  /// commit touched, and the cost does not depend on the size of the result. Maintained queries
  /// read one table or an inner or left join, or are a UNION of such queries. They may have groups,
  /// aggregates, and subqueries that refer to the query's row. Models with included rows are also
  /// maintained. Rows that are equal in the query's order are in the order of their keys.
  ///
  /// Other queries are fetched again after each commit that touches a column that they read. Among
  /// them are:
  ///
  /// - queries that group a join only by an expression over several tables, and queries that sum
  ///   reals over all rows
  /// - queries with window functions, INTERSECT, EXCEPT or raw SQL
  /// - queries with a subquery that reads a table as a whole
  /// - queries with a right or full join, or with a join or subquery for which an index is missing
  /// - queries with functions of dates, JSON or mathematics, or functions that are not SQLite's own
  /// - queries whose order or key uses a collation that is not SQLite's own
  /// - queries that read columns that are calculated on reading, or `rowID`
  /// - queries of a model whose key is not the table's key
  /// - queries that read virtual tables, views or attached databases
  ///
  /// A maintained query is also fetched again after a commit that touches more than a thousand rows
  /// and more than a twentieth of the held rows. `explanation` says whether a query is maintained,
  /// and if not, why.
  ///
  /// Observers of the same query with the same values share one result, so that a commit costs one
  /// evaluation for all observers. If a closure makes the rows of a query, the result of this query
  /// is not shared. For a query that compares columns with values by `==` or `isIn`, a commit is
  /// ignored if its changed rows have other values in these columns, both before and after the
  /// commit.
  ///
  /// - Parameter interval: The shortest time between two results. Changes in the meantime are part
  ///   of the next result. If nil, each result is given as soon as possible.
  public func observe<Q: Fetchable>(
    _ query: Q, every interval: Duration? = nil
  ) -> QueryObservation<Q.Row> {
    QueryObservation(LiveSource(query), in: self, every: interval)
  }

  /// Returns a sequence of models with their included rows: the first result at once, and a new
  /// result after each commit that changes a model or an included row.
  ///
  /// ```swift
  /// let authors = Author.order(by: \.$name).including(Post.all, by: \.$authorID)
  /// for try await authors in db.observe(authors) {
  ///   for (author, posts) in authors { … }             // (Author, [Post])
  /// }
  /// ```
  ///
  /// In this example, an author is *updated* in the difference if the author or one of the posts
  /// changed.
  ///
  /// The result is maintained under two conditions. First, the query of the parents and the queries
  /// of the included rows each read one table, and `observe(_:)` could maintain them. Second,
  /// SQLite finds the included rows by indexes. Then a commit loads only the affected parents
  /// again, with all their included rows. Included rows that are equal in the order of their query
  /// are in the order of their keys.
  ///
  /// - Parameter interval: The shortest time between two results.
  public func observe<M, each Part>(
    _ query: Including<M, repeat each Part>, every interval: Duration? = nil
  ) -> QueryObservation<(M, repeat each Part)> {
    QueryObservation(LiveSource(query._included), in: self, every: interval)
  }

  /// Returns a sequence of the results of a raw SELECT: the first result at once, and a new result
  /// after each commit that changes the rows.
  ///
  /// ```swift
  /// for try await rows in db.observe(sql: "SELECT count(*) FROM Post WHERE views > \(100)") { … }
  /// ```
  ///
  /// The statement runs again after each commit that touches a column that the statement reads. If
  /// the new rows equal the previous rows, they are not given again.
  ///
  /// - Parameter interval: The shortest time between two results.
  public func observe(sql: SQL, every interval: Duration? = nil) -> QueryObservation<Row> {
    QueryObservation(LiveSource(sql: sql), in: self, every: interval)
  }
}
