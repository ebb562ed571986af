extension Database: DatabaseReader {
  /// The cache for models with the line `Cached()` in their schema. Nil if the database has no file
  /// or no readers. Programs do not use it directly.
  public var _cache: DatabaseCache? {
    location.isFile && readLane == .reader ? cache : nil
  }

  /// Copies a cached value; programs do not use it directly.
  public func _copyCached(_ word: UInt64, _ number: Int, _ copy: (AnyObject) -> Void) -> Bool {
    // If a database caches nothing, its cache has no version, and this call returns false.
    cache.copy(word, in: number, copy)
  }

  /// Reads from one snapshot on this thread, with one of the readers; programs do not use it
  /// directly, but call `read`.
  public func _read<Result>(
    _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(deadline: deadline, place: SourcePlace(fileID, line))
    options.usesKeptSnapshot = true
    return try access.run(readLane, options) { core in
      try core.readingKeptSnapshot(isOneStatement: false) { try body(core.lend()) }
    }
  }

  /// Reads from one snapshot, from asynchronous code; programs do not use it directly, but call
  /// `read`.
  public func _read<Result: Sendable>(
    on execution: ReadExecution, _ deadline: Duration?, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    var options = AccessOptions(
      deadline: deadline, hops: execution == .background, place: SourcePlace(fileID, line))
    options.usesKeptSnapshot = true
    return try await access.run(readLane, options) { core in
      try core.readingKeptSnapshot(isOneStatement: false) { try body(core.lend()) }
    }
  }

  /// Runs one read statement of a query, on this thread; programs do not use it directly, but call
  /// `find`, `fetch` and the like.
  public func _readOnce<Result>(
    _ fileID: StaticString, _ line: UInt, _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(place: SourcePlace(fileID, line))
    options.usesKeptSnapshot = true
    return try access.run(readLane, options) { core in
      try core.readingKeptSnapshot(isOneStatement: true) { try body(core.lend()) }
    }
  }

  /// Runs one read statement of a query, from asynchronous code; programs do not use it directly,
  /// but call `find`, `fetch` and the like.
  public func _readOnce<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    var options = AccessOptions(hops: execution == .background, place: SourcePlace(fileID, line))
    options.usesKeptSnapshot = true
    // The access and the read share one closure, because each further closure would cost an
    // allocation.
    return try await access.run(readLane, options) { core in
      try core.readingKeptSnapshot(isOneStatement: true) { try body(core.lend()) }
    }
  }

  /// Reads without a transaction, on this thread; programs do not use it directly, but
  /// call `readWithoutTransaction`.
  public func _readWithoutTransaction<Result>(
    isReentrant: Bool, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    var options = AccessOptions(place: SourcePlace(fileID, line))
    options.isReentrant = isReentrant
    return try reading(options) { core in try body(core.lend()) }
  }

  /// Reads without a transaction, from asynchronous code; programs do not use it directly, but
  /// call `readWithoutTransaction`.
  public func _readWithoutTransaction<Result: Sendable>(
    on execution: ReadExecution, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    // The access and the read share one closure, because each further closure would cost an
    // allocation.
    let options = AccessOptions(hops: execution == .background, place: SourcePlace(fileID, line))
    return try await access.run(readLane, options) { core in
      try core.reading { try body(core.lend()) }
    }
  }
}

extension Database {
  /// Reads from one snapshot on a thread of the database, for code that cannot be `async`. Then
  /// calls `completion` on the same thread, with the closure's value or the error.
  ///
  /// ```swift
  /// db.read { try $0.count(Post.all) } completion: { result in … }
  /// ```
  ///
  /// This method returns at once. When `completion` is called, the reader is back in the pool, so
  /// `completion` may use the database. The result is the same as that of the asynchronous `read`.
  /// If the database was closed, or if this method is called inside an access of the database,
  /// `completion` gets the error on another thread.
  public func read<Result: Sendable>(
    deadline: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Connection) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) {
    var options = AccessOptions(deadline: deadline, place: SourcePlace(fileID, line))
    options.usesKeptSnapshot = true
    access.run(
      readLane, options,
      { core in try core.readingKeptSnapshot(isOneStatement: false) { try body(core.lend()) } },
      completion: completion)
  }

  /// Runs a closure with a reader, on this thread. Each statement has its own snapshot.
  package func reading<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try reading(AccessOptions(), body)
  }

  func reading<Result>(
    _ options: AccessOptions, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try access.run(readLane, options) { core in try core.reading { try body(core) } }
  }

  /// Runs a closure with a reader. This is the asynchronous form. The closure runs on the current
  /// thread or on a thread of the database.
  ///
  /// - Parameter hops: Whether to run the closure on a thread of the database. Use it for a closure
  ///   that may take long.
  package func reading<Result: Sendable>(
    hops: Bool, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try await reading(AccessOptions(hops: hops), body)
  }

  /// Runs a read for an observation. It differs from `reading(hops:_:)` in three ways:
  ///
  /// - Only the first result of an observation is read with a reader, because the program requested
  ///   it. Later results are read on the connections of live queries, so that the readers remain
  ///   free for the program.
  /// - `close()` waits for this read to end, instead of throwing `.busy`.
  /// - If another process holds a lock, the read throws `.busy` at once instead of waiting. The
  ///   caller may try again.
  package func observing<Result: Sendable>(
    hops: Bool, isFirst: Bool = false,
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    var options = AccessOptions(hops: hops)
    options.isProbe = true
    return try await access.run(isFirst ? readLane : liveLane, options) { core in
      try core.reading { try core.waiting(atMost: .zero) { try body(core) } }
    }
  }

  func reading<Result: Sendable>(
    _ options: AccessOptions, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try await access.run(readLane, options) { core in try core.reading { try body(core) } }
  }
}

extension ConnectionCore {
  /// Runs a closure whose statements must not write, even if the connection could.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let (couldWrite, wasInTransaction) = (allowsWriting, isInTransaction)
    allowsWriting = false
    let wasReader = state.pointee.authorizer.restrict(toReading: true)
    defer {
      // A transaction that raw SQL began inside the closure must not outlive the closure. The
      // transaction is rolled back before the connection may write again, so that no rollback
      // listener is called.
      if !wasInTransaction { rollBack() }
      allowsWriting = couldWrite
      state.pointee.authorizer.restrict(toReading: wasReader)
    }
    return try body()
  }

  /// Runs a closure in a transaction that reads one snapshot.
  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try run(cached: "BEGIN DEFERRED")
    // If this call throws, the transaction is still open. The method `reading`, which calls this
    // method, then rolls the transaction back.
    let (result, _) = try guardingTransaction(body)
    try run(cached: "COMMIT")
    return result
  }
}
