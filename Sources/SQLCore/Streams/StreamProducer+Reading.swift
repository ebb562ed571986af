// What runs on the threads of the database. A job enters its thread while it has the connection, so
// that an access from inside a value's own code is found as everywhere else.
extension StreamProducer {
  /// Takes a connection and submits the first job.
  func begin() {
    let waiter = Waiter()
    _ = waiter.begin { [self] result in
      // Nobody cancels this waiter: a grant to a stream that was closed is given back by its job.
      guard case .success(let grant) = result else { return }
      database.streamThreads.submit { [self] in open(grant) }
    }
    guard !pool.takeForStream(waiter: waiter) else { return }
    let consumer = storage.withLock { storage -> Continuation? in
      guard case .reading(_, let consumer, _) = storage.state else {
        pool.streamDidNotBegin()
        return nil
      }
      storage.state = .ended(ready: [], failure: nil)
      return consumer
    }
    let maximum = max(1, database.configuration.maximumReaders)
    consumer?.resume(throwing: TooManyStreams(maximum: maximum))
  }

  /// Submits the job that reads on.
  func resume(_ cursor: Cursor) {
    database.streamThreads.submit { [self] in
      pool.enterThread()
      read(cursor)
    }
  }

  /// Submits the job that gives back the connection of a stream that was closed while it was paused.
  func discard(_ cursor: Cursor) {
    database.streamThreads.submit { [self] in
      pool.enterThread()
      cursor.end()
      pool.giveBack(cursor.core, to: .stream)
    }
  }

  private func open(_ grant: ConnectionPool.Grant) {
    pool.enterThread()
    let core: ConnectionCore
    do {
      core = try database.openStream(grant)
    } catch {
      willEnd()
      pool.giveBackRoom(to: .stream)
      return didEnd(last: nil, failure: error)
    }
    do {
      let cursor = try Cursor(core: core, source: source)
      do {
        guard allowsInterrupting(core) else { throw CancellationError() }
        try cursor.prepare()
      } catch {
        return end(cursor, last: nil, failure: error)
      }
      read(cursor)
    } catch {
      willEnd()
      pool.giveBack(core, to: .stream)
      didEnd(last: nil, failure: error)
    }
  }

  /// Lets the connection be interrupted; false where the stream was closed before.
  private func allowsInterrupting(_ core: ConnectionCore) -> Bool {
    storage.withLock { storage in
      guard case .reading(let ready, let consumer, nil) = storage.state else { return false }
      storage.state = .reading(ready: ready, consumer: consumer, core: core)
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
      // The cursor may be in another job already.
      case .paused: return pool.leaveThread()
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
    case goesOn, paused, closed
  }

  private func handOver(_ batch: Batch, of cursor: Cursor) -> HandedOver {
    let (handed, consumer) = storage.withLock { storage -> (HandedOver, Continuation?) in
      guard case .reading(var ready, let consumer, let core) = storage.state else {
        return (.closed, nil)
      }
      if let consumer {
        storage.state = .reading(ready: ready, consumer: nil, core: core)
        return (.goesOn, consumer)
      }
      ready.append(batch)
      guard ready.count >= Self.maximumReady else {
        storage.state = .reading(ready: ready, consumer: nil, core: core)
        return (.goesOn, nil)
      }
      storage.state = .paused(ready: ready, cursor: cursor)
      return (.paused, nil)
    }
    consumer?.resume(returning: batch)
    return handed
  }

  // MARK: Ending

  /// Gives back the connection, and only then lets the iterator come to the end.
  private func end(_ cursor: Cursor, last: Batch?, failure: (any Error)?) {
    willEnd()
    cursor.end()
    pool.giveBack(cursor.core, to: .stream)
    didEnd(last: last, failure: failure)
  }

  /// Takes the connection out of the state: from now on nobody interrupts it.
  private func willEnd() {
    storage.withLock { storage in
      guard case .reading(let ready, let consumer, _) = storage.state else { return }
      storage.state = .ending(ready: ready, consumer: consumer)
      pool.streamWillEnd()
    }
  }

  private func didEnd(last: Batch?, failure: (any Error)?) {
    let answer = storage.withLock { storage -> (Continuation, Result<Batch?, any Error>)? in
      guard case .ending(var ready, let consumer) = storage.state else { return nil }
      if let last, last.count > 0 { ready.append(last) }
      guard let consumer else {
        storage.state = .ended(ready: ready, failure: failure)
        return nil
      }
      guard ready.isEmpty else {
        // Who waits has taken what was ready: this is the last batch.
        storage.state = .ended(ready: [], failure: failure)
        return (consumer, .success(last))
      }
      storage.state = .ended(ready: [], failure: nil)
      return (consumer, failure.map { .failure($0) } ?? .success(nil))
    }
    if let (consumer, result) = answer { consumer.resume(with: result) }
  }

  // MARK: In memory

  /// Reads every row before the first is given: the one connection is then free for whoever writes
  /// inside the loop.
  nonisolated(nonsending) func readAll() async throws {
    let source = source
    do {
      let (batches, failure) = try await database.reading(hops: true) { core in
        let cursor = try Cursor(core: core, source: source)
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
      storage.state = .ended(ready: batches, failure: failure)
    }
  }
}

extension Database {
  /// The connection that was granted to a stream, opened where it must be.
  fileprivate func openStream(_ grant: ConnectionPool.Grant) throws -> ConnectionCore {
    switch grant {
    case .connection(let core): core
    case .room:
      try ConnectionCore(location: location, configuration: configuration, isReader: true)
    }
  }
}
