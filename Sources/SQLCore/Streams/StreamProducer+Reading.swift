// The part of a producer that runs on the threads of the database. A job registers its thread as
// the user of the connection. The library can then detect, as in any other access, that a program's
// own `ColumnValue` type accesses the database while it reads a value.
extension StreamProducer {
  /// Takes a connection from the pool, and submits the first job that reads rows.
  func begin() {
    let deadline = duration.map(Deadline.after)
    if let deadline { setTimer(to: deadline) }
    let waiter = Waiter()
    let job = database.access.carryingOrigin { [self] grant in open(grant, deadline) }
    _ = waiter.begin { [self] result in
      // Nothing cancels this waiter. If the stream was closed while it waited, the job gives the
      // connection back.
      guard case .success(let grant) = result else { return }
      database.access.streamThreads.submit { try? job(grant) }
    }
    do {
      try pool.take(.stream, for: waiter)
    } catch {
      didNotBegin(error)
    }
  }

  private func setTimer(to deadline: Deadline) {
    let timer = Task.detached { [weak self] in
      guard (try? await Task.sleep(nanoseconds: deadline.remaining)) != nil else { return }
      self?.expire()
    }
    storage.withLock { $0.timer = timer }
  }

  private func didNotBegin(_ error: any Error) {
    let (consumer, timer) = storage.withLock { storage -> (Continuation?, Task<Void, Never>?) in
      guard case .reading = storage.state else {
        pool.streamDidNotBegin()
        return (nil, nil)
      }
      return storage.end(throwing: error)
    }
    timer?.cancel()
    consumer?.resume()
  }

  /// Submits a job that continues to read rows.
  func resume(_ cursor: Cursor) {
    let job = database.access.carryingOrigin { [self] (cursor: Cursor) in
      pool.enter(with: cursor.core, for: place)
      read(cursor)
    }
    database.access.streamThreads.submit { try? job(cursor) }
  }

  /// Submits a job that gives back the connection of a stream that ended while it was paused.
  func discard(_ cursor: Cursor) {
    database.access.streamThreads.submit { [self] in
      pool.enter(with: cursor.core, for: place)
      giveBack(cursor)
    }
  }

  private func open(_ grant: ConnectionPool.Grant, _ deadline: Deadline?) {
    let core: ConnectionCore
    do {
      core = try database.access.open(grant)
    } catch {
      willEnd()
      pool.giveBack(grant, to: .stream)
      return didEnd(last: nil, failure: error)
    }
    pool.enter(with: core, for: place)
    core.state.pointee.access.begin(deadline: deadline)
    let cursor = Cursor(core: core, source: source)
    do {
      try database.access.begin(core)
      guard allowsCancelling(core) else { throw CancellationError() }
      try cursor.prepare()
    } catch {
      return end(cursor, last: nil, failure: error)
    }
    read(cursor)
  }

  /// Records the connection, so that `cancel()` can interrupt its statement. Returns false if the
  /// stream was already closed.
  private func allowsCancelling(_ core: ConnectionCore) -> Bool {
    storage.withLock { storage in
      guard case .reading(nil) = storage.state else { return false }
      storage.state = .reading(core: core)
      return true
    }
  }

  private func read(_ cursor: Cursor) {
    while true {
      let batch = emptyBatch(room: cursor.room)
      do {
        try cursor.fill(batch)
      } catch {
        return end(cursor, last: batch, failure: error)
      }
      if cursor.isAtEnd { return end(cursor, last: batch, failure: nil) }
      switch handOver(batch, of: cursor) {
      case .goesOn: continue
      // Another job may already be using the cursor, so this job only reads its constant `core`.
      case .paused: return pool.leaveThread(with: cursor.core)
      case .late: return end(cursor, last: batch, failure: DeadlineExceeded())
      case .closed: return end(cursor, last: nil, failure: nil)
      }
    }
  }

  private func emptyBatch(room: Int) -> Batch {
    let spare = storage.withLock { storage in
      defer { storage.spare = nil }
      return storage.spare
    }
    if let spare, spare.capacity >= room { return spare }
    return Batch(capacity: room)
  }

  private enum HandedOver {
    case goesOn, paused, late, closed
  }

  private func handOver(_ batch: Batch, of cursor: Cursor) -> HandedOver {
    let (handed, consumer) = storage.withLock { storage -> (HandedOver, Continuation?) in
      guard case .reading = storage.state else { return (.closed, nil) }
      let pauses = storage.ready.count + 1 >= Self.maximumReady
      // If the deadline has passed, the timer has already fired. It would not end a stream that
      // pauses only now.
      if pauses, cursor.isLate { return (.late, nil) }
      storage.ready.append(batch)
      if pauses { storage.state = .paused(cursor: cursor) }
      return (pauses ? .paused : .goesOn, storage.consumer.take())
    }
    consumer?.resume()
    return handed
  }

  // MARK: Ending

  /// Gives the connection back, and then ends the stream for the iterator. In this order, the
  /// connection is free again when the loop over the rows ends.
  private func end(_ cursor: Cursor, last: Batch?, failure: (any Error)?) {
    willEnd()
    giveBack(cursor)
    didEnd(last: last, failure: failure)
  }

  private func giveBack(_ cursor: Cursor) {
    cursor.end()
    // A transaction that raw SQL began must not outlive the stream.
    if cursor.core.isInTransaction { try? cursor.core.run(cached: "ROLLBACK") }
    pool.giveBack(cursor.core, to: .stream)
  }

  /// Removes the connection from the state, so that its statement can no longer be cancelled.
  private func willEnd() {
    storage.withLock { storage in
      guard case .reading = storage.state else { return }
      storage.state = .ending
      pool.streamWillEnd()
    }
  }

  private func didEnd(last: Batch?, failure: (any Error)?) {
    let (consumer, timer) = storage.withLock { storage -> (Continuation?, Task<Void, Never>?) in
      guard case .ending = storage.state else { return (nil, nil) }
      if let last, last.count > 0 { storage.ready.append(last) }
      return storage.end(throwing: failure)
    }
    timer?.cancel()
    consumer?.resume()
  }

  // MARK: In memory

  /// Reads all rows before the first row is returned, so that the only connection is free for
  /// writes inside the loop.
  func readAll() async {
    let source = source
    let options = AccessOptions(deadline: duration, hops: true)
    do {
      let (batches, failure) = try await database.reading(options) { core in
        let cursor = Cursor(core: core, source: source)
        defer { cursor.end() }
        try cursor.prepare()
        var batches: [Batch] = []
        var failure: (any Error)?
        while !cursor.isAtEnd, failure == nil {
          let batch = Batch(capacity: cursor.room)
          do {
            try cursor.fill(batch)
          } catch {
            failure = error
          }
          if batch.count > 0 { batches.append(batch) }
        }
        return (batches, failure)
      }
      endReadingAll(batches, failure)
    } catch {
      endReadingAll([], error)
    }
  }

  private func endReadingAll(_ batches: [Batch], _ failure: (any Error)?) {
    storage.withLock { storage in
      guard case .readingAll = storage.state else { return }
      storage.ready = batches
      _ = storage.end(throwing: failure)
    }
  }
}
