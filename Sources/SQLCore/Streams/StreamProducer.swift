/// Reads the rows of one iteration on threads of the database, a batch at a time and at most two
/// ahead of who iterates.
///
/// A job reads until two batches wait, then ends and leaves the statement where it stands: no thread
/// waits for the iterator. Taking a batch submits the next job.
///
/// The stream has one lease of its connection, from the first job to the last: what cancels the
/// stream, its deadline and `interrupt()` reach it as any other access, while it is paused as well.
final class StreamProducer<Element: Sendable>: Sendable {
  typealias Batch = RowBatch<Element>
  typealias Cursor = StreamCursor<Element>
  typealias Continuation = UnsafeContinuation<Void, Never>

  enum State: Sendable {
    /// Nothing was asked for.
    case idle
    /// All rows are being read at once, on the connection that a database in memory has.
    case readingAll
    /// A connection is being taken, or a job reads; the core is there from when it may be cancelled.
    case reading(core: ConnectionCore?)
    /// As much is read as may be; no thread uses the cursor.
    case paused(cursor: Cursor)
    /// The last row was read, or an error met; the connection is on its way back.
    case ending
    /// The connection is back, or nobody waits for it: there is only what was read, and the failure.
    case ended
    /// Cancelled or dropped: whoever holds the connection gives it back.
    case closed
  }

  struct Storage: Sendable {
    var state = State.idle
    /// What was read and not taken.
    var ready: [Batch] = []
    /// What is thrown after the rows that were read.
    var failure: (any Error)?
    /// Who waits until there is something to take.
    var consumer: Continuation?
    /// A batch that was emptied, to be filled again.
    var spare: Batch?
    /// Ends the stream at its deadline, while no statement runs that would see it pass.
    var timer: Task<Void, Never>?

    /// Ends the stream with what is ready; who waits is to be resumed.
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
  let storage = Lock(Storage())
  var pool: ConnectionPool { database.access.pool }

  /// - Parameter duration: how long the stream may take, from when its first row is asked for.
  init(database: Database, source: RowSource<Element>, duration: Duration?) {
    self.database = database
    self.source = source
    self.duration = duration
  }

  // MARK: Taking

  private enum Answer: Sendable {
    case batch(Batch, resuming: Cursor?)
    case end
    case failure(any Error)
    case mustWait
    case mustReadAll
  }

  /// The next batch; nil at the end. Suspends only where none is ready.
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
    .misuse("the next row was asked for while another is being waited for")
  }

  /// Suspends the task until there is something to take, and begins to read where nobody did.
  private func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
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

  /// Ends the stream where it stands: a running statement is cancelled, and the connection given
  /// back by a thread of the database.
  func cancel() {
    // What is taken out is dropped behind the lock: rows may have code of their own.
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

  /// Ends the stream because its deadline passed: one that waits for a connection, and one that is
  /// not iterated over. A statement that runs sees it by itself.
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
