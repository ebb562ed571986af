/// The reading side of a stream. It reads the rows of one iteration on threads of the database,
/// batch by batch, at most two batches ahead of the iterator.
///
/// A job reads until two batches are ready. It then ends and leaves the statement at its row, so
/// that no thread waits for the iterator. When the iterator takes a batch, the next job is
/// submitted.
///
/// The stream keeps its connection from the first job to the last. Cancellation, the deadline and
/// `interrupt()` therefore end the stream in the same way as any other access, even while the
/// stream is paused.
final class StreamProducer<Element: Sendable>: Sendable {
  typealias Batch = RowBatch<Element>
  typealias Cursor = StreamCursor<Element>
  typealias Continuation = UnsafeContinuation<Void, Never>

  enum State: Sendable {
    /// No row was requested yet.
    case idle
    /// All rows are being read at once, because the database has only one connection.
    case readingAll
    /// The stream waits for a connection, or a job reads rows. `core` is nil until the job can be
    /// cancelled.
    case reading(core: ConnectionCore?)
    /// Two batches are ready. No thread uses the cursor until the iterator takes a batch.
    case paused(cursor: Cursor)
    /// The last row was read, or an error occurred; the connection is being given back.
    case ending
    /// The connection was given back, or is no longer needed. The iterator still gets the batches
    /// that are ready, and then the error, if there is one.
    case ended
    /// The stream was cancelled or released. If a job still holds the connection, that job gives it
    /// back.
    case closed
  }

  struct Storage: Sendable {
    var state = State.idle
    /// The batches that were read but not taken yet.
    var ready: [Batch] = []
    /// The error to throw after the rows that were read.
    var failure: (any Error)?
    /// The task that waits for the next batch.
    var consumer: Continuation?
    /// An emptied batch whose memory can be used again.
    var spare: Batch?
    /// The timer that ends the stream at its deadline. It is needed only while no statement runs: a
    /// running statement notices the deadline itself.
    var timer: Task<Void, Never>?

    /// Marks the stream as ended. The iterator still gets the batches that are ready. Returns the
    /// waiting consumer, which the caller must resume, and the timer, which the caller must cancel.
    mutating func end(throwing error: (any Error)?) -> (Continuation?, Task<Void, Never>?) {
      state = .ended
      failure = error
      return (consumer.take(), timer.take())
    }
  }

  static var maximumReady: Int { 2 }

  let database: Database
  let source: RowSource<Element>
  let duration: Duration?
  let place: SourcePlace
  let storage = Lock(Storage())
  var pool: ConnectionPool { database.access.pool }

  /// - Parameter duration: the time that the stream may take, from the request for its first row.
  init(
    database: Database, source: RowSource<Element>, duration: Duration?, place: SourcePlace
  ) {
    self.database = database
    self.source = source
    self.duration = duration
    self.place = place
  }

  // MARK: Taking

  private enum Answer: Sendable {
    case batch(Batch, resuming: Cursor?)
    case end
    case failure(any Error)
    case mustWait
    case mustReadAll
  }

  /// Returns the next batch; nil at the end. Suspends only if no batch is ready.
  func next(
    recycling used: Batch?, isolation actor: isolated (any Actor)?
  ) async throws -> Batch? {
    if let used { storage.withLock { $0.spare = used } }
    while true {
      switch answer() {
      case .batch(let batch, let cursor):
        if let cursor { resume(cursor) }
        return batch
      case .end: return nil
      case .failure(let error): throw error
      case .mustWait: await wait(isolation: actor)
      case .mustReadAll: await readAll()
      }
    }
  }

  private func answer() -> Answer {
    storage.withLock { storage in
      guard storage.consumer == nil else { return .failure(Self.twoConsumers) }
      guard storage.ready.isEmpty else {
        let batch = storage.ready.removeFirst()
        guard case .paused(let cursor) = storage.state else {
          return .batch(batch, resuming: nil)
        }
        storage.state = .reading(core: cursor.core)
        return .batch(batch, resuming: cursor)
      }
      switch storage.state {
      case .idle where database.readLane == .writer:
        storage.state = .readingAll
        return .mustReadAll
      case .idle, .reading, .paused, .ending: return .mustWait
      case .ended: return storage.failure.take().map { .failure($0) } ?? .end
      case .closed: return .failure(CancellationError())
      case .readingAll: return .failure(Self.twoConsumers)
      }
    }
  }

  private static var twoConsumers: DatabaseError {
    .misuse("the next row was requested before the previous request was answered")
  }

  /// Suspends the task until there is a batch to take. Starts reading if no row was requested
  /// before.
  ///
  /// The closure that waits captures the caller's actor, so that it runs on that actor.
  private func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      _ = actor
      await withUnsafeContinuation { continuation in
        let (waits, begins) = storage.withLock { storage -> (Bool, Bool) in
          guard storage.ready.isEmpty else { return (false, false) }
          switch storage.state {
          case .idle:
            storage.consumer = continuation
            storage.state = .reading(core: nil)
            return (true, true)
          case .reading, .paused, .ending:
            storage.consumer = continuation
            return (true, false)
          case .ended, .closed, .readingAll: return (false, false)
          }
        }
        if begins { begin() }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  // MARK: Ending from outside

  /// Ends the stream at once. A running statement is cancelled, and a thread of the database gives
  /// the connection back.
  func cancel() {
    // The old storage is released outside the lock, because releasing rows may run the user's code
    // in `deinit`.
    let old = storage.withLock { storage -> Storage in
      let old = storage
      storage = Storage(state: .closed)
      switch old.state {
      case .reading(let core):
        pool.streamWillEnd()
        if let core { core.cancel(lease: core.lease) }
      case .paused: pool.streamWillEnd()
      case .idle, .readingAll, .ending, .ended, .closed: break
      }
      return old
    }
    old.timer?.cancel()
    if case .paused(let cursor) = old.state { discard(cursor) }
    old.consumer?.resume()
  }

  /// Ends the stream at its deadline if it is paused or waits for a connection. A running statement
  /// notices the deadline itself.
  func expire() {
    let (consumer, cursor) = storage.withLock { storage -> (Continuation?, Cursor?) in
      switch storage.state {
      case .reading(nil):
        pool.streamWillEnd()
        return (storage.end(throwing: DeadlineExceeded()).0, nil)
      case .paused(let cursor):
        pool.streamWillEnd()
        return (storage.end(throwing: DeadlineExceeded()).0, cursor)
      case .idle, .readingAll, .reading, .ending, .ended, .closed: return (nil, nil)
      }
    }
    if let cursor { discard(cursor) }
    consumer?.resume()
  }
}
