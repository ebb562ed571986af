import CSQLite

/// The reason why an access ends before its closure returns.
enum StopReason: Sendable {
  case cancelled
  case deadline
  /// `interrupt()` ended the access while it waited for a lock.
  case interrupted

  var error: any Error {
    switch self {
    case .cancelled: CancellationError()
    case .deadline: DeadlineExceeded()
    case .interrupted: DatabaseError(code: .interrupt, message: "interrupted")
    }
  }
}

extension ConnectionCore {
  /// Installs the handlers that can end running statements and waits for locks.
  ///
  /// `sqlite3_interrupt` does not end a wait for a lock, and it cannot distinguish one access from
  /// the next. These handlers instead check whether the current access or its task was cancelled,
  /// and whether the deadline of the access has passed. SQLite calls the progress handler every
  /// 4,000 steps of its virtual machine, which has no measurable cost.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/progress_handler.html>
  func installInterruption() {
    // The pointer to this core stays valid as long as SQLite may use it, because the core closes
    // the handle in its `deinit`.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      handle, state.pointee.hooks.listeners.progressInterval, progress, context)
    sqlite3_busy_handler(handle, busy, context)
  }

  /// Runs a closure whose statements do not wait if another connection holds a lock that they need.
  /// They throw at once instead.
  func withoutBusyHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_handler(handle, nil, nil)
    defer { sqlite3_busy_handler(handle, busy, Unmanaged.passUnretained(self).toOpaque()) }
    return try body()
  }

  /// Ends the access whose number is `lease`, whether it runs a statement or waits for a lock. A
  /// later access has another number and is not affected. Any thread may call this method.
  func cancel(lease: UInt64) {
    // `max` is used, so that a late cancellation of an earlier access does not overwrite the
    // cancellation of a later access.
    cancelledLease.max(lease, ordering: .acquiringAndReleasing)
  }

  /// Ends the running statement or the wait for a lock. Any thread may call this method while the
  /// core is open.
  func interrupt() {
    isInterruptRequested.store(true, ordering: .releasing)
    sqlite3_interrupt(handle)
  }

  /// Returns the reason why the current access must end; nil if it may continue.
  func findStopReason() -> StopReason? {
    if cancelledLease.load(ordering: .acquiring) == lease { return .cancelled }
    return state.pointee.access.findStopReason()
  }

  /// Throws if the access must end. It is called before the closure begins and before each
  /// statement.
  @inline(__always)
  func checkStopped() throws {
    if cancelledLease.load(ordering: .acquiring) == lease || state.pointee.access.mayStop {
      try findWhetherStopped()
    }
  }

  @inline(never)
  private func findWhetherStopped() throws {
    if state.pointee.access.stopReason == nil, let reason = findStopReason() {
      state.pointee.access.stop(because: reason)
    }
    if let reason = state.pointee.access.stopReason { throw reason.error }
  }

  /// Returns the error to throw for a failed statement. It is the first of these that exists: the
  /// error of a remote engine, the error of a callback, the reason why the access was ended, or
  /// SQLite's error.
  func failure(_ code: Int32, of statement: StatementPointer) -> any Error {
    let failure = failure(code, sql: statement.sql)
    guard var error = failure as? DatabaseError else { return failure }
    error.valueCount = Int(sqlite3_bind_parameter_count(statement.handle))
    if configuration.showsValuesInErrors { error.expandedSQL = expandedText(statement.handle) }
    return error
  }

  /// Returns the error to throw for a failed call. It is the first of these that exists: the error
  /// of a remote engine, the error of a callback, the reason why the access was ended, or SQLite's
  /// error.
  func failure(_ code: Int32, sql: @autoclosure () -> String?) -> any Error {
    // If one of the library's own statements is interrupted, `interrupt()` was called, so SQLite's
    // error is returned. A deadline or a cancellation ends such a statement only while the
    // statement waits for a lock.
    let primary = code & 0xFF
    if state.pointee.remote != nil, let failure = remoteFailure(sql: sql()) { return failure }
    if let failure = state.pointee.hooks.takeFailure() { return failure.thrown(sql: sql()) }
    if primary == SQLITE_BUSY
      || primary == SQLITE_INTERRUPT && !state.pointee.transaction.runsOwnStatement,
      let reason = state.pointee.access.takeStopReason()
    {
      return reason.error
    }
    return error(code, sql: sql())
  }

  /// Runs a closure, with `duration` in place of the busy timeout: each statement of the closure
  /// waits for a lock at most this long.
  package func waiting<Result>(
    atMost duration: Duration, _ body: () throws -> Result
  ) rethrows -> Result {
    state.pointee.access.limitWaits(to: UInt64(duration.wholeMilliseconds) &* 1_000_000)
    defer { state.pointee.access.limitWaits(to: nil) }
    return try body()
  }

  fileprivate func progressed() -> Int32 {
    guard !state.pointee.transaction.runsOwnStatement, !hasWritten else { return 0 }
    guard let reason = findStopReason() else { return listenersStop() ? 1 : 0 }
    // If other writes share the transaction, a statement that writes is not interrupted. SQLite
    // would otherwise roll back the whole transaction with all of these writes. Instead, the access
    // ends at its next statement.
    if state.pointee.transaction.isShared, isWriting { return 0 }
    state.pointee.access.stop(because: reason)
    return 1
  }

  /// Whether the last writing statement, such as an UPDATE, has already ended. After the end of the
  /// statement, SQLite calls the progress handler once more. An interruption at that point would
  /// report the statement as failed, although it was committed.
  private var hasWritten: Bool {
    guard let statement = state.pointee.observation.writingStatement else { return false }
    return sqlite3_stmt_busy(statement) == 0
  }

  /// Whether a writing statement is running. SQLite may have called the progress handler for this
  /// statement, or for a query that one of its SQL functions runs.
  private var isWriting: Bool {
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0, sqlite3_stmt_readonly(current) == 0 { return true }
      statement = sqlite3_next_stmt(handle, current)
    }
    return false
  }

  /// Waits a short time for a lock. Returns 1 if SQLite must try again, and 0 if the wait must end.
  /// `count` is the number of waits so far.
  func waits(_ count: Int32) -> Int32 {
    if count == 0 { state.pointee.access.beginWait() }
    if let reason = findStopReason() {
      state.pointee.access.stop(because: reason)
      return 0
    }
    if isInterruptRequested.load(ordering: .acquiring) {
      state.pointee.access.stop(because: .interrupted)
      return 0
    }
    let waitsOn: Bool
    do {
      waitsOn = try listenersWait(attempts: Int(count))
    } catch {
      state.pointee.hooks.note(error, code: SQLITE_BUSY)
      return 0
    }
    let waited = state.pointee.access.waited
    let allowed = state.pointee.access.longestWait(configuration.busyTimeout)
    guard waited < allowed || waitsOn else { return 0 }
    // The pauses are short at first, and at most 5 ms long, so that a cancellation is noticed soon.
    let left = min(
      waitsOn ? .max : allowed - waited, state.pointee.access.deadline?.remaining ?? .max)
    pause(nanoseconds: min(UInt64(clamping: count) &* 500_000 &+ 500_000, 5_000_000, left))
    return 1
  }
}

extension ConnectionCore {
  /// Calls the progress listeners. Returns true if one of them throws, which ends the running
  /// statement.
  private func listenersStop() -> Bool {
    guard !state.pointee.hooks.listeners.progress.isEmpty else { return false }
    let failure = state.callingOut { listeners -> (any Error)? in
      do {
        try listeners.progress.forEachBody { try $0.body() }
        return nil
      } catch {
        return error
      }
    }
    guard let failure else { return false }
    state.pointee.hooks.note(failure, code: SQLITE_INTERRUPT)
    return true
  }

  /// Calls the listeners for waits. Returns whether one of them wants to continue waiting, even
  /// beyond the busy timeout. Throws if a listener throws.
  private func listenersWait(attempts: Int) throws -> Bool {
    guard !state.pointee.hooks.listeners.busy.isEmpty else { return false }
    return try state.callingOut { listeners in
      Result {
        var waitsOn = false
        try listeners.busy.forEachBody { if try $0(attempts) { waitsOn = true } }
        return waitsOn
      }
    }.get()
  }
}

private func progress(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<ConnectionCore>.fromOpaque(context).takeUnretainedValue().progressed()
}

private func busy(_ context: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<ConnectionCore>.fromOpaque(context).takeUnretainedValue().waits(count)
}
