extension Database {
  /// Runs a closure in a transaction, at most once for each key, however often this method is
  /// called.
  ///
  /// ```swift
  /// let number = 4711
  /// let author = try await db.write(id: "sign-up \(number)") { tx in
  ///   try tx.insert(Author(name: "Jane")).id
  /// }
  /// author.value         // the id of the author, whether this or an earlier call inserted it
  /// author.isRepeated    // true if an earlier call inserted the author
  /// ```
  /// The key and the closure's value are stored in the same transaction, in the table `apus_write`,
  /// which the first call creates. If the table already has the key, the closure does not run, and
  /// the stored value is returned.
  ///
  /// If a program cannot know whether a write was committed, for example after a crash, it can
  /// therefore repeat the call with the same key. If the connection to the engine of a remote
  /// database is lost, this method repeats the write by itself, as long as
  /// `Configuration.busyTimeout` allows. The closure may then run several times, but only one run
  /// is committed. The method does not repeat the write if the engine stopped answering during a
  /// statement that may never end; see `RemoteSessionError.allowsRetry`. If the closure throws, its
  /// error is rethrown and no key is stored.
  ///
  /// A key costs one index lookup and one insert. The keys stay until `forgetWrites(olderThan:)`.
  /// Throws `RemoteSessionError` if the engine could not be reached in time. In this case, repeat
  /// the call with the same key. Throws `.notAuthorized` if the schema is locked and the table does
  /// not exist yet, and `.mismatch` if the stored value is not a `Value`.
  /// - Parameter label: A name for this write, reported to observers of changes.
  @discardableResult
  public func write<Value: Codable & Sendable>(
    id: WriteKey, label: String? = nil, deadline: Duration? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> KeyedWrite<Value> {
    try await sendingAgain(deadline) { remaining in
      guard remaining != nil else {
        return try await self.writeAgainIfUndone(label: label) {
          try $0.once(id, KeptValue<Value>.json, body)
        }
      }
      return try await self.write(label: label, deadline: remaining) {
        try $0.once(id, KeptValue<Value>.json, body)
      }
    }
  }

  /// Runs a closure in a transaction, at most once for each key. The closure returns no value.
  ///
  /// ```swift
  /// try await db.write(id: WriteKey()) { tx in try tx.run(Post.update { $0.$likes += 1 }) }
  /// ```
  /// Otherwise, this works like the method for closures that return a value.
  @discardableResult
  public func write(
    id: WriteKey, label: String? = nil, deadline: Duration? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> KeyedWrite<Void> {
    try await sendingAgain(deadline) { remaining in
      guard remaining != nil else {
        return try await self.writeAgainIfUndone(label: label) {
          try $0.once(id, KeptValue<Void>.nothing, body)
        }
      }
      return try await self.write(label: label, deadline: remaining) {
        try $0.once(id, KeptValue<Void>.nothing, body)
      }
    }
  }

  /// Runs a closure in a transaction, at most once for each key. The closure runs on this thread.
  @discardableResult
  public func write<Value: Codable & Sendable>(
    id: WriteKey, label: String? = nil, deadline: Duration? = nil,
    _ body: (Connection) throws -> Value
  ) throws -> KeyedWrite<Value> {
    try sendingAgain(deadline) { remaining in
      try write(label: label, deadline: remaining) {
        try $0.once(id, KeptValue<Value>.json, body)
      }
    }
  }

  /// Runs a closure in a transaction, at most once for each key. The closure returns no value, and
  /// runs on this thread.
  @discardableResult
  public func write(
    id: WriteKey, label: String? = nil, deadline: Duration? = nil,
    _ body: (Connection) throws -> Void
  ) throws -> KeyedWrite<Void> {
    try sendingAgain(deadline) { remaining in
      try write(label: label, deadline: remaining) {
        try $0.once(id, KeptValue<Void>.nothing, body)
      }
    }
  }

  /// Deletes the keys of all writes that were committed longer ago than `age`, in whole seconds,
  /// and returns the number of deleted keys. If a call is repeated with a deleted key, its write is
  /// applied again.
  ///
  /// ```swift
  /// try db.forgetWrites(olderThan: .seconds(7 * 86_400))
  /// ```
  /// Costs one transaction, which reads all keys. Keep the keys for longer than any caller may take
  /// to repeat a call.
  @discardableResult
  public func forgetWrites(olderThan age: Duration) throws -> Int {
    try write { try $0.forgetKeys(olderThan: age) }
  }

  /// Deletes the keys of all writes that were committed longer ago than `age`, and returns the
  /// number of deleted keys. This is the asynchronous form.
  @discardableResult
  public func forgetWrites(olderThan age: Duration) async throws -> Int {
    try await write { try $0.forgetKeys(olderThan: age) }
  }

  // MARK: Sending again

  private func sendingAgain<Result>(
    _ deadline: Duration?, _ body: (_ remaining: Duration?) throws -> Result
  ) throws -> Result {
    var attempts = KeyedAttempts(configuration.busyTimeout, deadline)
    while true {
      do {
        return try body(attempts.remaining)
      } catch {
        pause(nanoseconds: try attempts.pause(after: error))
      }
    }
  }

  private func sendingAgain<Result: Sendable>(
    _ deadline: Duration?, _ body: (_ remaining: Duration?) async throws -> Result
  ) async throws -> Result {
    var attempts = KeyedAttempts(configuration.busyTimeout, deadline)
    while true {
      do {
        return try await body(attempts.remaining)
      } catch {
        let pause = try attempts.pause(after: error)
        // If the task is cancelled, the sleep ends at once, and the next attempt detects the
        // cancellation.
        try? await Task.sleep(nanoseconds: pause)
      }
    }
  }
}

/// The attempts to run one write with a key, and the time that remains for further attempts.
private struct KeyedAttempts {
  private let allowed: UInt64
  private let end: ContinuousClock.Instant?
  private var firstFailure: UInt64?
  private var unknown: RemoteSessionError?
  private var wait: UInt64 = 1_000_000

  init(_ busyTimeout: Duration, _ deadline: Duration?) {
    allowed = UInt64(clamping: busyTimeout.wholeMilliseconds) &* 1_000_000
    end = deadline.map { ContinuousClock.now + $0 }
  }

  /// The time until the deadline; nil if there is no deadline.
  var remaining: Duration? { end.map { max(.zero, $0 - .now) } }

  /// Returns how many nanoseconds the caller waits before the next attempt. Throws if there is no
  /// time for another attempt, or if another attempt would not help.
  ///
  /// After an attempt with an unknown outcome, the outcome of the write stays unknown until a later
  /// attempt succeeds, or until the closure of a later attempt runs and throws.
  mutating func pause(after error: any Error) throws -> UInt64 {
    guard let lost = error as? RemoteSessionError else {
      let isEarly =
        error is DeadlineExceeded || error is CancellationError
        || (error as? DatabaseError)?.code.primary == .busy
      throw isEarly ? unknown ?? error : error
    }
    if lost.outcome == .unknown { unknown = lost }
    let now = Deadline.now.nanoseconds
    let first = firstFailure ?? now
    firstFailure = first
    guard lost.allowsRetry, now &- first < allowed, end.map({ $0 > .now }) ?? true else {
      throw unknown ?? lost
    }
    defer { wait = min(wait &* 2, 100_000_000) }
    return wait
  }
}
