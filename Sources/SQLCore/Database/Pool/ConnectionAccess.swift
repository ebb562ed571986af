import Dispatch
import Synchronization

/// The object that runs closures with connections of a pool. A closure runs on the calling thread
/// or on a thread of the database, immediately or when its turn comes.
///
/// `Database` and `DatabaseSnapshot` share this type. The single connection of a snapshot takes the
/// place of the writer.
final class ConnectionAccess: Sendable {
  let pool: ConnectionPool
  let registrations: ConnectionRegistrations
  private let location: DatabaseLocation
  private let configuration: Configuration
  /// Whether the connection stays in a transaction between two accesses, as the connection of a
  /// snapshot does.
  private let keepsTransaction: Bool
  let threads: WorkerThreads
  private let writerThread: WorkerThreads
  private let liveThreads: WorkerThreads
  /// The threads on which streams read their rows, one batch at a time.
  let streamThreads: WorkerThreads
  /// The number of accesses that tasks have begun. At every 64th access, the task yields, so that
  /// other tasks can run.
  private let accessCount = Atomic<UInt8>(0)

  init(
    _ first: ConnectionCore, location: DatabaseLocation, configuration: Configuration,
    maximumReaders: Int, registrations: ConnectionRegistrations = ConnectionRegistrations(),
    keepsTransaction: Bool = false
  ) {
    let maximumLiveReaders = max(1, configuration.maximumLiveReaders)
    pool = ConnectionPool(
      writer: first, maximumReaders: maximumReaders, maximumLiveReaders: maximumLiveReaders)
    self.registrations = registrations
    self.location = location
    self.configuration = configuration
    self.keepsTransaction = keepsTransaction
    threads = WorkerThreads(maximum: max(1, maximumReaders))
    writerThread = WorkerThreads(maximum: 1)
    liveThreads = WorkerThreads(maximum: maximumLiveReaders)
    streamThreads = WorkerThreads(maximum: max(1, maximumReaders))
    first.state.pointee.wal.callBeforeCopying { [weak pool] in pool?.endKeptSnapshots() }
  }

  /// Waits for a connection of the given kind, such as a reader, and runs a closure with it on this
  /// thread.
  func run<Result>(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    if options.isReentrant, let core = pool.coreOfCurrentThread() { return try body(core) }
    let core = try pool.takeIdle(lane, for: options.place) ?? take(lane, options)
    defer { pool.giveBack(core, to: lane) }
    try begin(core, options)
    core.state.pointee.access.begin(deadline: options.deadline)
    if options.deadline != nil { try core.checkStopped() }
    return try body(core)
  }

  /// Runs a closure with a connection of the given kind, such as a reader. The closure runs on the
  /// calling thread if it is short, a connection is idle, and the caller is not on the main actor.
  /// Otherwise it runs on a thread of the database while the task is suspended.
  func run<Result: Sendable>(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    if !options.hops, !isMain(#isolation) {
      if isTimeToYield { await Task.yield() }
      if let core = try pool.takeIdle(lane, for: options.place, isProbe: options.isProbe) {
        defer {
          pool.giveBack(core, to: lane)
          if options.isProbe { pool.endProbe(lane) }
        }
        try begin(core, options)
        core.state.pointee.access.begin(deadline: options.deadline, inTask: true)
        try core.checkStopped()
        return try body(core)
      }
    }
    try pool.check()
    let body = carryingOrigin(body)
    let waiter = Waiter(isProbe: options.isProbe)
    return try await wait(lane, options.deadline, waiter) { continuation in
      self.answer(lane, options, waiter, body) { continuation.resume(with: $0) }
    }
  }

  /// Runs a closure with a connection of the given kind, such as a reader, on a thread of the
  /// database. Then gives the connection back, and calls `completion` on the same thread.
  func run<Result: Sendable>(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) {
    let waiter = Waiter()
    _ = waiter.begin(answer(lane, options, waiter, carryingOrigin(body), completion))
    if let deadline = options.deadline {
      let time = DispatchTime.now() + .nanoseconds(Int(clamping: deadline.remaining))
      DispatchQueue.global().asyncAfter(deadline: time) { [weak waiter] in
        waiter?.endWaiting(with: DeadlineExceeded())
      }
    }
    do {
      try pool.check()
      try pool.take(lane, for: waiter)
    } catch {
      // The database may have no thread left on which to report the error, because it may be
      // closed. A thread of the system therefore reports it.
      DispatchQueue.global().async { waiter.endWaiting(with: error) }
    }
  }

  /// Returns the closure that is called when an access gets the connection for which it waited.
  /// This closure then runs `body` on a thread of the database.
  private func answer<Result: Sendable>(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions, _ waiter: Waiter,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result,
    _ completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> Waiter.Answer {
    { result in
      switch result {
      case .failure(let error):
        completion(.failure(error))
      case .success(let grant):
        self.threads(of: lane).submit {
          completion(Swift.Result { try self.use(grant, lane, options, waiter, body) })
        }
      }
    }
  }

  /// Prepares a connection for an access: ends a transaction that is still open, and applies the
  /// registrations, for example of functions, that the connection lacks.
  ///
  /// If memory was exhausted, an earlier access may have failed to roll its transaction back, and
  /// reads in that transaction would return outdated rows. A kept snapshot stays open only if the
  /// access may use it and if it is the newest. The access therefore sees everything that was
  /// committed before this call.
  func begin(_ core: ConnectionCore, _ options: AccessOptions = AccessOptions()) throws {
    if !keepsTransaction, core.isInTransaction {
      if options.usesKeptSnapshot, core.state.pointee.kept.isCurrent, registrations.areAll(on: core)
      {
        return
      }
      core.endKeptSnapshot()
      if core.isInTransaction { try core.run(cached: "ROLLBACK") }
    }
    try registrations.apply(to: core)
  }

  /// Returns a closure that calls `body` with this task's `TraceEvent.origin`. If another thread
  /// calls the closure, listeners of statements still see the origin of the task.
  func carryingOrigin<Argument, Result>(
    _ body: @escaping @Sendable (Argument) throws -> Result
  ) -> @Sendable (Argument) throws -> Result {
    guard configuration.onStatement != nil, let origin = TraceEvent.origin else { return body }
    return { argument in
      try TraceEvent.$origin.withValue(origin) { try body(argument) }
    }
  }

  private func threads(of lane: ConnectionPool.LaneName) -> WorkerThreads {
    switch lane {
    case .writer: writerThread
    case .reader, .stream: threads
    case .live: liveThreads
    }
  }

  /// Whether the task should yield now: true once in 64 accesses. An access on the calling thread
  /// does not suspend its task. Tasks that read in loops could therefore occupy all threads of
  /// Swift's pool, and no other task would run.
  private var isTimeToYield: Bool {
    accessCount.wrappingAdd(1, ordering: .relaxed).newValue & 63 == 0
  }

  /// Requests the writer for a write that can share a commit, and returns the write's result. If
  /// the write becomes the first of a shared transaction, calls `granted` on the writer's thread.
  func share<Write: SharedWrite>(
    _ write: Write, granted: @escaping @Sendable (ConnectionCore, Waiter) -> Void
  ) async throws -> Write.Value {
    try Task.checkCancellation()
    try pool.check()
    let waiter = Waiter(sharedWrite: write)
    return try await wait(.writer, nil, waiter) { continuation in
      // The result is not delivered here, but by the group of writes that commits this write. The
      // connection may have been granted to another write of that group.
      write.answer(to: continuation)
      return { result in
        switch result {
        case .failure(let error): write.finish(throwing: error)
        case .success(.connection(let core)): self.writerThread.submit { granted(core, waiter) }
        // This case never occurs. The writer's connection opens together with the database, so its
        // lane never grants the permission to open a connection.
        case .success(.room): write.finish(throwing: DatabaseError.misuse("there is no writer"))
        }
      }
    }
  }

  // MARK: Long jobs

  /// Runs a long job, such as a backup, on its own connection. The connection is a reader that is
  /// opened only for this job, in addition to the readers of the pool. The job may also use the
  /// database.
  func runBeside<Result>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try pool.check()
    let core = try ConnectionCore(location: location, configuration: configuration, isReader: true)
    try registrations.applyDefinitions(to: core)
    try pool.admit(core, for: SourcePlace(fileID, line))
    defer { pool.leave(core) }
    return try body(core)
  }

  /// Runs a long job, such as a backup. This is the asynchronous form. The job has its own reader
  /// and its own thread, which exist only for this job.
  func runBeside<Result: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    try pool.check()
    return try await WorkerThreads.run { _ in
      try self.runBeside(fileID: fileID, line: line, body)
    }
  }

  /// Runs a blocking closure on a thread of the database, without a connection of the pool.
  func runWithoutConnection<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    try pool.check()
    return try await suspending { continuation in
      threads.submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  // MARK: Waiting

  /// Suspends the task until the waiter is granted a connection or cancelled, or its deadline
  /// passes.
  ///
  /// The closure for `withTaskCancellationHandler` captures the caller's actor, so that it runs on
  /// that actor. Otherwise it would run on a thread of Swift's pool, and each access from the main
  /// actor would hop to the pool and back.
  private func wait<Result: Sendable>(
    _ lane: ConnectionPool.LaneName, _ deadline: Deadline?, _ waiter: Waiter,
    isolation actor: isolated (any Actor)? = #isolation,
    _ answer: (UnsafeContinuation<Result, any Error>) -> Waiter.Answer
  ) async throws -> Result {
    let timer = deadline.map { deadline in
      Task.detached {
        try? await Task.sleep(nanoseconds: deadline.remaining)
        waiter.endWaiting(with: DeadlineExceeded())
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      _ = actor
      return try await suspending { continuation in
        let answer = answer(continuation)
        if let error = waiter.begin(answer) { return answer(.failure(error)) }
        do {
          try pool.take(lane, for: waiter)
        } catch {
          waiter.endWaiting(with: error)
        }
      }
    } onCancel: {
      waiter.cancel()
    }
  }

  /// Blocks this thread until a connection is available, and returns it.
  private func take(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions
  ) throws -> ConnectionCore {
    let semaphore = DispatchSemaphore(value: 0)
    let received = Lock<Result<ConnectionPool.Grant, any Error>?>(nil)
    let waiter = Waiter()
    _ = waiter.begin { result in
      received.withLock { $0 = result }
      semaphore.signal()
    }
    try pool.take(lane, for: waiter)
    if let deadline = options.deadline {
      let time = DispatchTime.now() + .nanoseconds(Int(clamping: deadline.remaining))
      if semaphore.wait(timeout: time) == .timedOut {
        waiter.endWaiting(with: DeadlineExceeded())
        semaphore.wait()
      }
    } else {
      semaphore.wait()
    }
    guard let result = received.withLock({ $0 }) else { throw CancellationError() }
    let core = try open(try result.get(), lane)
    pool.enter(with: core, for: options.place)
    return core
  }

  /// Runs `body` with the connection that was granted, and then gives the connection back to the
  /// pool. If the grant is a permission to open a connection, opens it first.
  private func use<Result>(
    _ grant: ConnectionPool.Grant, _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ waiter: Waiter, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    defer { if waiter.isProbe { pool.endProbe(lane) } }
    let core = try open(grant, lane)
    pool.enter(with: core, for: options.place)
    defer { pool.giveBack(core, to: lane) }
    try begin(core, options)
    core.state.pointee.access.begin(deadline: options.deadline)
    waiter.run(on: core)
    defer { waiter.finish() }
    try core.checkStopped()
    return try body(core)
  }

  /// Returns the connection that was granted. If the grant is a permission to open a connection,
  /// opens it first. If opening fails, gives the grant back to the pool.
  private func open(
    _ grant: ConnectionPool.Grant, _ lane: ConnectionPool.LaneName
  ) throws -> ConnectionCore {
    do {
      return try open(grant)
    } catch {
      pool.giveBack(grant, to: lane)
      throw error
    }
  }

  /// Returns the connection that was granted to a stream, and opens it if necessary. The stream
  /// itself gives the grant back if opening fails.
  func open(_ grant: ConnectionPool.Grant) throws -> ConnectionCore {
    switch grant {
    case .connection(let core): core
    case .room:
      try ConnectionCore(location: location, configuration: configuration, isReader: true)
    }
  }
}
