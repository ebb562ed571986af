import CSQLite
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The deadline of an access passed before it ended: `db.read(deadline: .seconds(2)) { … }`.
///
/// What ran was stopped, and a transaction was rolled back.
public struct DeadlineExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// Says so.
  public var description: String { "the access took longer than its deadline allows" }
}

/// Why an access ends before its closure returns.
enum StopReason: Sendable {
  case cancelled
  case deadline
  /// By `interrupt()`, while it waited for a lock.
  case interrupted

  var error: any Error {
    switch self {
    case .cancelled: CancellationError()
    case .deadline: DeadlineExceeded()
    case .interrupted: DatabaseError(code: .interrupt, message: "interrupted")
    }
  }
}

/// A point in time, in nanoseconds of the clock that nobody sets.
struct Deadline: Sendable {
  let nanoseconds: UInt64

  static var now: Deadline {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Deadline(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
  }

  /// The same clock as far as it was read at the last tick, some milliseconds ago: it costs less.
  static var roughlyNow: Deadline {
    #if canImport(Darwin)
      Deadline(nanoseconds: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX))
    #else
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
      return Deadline(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    #endif
  }

  static func after(_ duration: Duration) -> Deadline {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return now }
    // About 31 years are as good as no deadline.
    let bounded = UInt64(min(seconds, 1_000_000_000)) &* 1_000_000_000
    return Deadline(
      nanoseconds: now.nanoseconds &+ bounded &+ UInt64(attoseconds / 1_000_000_000))
  }

  var hasPassed: Bool { Deadline.now.nanoseconds >= nanoseconds }

  /// What is left, in nanoseconds.
  var remaining: UInt64 {
    let now = Deadline.now.nanoseconds
    return now < nanoseconds ? nanoseconds &- now : 0
  }
}

extension ConnectionCore {
  /// Lets running statements and waits for locks be ended.
  ///
  /// `sqlite3_interrupt` does not end a wait, and it cannot tell one access from the next; these
  /// handlers look at what is said of the access that runs. SQLite calls the first each 4,000
  /// steps of its machine, which costs nothing that can be measured.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/progress_handler.html>
  func installInterruption() {
    // The core owns the handle, and closes it before it goes.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(handle, 4_000, progress, context)
    sqlite3_busy_handler(handle, busy, context)
  }

  /// Runs a closure in which no lock is waited for.
  func withoutBusyHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    sqlite3_busy_handler(handle, nil, nil)
    defer { sqlite3_busy_handler(handle, busy, Unmanaged.passUnretained(self).toOpaque()) }
    return try body()
  }

  /// Ends the access of that lease, wherever it is; a later one is not touched. From any thread.
  func cancel(lease: UInt64) {
    cancelledLease.store(lease, ordering: .releasing)
  }

  /// Ends the statement that runs, and the wait for a lock. From any thread, while the core lives.
  func interrupt() {
    isInterruptRequested.store(true, ordering: .releasing)
    sqlite3_interrupt(handle)
  }

  /// Why the access that runs must end, if it must.
  fileprivate func findStopReason() -> StopReason? {
    if cancelledLease.load(ordering: .acquiring) == lease { return .cancelled }
    if let deadline = state.pointee.deadline, deadline.hasPassed { return .deadline }
    if state.pointee.asksTask, withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) {
      return .cancelled
    }
    return nil
  }

  /// The same, at the beginning of a statement: the clock and the task are not asked.
  func checkStopped() throws {
    if cancelledLease.load(ordering: .relaxed) == lease { state.pointee.stopReason = .cancelled }
    if let reason = state.pointee.stopReason { throw reason.error }
  }

  /// The error of a statement that failed: what ended it, where somebody did.
  func failure(_ code: Int32, of statement: StatementPointer) -> any Error {
    failure(code, sql: statement.sql)
  }

  func failure(_ code: Int32, sql: @autoclosure () -> String?) -> any Error {
    let primary = code & 0xFF
    if let reason = state.pointee.stopReason,
      primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY
    {
      // An interruption is over with the statement that it ended.
      if case .interrupted = reason { state.pointee.stopReason = nil }
      return reason.error
    }
    return error(code, sql: sql())
  }

  /// Runs a closure in which a lock is waited for that long, whatever the busy timeout.
  func waiting<Result>(
    atMost duration: Duration, _ body: () throws -> Result
  ) rethrows -> Result {
    state.pointee.longestWait = UInt64(duration.wholeMilliseconds) &* 1_000_000
    defer { state.pointee.longestWait = nil }
    return try body()
  }

  fileprivate func progressed() -> Int32 {
    guard let reason = findStopReason() else { return 0 }
    // Interrupting a statement that writes rolls back the whole transaction, and with it the other
    // writes that share the commit: the access ends at its next statement instead.
    if state.pointee.sharesTransaction, !state.pointee.runsReadOnly { return 0 }
    state.pointee.stopReason = reason
    return 1
  }

  /// Waits a little for a lock; 0 where the wait is over. `count` says how often it has waited.
  func waits(_ count: Int32) -> Int32 {
    if count == 0 {
      state.pointee.waitBegan = .now
      isInterruptRequested.store(false, ordering: .relaxed)
    }
    if let reason = findStopReason() {
      state.pointee.stopReason = reason
      return 0
    }
    if isInterruptRequested.load(ordering: .acquiring) {
      state.pointee.stopReason = .interrupted
      return 0
    }
    let waited = Deadline.now.nanoseconds &- state.pointee.waitBegan.nanoseconds
    let allowed =
      state.pointee.longestWait ?? UInt64(configuration.busyTimeout.wholeMilliseconds) &* 1_000_000
    guard waited < allowed else { return 0 }
    // Short at first, and never so long that an end would be noticed late.
    let pause = min(UInt64(count + 1) * 500_000, 5_000_000, allowed - waited)
    var time = timespec(tv_sec: 0, tv_nsec: Int(pause))
    nanosleep(&time, nil)
    return 1
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
