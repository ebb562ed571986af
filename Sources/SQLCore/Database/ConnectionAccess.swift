import Dispatch
import Synchronization

/// Lends connections to closures: here or on a thread of its own, now or when it is their turn.
///
/// What `Database` and `DatabaseSnapshot` have in common; the one connection of a snapshot takes the
/// place of the writer.
final class ConnectionAccess: Sendable {
  let pool: ConnectionPool
  let registrations = ConnectionRegistrations()
  private let location: DatabaseLocation
  private let configuration: Configuration
  /// Whether a connection is in a transaction between two accesses: that of a snapshot.
  private let keepsTransaction: Bool
  let threads: WorkerThreads
  private let writerThread: WorkerThreads
  /// Where the rows of streams are read, a batch at a time.
  let streamThreads: WorkerThreads
  /// Counts the accesses of tasks, to let other tasks run once in a while.
  private let accessCount = Atomic<UInt8>(0)

  init(
    _ first: ConnectionCore, location: DatabaseLocation, configuration: Configuration,
    maximumReaders: Int, keepsTransaction: Bool = false
  ) {
    pool = ConnectionPool(writer: first, maximumReaders: maximumReaders)
    self.location = location
    self.configuration = configuration
    self.keepsTransaction = keepsTransaction
    threads = WorkerThreads(maximum: max(1, maximumReaders))
    writerThread = WorkerThreads(maximum: 1)
    streamThreads = WorkerThreads(maximum: max(1, maximumReaders))
  }

  /// Runs a closure with a connection of a lane on this thread, which waits for it.
  func run<Result>(
    _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    if options.isReentrant, let core = pool.coreOfCurrentThread() { return try body(core) }
    let core = try pool.takeIdle(lane, for: options.place) ?? take(lane, options)
    defer { pool.giveBack(core, to: lane) }
    try begin(core)
    core.state.pointee.deadline = options.deadline
    if options.deadline != nil { try core.checkStopped() }
    return try body(core)
  }

  /// Runs a closure with a connection of a lane: here where one is idle and the closure is short,
  /// else on a thread of its own, while the task is suspended.
  nonisolated(nonsending)
    func run<Result: Sendable>(
      _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    if !options.hops, !Self.isMain(#isolation) {
      if isTimeToYield { await Task.yield() }
      if let core = try pool.takeIdle(lane, for: options.place, isLook: options.isLook) {
        defer {
          pool.giveBack(core, to: lane)
          if options.isLook { pool.endLook(lane) }
        }
        try begin(core)
        core.state.pointee.deadline = options.deadline
        core.state.pointee.asksTask = true
        try core.checkStopped()
        return try body(core)
      }
    }
    try pool.check()
    let waiter = Waiter(isLook: options.isLook)
    return try await wait(lane, options.deadline, waiter) { continuation in
      { result in
        switch result {
        case .failure(let error):
          continuation.resume(throwing: error)
        case .success(let grant):
          (lane == .writer ? self.writerThread : self.threads).submit {
            continuation.resume(
              with: Swift.Result {
                try self.use(grant, lane, options, waiter, body)
              })
          }
        }
      }
    }
  }

  /// What each access begins with: the connection has what was registered, and is in no transaction.
  ///
  /// An earlier one may be left where there was no memory to roll it back: to read on in it would
  /// give what is no longer there.
  func begin(_ core: ConnectionCore) throws {
    if !keepsTransaction, core.isInTransaction { try core.run(cached: "ROLLBACK") }
    try registrations.apply(to: core)
  }

  /// Apart from its caller, and not inlined there: Swift 6.3 compiles the comparison inside an
  /// asynchronous function to code that its own verifier refuses, in release.
  @inline(never)
  private static func isMain(_ actor: (any Actor)?) -> Bool {
    actor === MainActor.shared
  }

  /// True once in 64 accesses. One that runs where it is called does not suspend: tasks that read in
  /// loops would keep the few threads of Swift's pool, and no other task would ever run.
  private var isTimeToYield: Bool {
    accessCount.wrappingAdd(1, ordering: .relaxed).newValue & 63 == 0
  }

  /// Waits in line with a write that can share a commit; `granted` is called on the thread of the
  /// writer, for the first of those that will share it.
  nonisolated(nonsending)
    func share<Write: SharedWrite>(
      _ write: Write, granted: @escaping @Sendable (ConnectionCore, Waiter) -> Void
    ) async throws -> Write.Value
  {
    try Task.checkCancellation()
    try pool.check()
    let waiter = Waiter(sharedWrite: write)
    return try await wait(.writer, nil, waiter) { continuation in
      // Whoever commits it answers it, which need not be the one that is granted the connection.
      write.answer(to: continuation)
      return { result in
        switch result {
        case .failure(let error): write.finish(throwing: error)
        case .success(.connection(let core)): self.writerThread.submit { granted(core, waiter) }
        // The writer is opened with the database: its lane has no room.
        case .success(.room): write.finish(throwing: DatabaseError.misuse("there is no writer"))
        }
      }
    }
  }

  // MARK: Long jobs

  /// Runs a long job with a reader of its own, beside those of the pool; it may use the database.
  func runBeside<Result>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try pool.check()
    let core = try ConnectionCore(location: location, configuration: configuration, isReader: true)
    try pool.admit(core, for: SourcePlace(fileID, line))
    defer { pool.leave(core) }
    return try body(core)
  }

  /// The same on a thread that is there for it alone.
  nonisolated(nonsending)
    func runBeside<Result: Sendable>(
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try Task.checkCancellation()
    try pool.check()
    let thread = WorkerThreads(maximum: 1)
    return try await withUnsafeThrowingContinuation { continuation in
      thread.submit {
        continuation.resume(
          with: Swift.Result { try self.runBeside(fileID: fileID, line: line, body) })
      }
    }
  }

  /// Runs on a thread of the database what blocks, and needs no connection of the pool.
  nonisolated(nonsending)
    func runWithoutConnection<Result: Sendable>(
      _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result
  {
    try Task.checkCancellation()
    try pool.check()
    return try await withUnsafeThrowingContinuation { continuation in
      threads.submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  // MARK: Waiting

  /// Suspends the task until the waiter is granted a connection, cancelled, or too late.
  nonisolated(nonsending)
    private func wait<Result: Sendable>(
      _ lane: ConnectionPool.LaneName, _ deadline: Deadline?, _ waiter: Waiter,
      _ answer: (UnsafeContinuation<Result, any Error>) -> Waiter.Answer
    ) async throws -> Result
  {
    let timer = deadline.map { deadline in
      Task.detached {
        try? await Task.sleep(nanoseconds: deadline.remaining)
        waiter.endWaiting(with: DeadlineExceeded())
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
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

  /// Waits for a connection on this thread.
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

  /// Uses a grant on a thread of our own.
  private func use<Result>(
    _ grant: ConnectionPool.Grant, _ lane: ConnectionPool.LaneName, _ options: AccessOptions,
    _ waiter: Waiter, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    defer { if waiter.isLook { pool.endLook(lane) } }
    let core = try open(grant, lane)
    pool.enter(with: core, for: options.place)
    defer { pool.giveBack(core, to: lane) }
    try begin(core)
    core.state.pointee.deadline = options.deadline
    waiter.run(on: core)
    defer { waiter.finish() }
    try core.checkStopped()
    return try body(core)
  }

  /// The connection that was granted, opened where it must be.
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

  /// The same for a stream, which gives back what could not be opened itself.
  func open(_ grant: ConnectionPool.Grant) throws -> ConnectionCore {
    switch grant {
    case .connection(let core): core
    case .room:
      try ConnectionCore(location: location, configuration: configuration, isReader: true)
    }
  }
}
