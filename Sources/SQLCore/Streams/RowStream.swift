/// The rows of a query, which are read while the caller iterates over them. `db.stream(query)` and
/// `db.stream(sql)` return a stream.
///
/// ```swift
/// for try await post in db.stream(Post.order(by: \.$createdAt)) {
///   try await export(post)
/// }
/// ```
///
/// All rows belong to one snapshot, which is taken when the first row is requested. The stream does
/// not see later writes, including writes inside the loop. Rows are read on a thread of the
/// database. The first batch is a single row. The next batches grow from 64 to 1,024 rows, and end
/// early if rows are large or slow. At most two batches are read ahead. Within a batch, the next
/// row is returned without suspending.
///
/// A stream holds a connection from the request for its first row until it ends, fails or is
/// cancelled, or until its iterator is released. There are `Configuration.maximumReaders`
/// connections for streams, in addition to the connections for `read`. If all of them are in use,
/// the first row throws `TooManyStreams`. While a stream is held, the write-ahead log cannot be
/// reset, so do not keep a stream that you do not read.
///
/// If a row cannot be read, the iterator first returns the rows before it and then throws: a
/// `DatabaseError`, or a `ColumnValueError` with the number of the row. Cancelling the task stops
/// the statement and throws `CancellationError`; `Database.interrupt()` ends the stream with
/// `.interrupt`. A deadline is counted from the moment when the first row is requested. When the
/// deadline passes, the stream gives its connection back. It then throws `DeadlineExceeded` after
/// the rows that were already read. Each iterator is a separate stream, which runs the query again.
///
/// A database in memory or without readers has only one connection, so all rows are read before the
/// first row is returned.
/// - SeeAlso: <https://www.sqlite.org/isolation.html>
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  /// The type of the errors that the iterator may throw.
  public typealias Failure = any Error

  private let database: Database
  private let source: RowSource<Element>
  private let duration: Duration?
  private let place: SourcePlace

  package init(
    database: Database, source: RowSource<Element>, deadline: Duration?, place: SourcePlace
  ) {
    self.database = database
    self.source = source
    duration = deadline
    self.place = place
  }

  /// Returns an iterator that starts at the first row. Nothing is read before a row is requested.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      consumer: StreamConsumer(
        producer: StreamProducer(
          database: database, source: source, duration: duration, place: place)))
  }

  /// An iterator over the rows. When its last copy is released, the stream ends.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline let consumer: StreamConsumer<Element>

    // The following method is `@inlinable`, so that the caller's module compiles a copy of it for
    // its own type of row. This halves the time that the method takes for each row.

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

/// The consuming side of a stream, which returns the rows one by one. The stream ends when its
/// iterator is released.
@usableFromInline
final class StreamConsumer<Element: Sendable> {
  /// The rows of the batch that were not returned yet: a pointer to the next row, and the number of
  /// rows. This struct is in memory of its own, because properties of the class would cost two
  /// exclusivity checks per row.
  @usableFromInline
  struct Rest {
    @usableFromInline var next: UnsafeMutablePointer<Element>?
    @usableFromInline var count = 0
  }

  @usableFromInline let rest: UnsafeMutablePointer<Rest>
  private let producer: StreamProducer<Element>
  private var batch: RowBatch<Element>?
  private var hasEnded = false

  init(producer: StreamProducer<Element>) {
    self.producer = producer
    rest = .allocate(capacity: 1)
    rest.initialize(to: Rest())
  }

  deinit {
    producer.cancel()
    dropRest()
    rest.deallocate()
  }

  /// Takes the next batch. Returns false at the end and after an error.
  @usableFromInline
  func refill(isolation actor: isolated (any Actor)?) async throws -> Bool {
    guard !hasEnded else { return false }
    let used = batch
    batch = nil
    do {
      guard let next = try await producer.next(recycling: used, isolation: actor) else {
        hasEnded = true
        return false
      }
      rest.pointee = Rest(next: next.memory, count: next.count)
      next.count = 0
      batch = next
      return true
    } catch {
      hasEnded = true
      throw error
    }
  }

  /// Ends the stream because the task was cancelled. Throws `CancellationError`, unless the stream
  /// had already ended.
  @usableFromInline
  func cancel() throws {
    guard !hasEnded else { return }
    hasEnded = true
    producer.cancel()
    dropRest()
    throw CancellationError()
  }

  private func dropRest() {
    rest.pointee.next?.deinitialize(count: rest.pointee.count)
    rest.pointee = Rest()
  }
}

/// The error that a stream throws at its first row if all connections for streams are in use.
///
/// A stream holds a connection from its first row until it ends or its iterator is released. A new
/// stream does not wait for another stream to end, because the other stream might be waiting for
/// the new one. A stream never takes a connection that `read` uses.
public struct TooManyStreams: Error, Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of open streams: `Configuration.maximumReaders`.
  public let maximum: Int

  /// Makes the error.
  public init(maximum: Int) {
    self.maximum = maximum
  }

  /// A sentence with the number of open streams and with advice.
  public var description: String {
    "\(maximum) streams of rows are open, which is the maximum; end one, drop its iterator, "
      + "or raise `Configuration.maximumReaders`"
  }
}

// These methods return the rows of raw SQL as a stream. The module `QueryDSL` has the methods for
// typed queries.
extension Database {
  /// Returns the rows of a read statement one after another, from one snapshot.
  ///
  /// ```swift
  /// for try await row in db.stream("SELECT id, title FROM Post WHERE views > \(100)") {
  ///   print(try row["title", as: String.self])
  /// }
  /// ```
  ///
  /// Nothing runs before the first row is requested. See `RowStream` for the resources that a
  /// stream holds and the errors that it throws.
  public func stream(
    _ sql: SQL, deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RowStream<Row> {
    RowStream(
      database: self,
      source: RowSource(sql) { _, statement in
        try Row(copying: StatementRow(statement: statement))
      }, deadline: deadline, place: SourcePlace(fileID, line))
  }

  /// Returns the rows of a read statement one after another, from one snapshot, as tuples of the
  /// given types. The first column becomes the first value of the tuple, and so on.
  ///
  /// ```swift
  /// for try await (id, title) in db.stream((Int, String).self, "SELECT id, title FROM Post") {
  ///   print(id, title)
  /// }
  /// ```
  ///
  /// When the stream reaches a row, it throws `ColumnValueError` if a value has another type, and
  /// `DatabaseError` if the number of columns differs from the number of types.
  public func stream<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL, deadline: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RowStream<(repeat each Value)> {
    RowStream(
      database: self,
      source: RowSource(sql) { _, statement in
        let row = StatementRow(statement: statement)
        try row.requireColumns(ofTypes: repeat (each Value).self)
        var index = -1
        func next<V: ColumnValue>(_: V.Type) throws -> V {
          index += 1
          return try StatementRow(statement: statement).get(V.self, at: index)
        }
        return (repeat try next((each Value).self))
      }, deadline: deadline, place: SourcePlace(fileID, line))
  }
}
