import Synchronization

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
  typealias Continuation = UnsafeContinuation<RowBatch<Element>?, any Error>

  enum State: Sendable {
    /// Nothing was asked for.
    case idle
    /// All rows are being read at once, on the connection that a database in memory has.
    case readingAll
    /// A connection is being taken, or a job reads; the core is there from when it may be cancelled.
    case reading(ready: [Batch], consumer: Continuation?, core: ConnectionCore?)
    /// As much is read as may be; no thread uses the cursor.
    case paused(ready: [Batch], cursor: Cursor)
    /// The last row was read, or an error met; the connection is on its way back.
    case ending(ready: [Batch], consumer: Continuation?)
    /// The connection is back; what was read waits, and then the error.
    case ended(ready: [Batch], failure: (any Error)?)
    /// Cancelled or dropped: whoever holds the connection gives it back.
    case closed
  }

  struct Storage: Sendable {
    var state = State.idle
    /// A batch that was emptied, to be filled again.
    var spare: Batch?
    /// Ends the stream at its deadline, while no statement runs that would see it pass.
    var timer: Task<Void, Never>?
  }

  static var maximumReady: Int { 2 }

  let database: Database
  let source: RowSource<Element>
  let duration: Duration?
  let storage = Mutex(Storage())
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
    /// Nothing was asked for before: the caller begins.
    case mustBegin
    case mustReadAll
    /// Without a continuation: there is nothing yet. With one: it will be resumed.
    case mustWait
  }

  /// The next batch; nil at the end. Suspends only where none is ready.
  func next(
    recycling used: Batch?, isolation actor: isolated (any Actor)?
  ) async throws -> Batch? {
    switch answer(recycling: used) {
    case .batch(let batch, let cursor):
      if let cursor { resume(cursor) }
      return batch
    case .end: return nil
    case .failure(let error): throw error
    case .mustReadAll:
      try await readAll()
      return try await next(recycling: nil, isolation: actor)
    case .mustBegin, .mustWait: break
    }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        switch answer(to: continuation) {
        case .batch(let batch, let cursor):
          if let cursor { resume(cursor) }
          continuation.resume(returning: batch)
        case .end: continuation.resume(returning: nil)
        case .failure(let error): continuation.resume(throwing: error)
        case .mustBegin: begin()
        case .mustWait, .mustReadAll: break
        }
      }
    } onCancel: {
      cancel()
    }
  }

  private func answer(
    to consumer: Continuation? = nil, recycling used: Batch? = nil
  ) -> Answer {
    storage.withLock { storage in
      if let used { storage.spare = used }
      switch storage.state {
      case .idle where !database.location.isFile:
        storage.state = .readingAll
        return .mustReadAll
      case .idle:
        guard let consumer else { return .mustWait }
        storage.state = .reading(ready: [], consumer: consumer, core: nil)
        return .mustBegin
      case .reading(var ready, nil, let core):
        guard ready.isEmpty else {
          let batch = ready.removeFirst()
          storage.state = .reading(ready: ready, consumer: nil, core: core)
          return .batch(batch, resuming: nil)
        }
        if consumer != nil {
          storage.state = .reading(ready: [], consumer: consumer, core: core)
        }
        return .mustWait
      case .paused(var ready, let cursor):
        let batch = ready.removeFirst()
        storage.state = .reading(ready: ready, consumer: nil, core: cursor.core)
        return .batch(batch, resuming: cursor)
      case .ending(var ready, nil):
        guard ready.isEmpty else {
          let batch = ready.removeFirst()
          storage.state = .ending(ready: ready, consumer: nil)
          return .batch(batch, resuming: nil)
        }
        if consumer != nil { storage.state = .ending(ready: [], consumer: consumer) }
        return .mustWait
      case .ended(var ready, let failure):
        guard ready.isEmpty else {
          let batch = ready.removeFirst()
          storage.state = .ended(ready: ready, failure: failure)
          return .batch(batch, resuming: nil)
        }
        storage.state = .ended(ready: [], failure: nil)
        return failure.map { .failure($0) } ?? .end
      case .closed:
        return .failure(CancellationError())
      case .reading, .ending, .readingAll:
        return .failure(
          DatabaseError.misuse("the next row was asked for while another is being waited for"))
      }
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
      case .reading(_, _, let core):
        pool.streamWillEnd()
        if let core { core.cancel(lease: core.lease) }
      case .paused: pool.streamWillEnd()
      case .idle, .readingAll, .ending, .ended, .closed: break
      }
      return old
    }
    old.timer?.cancel()
    switch old.state {
    case .reading(_, let consumer, _), .ending(_, let consumer):
      consumer?.resume(throwing: CancellationError())
    case .paused(_, let cursor): discard(cursor)
    case .idle, .readingAll, .ended, .closed: break
    }
  }

  /// Ends the stream because its deadline passed: one that waits for a connection, and one that is
  /// not iterated over. A statement that runs sees it by itself.
  func expire() {
    let (consumer, cursor) = storage.withLock { storage -> (Continuation?, Cursor?) in
      switch storage.state {
      case .reading(_, let consumer, nil):
        pool.streamWillEnd()
        storage.state = .closed
        return (consumer, nil)
      case .paused(let ready, let cursor):
        pool.streamWillEnd()
        storage.state = .ended(ready: ready, failure: DeadlineExceeded())
        return (nil, cursor)
      case .idle, .readingAll, .reading, .ending, .ended, .closed: return (nil, nil)
      }
    }
    consumer?.resume(throwing: DeadlineExceeded())
    if let cursor { discard(cursor) }
  }
}
