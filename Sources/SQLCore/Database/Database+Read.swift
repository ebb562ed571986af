extension Database {
  /// Reads from one snapshot: whatever others write meanwhile, the closure does not see it.
  ///
  /// The closure runs on this thread; where no reader is idle, the thread waits for one. It returns
  /// the closure's value and rethrows its error. Writing inside throws `.readOnly`. With a deadline,
  /// waiting and reading are ended when it passes, and `DeadlineExceeded` is thrown. `fileID` and
  /// `line` say who reads, for `Configuration.onPinnedLog`.
  /// - SeeAlso: <https://www.sqlite.org/isolation.html>
  public func read<Result>(
    deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    let options = AccessOptions(deadline: deadline, place: SourcePlace(fileID, line))
    return try reading(options) { core in
      try core.snapshot { try body(core.lend()) }
    }
  }

  /// The same from asynchronous code.
  ///
  /// The closure runs where it is called while a reader is idle, except on the main actor, from
  /// which it hops to a thread of the database; `on: .background` hops always, for what may be long.
  /// Where no reader is idle, the task suspends. Cancelling the task ends its statement, or its
  /// waiting, and throws `CancellationError`.
  nonisolated(nonsending)
    public func read<Result: Sendable>(
      on execution: ReadExecution = .caller, deadline: Duration? = nil,
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    let options = AccessOptions(
      deadline: deadline, hops: execution == .background, place: SourcePlace(fileID, line))
    return try await reading(options) { core in
      try core.snapshot { try body(core.lend()) }
    }
  }

  /// Reads without a transaction: two statements of the closure may see different commits.
  ///
  /// - Parameter isReentrant: true lets it begin inside another access of this thread, on that
  ///   access's connection; what is not committed there is seen then.
  public func readWithoutTransaction<Result>(
    isReentrant: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(place: SourcePlace(fileID, line))
    options.isReentrant = isReentrant
    return try reading(options) { core in try body(core.lend()) }
  }

  /// Reads without a transaction, from asynchronous code.
  nonisolated(nonsending)
    public func readWithoutTransaction<Result: Sendable>(
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await reading(AccessOptions(place: SourcePlace(fileID, line))) { core in
      try body(core.lend())
    }
  }

  /// Lends a reader on this thread. A single statement is a snapshot of its own.
  package func reading<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try reading(AccessOptions(), body)
  }

  func reading<Result>(
    _ options: AccessOptions, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try access.run(readLane, options) { core in try core.reading { try body(core) } }
  }

  /// Lends a reader to a task: here, or on a thread of the database.
  ///
  /// - Parameter hops: true for what may be long.
  nonisolated(nonsending)
    package func reading<Result: Sendable>(
      hops: Bool, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try await reading(AccessOptions(hops: hops), body)
  }

  nonisolated(nonsending)
    func reading<Result: Sendable>(
      _ options: AccessOptions, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try await access.run(readLane, options) { core in try core.reading { try body(core) } }
  }
}

extension ConnectionCore {
  /// Forbids writing while the closure runs, also on a connection that could.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let outer = (allowsWriting, state.pointee.authorizer.isReader, isInTransaction)
    allowsWriting = false
    state.pointee.authorizer.isReader = true
    defer {
      (allowsWriting, state.pointee.authorizer.isReader) = (outer.0, outer.1)
      // What raw SQL began inside must not live on.
      if isInTransaction, !outer.2 { try? run(cached: "ROLLBACK") }
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
