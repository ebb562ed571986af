extension Database {
  /// Reads from one snapshot: whatever others write meanwhile, the closure does not see it.
  ///
  /// The closure runs on this thread; where no reader is idle, the thread waits for one. It returns
  /// the closure's value and rethrows its error. Writing inside throws `.readOnly`.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try reading { core in try core.snapshot { try body(core.lend()) } }
  }

  /// The same from asynchronous code.
  ///
  /// The closure runs where it is called while a reader is idle, except on the main actor, from
  /// which it hops to a thread of the database; where none is idle, the task suspends.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await reading(hops: false) { core in try core.snapshot { try body(core.lend()) } }
  }

  /// Lends a reader on this thread. A single statement is a snapshot of its own.
  package func reading<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    let core = try open(pool.takeBlocking(readLane))
    defer { pool.giveBack(core, to: readLane) }
    return try core.reading { try body(core) }
  }

  /// Lends a reader to a task: here, or on a thread of the database.
  ///
  /// - Parameter hops: true for what may be long.
  nonisolated(nonsending)
    package func reading<Result: Sendable>(
      hops: Bool, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    let mustHop = hops || #isolation === MainActor.shared
    if !mustHop, let core = try pool.takeIfIdle(readLane) {
      defer { pool.giveBack(core, to: readLane) }
      return try core.reading { try body(core) }
    }
    return try await onThread(readerThreads, lane: readLane) { core in
      try core.reading { try body(core) }
    }
  }

  /// Waits for a connection of a lane, then runs a closure with it on one of the threads.
  nonisolated(nonsending)
    func onThread<Result: Sendable>(
      _ threads: WorkerThreads, lane: ConnectionPool.LaneName,
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try pool.checkReentrancy()
    let waiter = Waiter()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withUnsafeThrowingContinuation {
        (continuation: UnsafeContinuation<Result, any Error>) in
        let begun = waiter.begin { result in
          switch result {
          case .failure(let error):
            continuation.resume(throwing: error)
          case .success(let grant):
            threads.submit {
              continuation.resume(with: Swift.Result { try self.run(grant, lane: lane, body) })
            }
          }
        }
        guard begun else { return continuation.resume(throwing: CancellationError()) }
        pool.take(lane, waiter: waiter)
      }
    } onCancel: {
      waiter.cancel()
    }
  }

  private func run<Result>(
    _ grant: ConnectionPool.Grant, lane: ConnectionPool.LaneName,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    pool.enterThread()
    let core = try open(grant)
    defer { pool.giveBack(core, to: lane) }
    return try body(core)
  }

  /// The connection that was granted, opened where it must be.
  func open(_ grant: ConnectionPool.Grant) throws -> ConnectionCore {
    switch grant {
    case .connection(let core):
      return core
    case .room:
      do {
        return try ConnectionCore(location: location, configuration: configuration, isReader: true)
      } catch {
        pool.giveBackRoom(to: .reader)
        throw error
      }
    }
  }
}

extension ConnectionCore {
  /// Forbids writing while the closure runs, also on a connection that could.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let allowed = allowsWriting
    allowsWriting = false
    state.pointee.authorizer.isReader = true
    defer {
      allowsWriting = allowed
      state.pointee.authorizer.isReader = isReader || configuration.isReadOnly
      // What raw SQL began inside must not live on.
      if isInTransaction { try? run(cached: "ROLLBACK") }
    }
    return try body()
  }

  /// Runs a closure in one snapshot.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run(cached: "BEGIN DEFERRED")
    // After an error, `reading` rolls back.
    let (result, _) = try guardingTransaction(body)
    try run(cached: "COMMIT")
    return result
  }
}
