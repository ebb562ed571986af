/// The rows of a query, read while the caller iterates over them: `db.stream(query)`,
/// `db.stream(sql)`.
///
/// ```swift
/// for try await post in db.stream(Post.order(by: \.$createdAt)) {
///   try await export(post)
/// }
/// ```
///
/// All rows belong to one snapshot, which is taken when the first row is requested. Later writes,
/// including those inside the loop, are not seen. Rows are read on a thread of the database: first
/// a single row, then batches that grow from 64 to 1,024 rows and end early if rows are large or
/// slow. At most two batches are read ahead. Within a batch, the next row is returned without
/// suspending.
///
/// A stream holds a connection from its first row until it ends, fails or is cancelled, or until
/// its iterator is released. There are `Configuration.maximumReaders` connections for streams, in
/// addition to those of `read`. If all of them are in use, the first row throws `TooManyStreams`.
/// While a stream is held, the write-ahead log cannot be reset, so do not keep a stream that you do
/// not read.
///
/// An error is thrown in its place, after the rows before it: a `DatabaseError`, or a
/// `ColumnValueError` with the number of its row. Cancelling the task stops the statement and
/// throws `CancellationError`; `Database.interrupt()` ends the stream with `.interrupt`. A deadline
/// is counted from the moment when the first row is requested. When it passes, the stream gives its
/// connection back and throws `DeadlineExceeded` after the rows that were already read. Each
/// iterator is a stream of its own.
///
/// A database in memory has only one connection, so all rows are read before the first is returned.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  /// The type of the errors; reading may fail.
  public typealias Failure = any Error

  private let database: Database
  private let source: RowSource<Element>
  private let duration: Duration?

  package init(database: Database, source: RowSource<Element>, deadline: Duration? = nil) {
    self.database = database
    self.source = source
    duration = deadline
  }

  /// Returns an iterator that starts at the first row. Nothing is read before a row is requested.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      consumer: StreamConsumer(
        producer: StreamProducer(database: database, source: source, duration: duration)))
  }

  /// An iterator over the rows. When its last copy is released, the stream ends.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: StreamConsumer<Element>

    // `@inlinable`: the caller's module moves rows of its own type, which halves the cost of a row
    // here.

    /// Returns the next row; nil after the last row and after an error.
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
