/// The rows of a query, read while they are iterated over: `db.rows(query)`, `db.stream(sql)`.
///
/// ```swift
/// for try await post in db.rows(Post.order(by: \.$createdAt)) {
///   try await export(post)
/// }
/// ```
///
/// All rows are of one snapshot, taken when the first is asked for: what anybody writes meanwhile, in
/// the loop as well, is not among them. Rows are read on a thread of the database: the first alone, then
/// in batches that grow from 64 to 1,024 rows and end early where rows are large or slow; at most two
/// batches wait. Within a batch, the next row comes without suspending.
///
/// A stream holds a connection from its first row until it has ended, failed, been cancelled, or its
/// iterator is dropped. There are `Configuration.maximumReaders` connections for streams, besides
/// those of `read`; with all of them held, the first row throws `TooManyStreams`. While a stream is
/// held, the write-ahead log cannot be taken back into the file: do not keep one that you do not read.
///
/// An error is thrown at its place, after the rows before it: `DatabaseError`, `ColumnValueError` with
/// the number of its row. Cancelling the task stops the statement and throws `CancellationError`;
/// `Database.interrupt()` ends the stream with `.interrupt`. With a deadline, counted from when the
/// first row is asked for, the stream gives its connection back when it passes, and throws
/// `DeadlineExceeded` after the rows that were read. Each iterator is a stream of its own.
///
/// A database in memory has one connection: all rows are read before the first is given.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  /// Reading may fail.
  public typealias Failure = any Error

  private let database: Database
  private let source: RowSource<Element>
  private let duration: Duration?

  package init(database: Database, source: RowSource<Element>, deadline: Duration? = nil) {
    self.database = database
    self.source = source
    duration = deadline
  }

  /// A stream from the first row on; nothing is read before a row is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      consumer: StreamConsumer(
        producer: StreamProducer(database: database, source: source, duration: duration)))
  }

  /// Gives the rows, one after another; when the last copy of it is gone, the stream ends.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: StreamConsumer<Element>

    // `@inlinable`: a client moves rows of its own type, which halves what a row costs here.

    /// The next row; nil after the last, and after an error.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      if Task.isCancelled { try consumer.cancel() }
      let rest = consumer.rest
      if rest.pointee.count == 0 {
        guard try await consumer.refill(isolation: actor) else { return nil }
      }
      guard let next = rest.pointee.next else { return nil }
      rest.pointee.next = next + 1
      rest.pointee.count &-= 1
      return next.move()
    }
  }
}

@available(*, unavailable, message: "a stream is iterated over in one place at a time")
extension RowStream.AsyncIterator: Sendable {}
