import CSQLite

/// The length of the write-ahead log, and the length at which it is to be restarted.
///
/// SQLite appends to the log as long as any connection reads from it. If readers overlapped all the
/// time, the log would grow without limit.
struct LogBound {
  /// The number of frames in the log after the last commit.
  private(set) var frameCount = 0
  /// The bound, in frames.
  private var maximum = Int.max
  /// The number of frames at which the library next tries to restart the log. At first it is less
  /// than the bound, so that the next transaction does not exceed the bound at once.
  private var nextAttempt = Int.max
  /// The number of frames from which a commit copies as much of the log as possible, without
  /// waiting, as SQLite's own hook does.
  private(set) var copying = 1_000
  /// The size in bytes of a page with its header.
  private var frameByteCount = 4_096 + 24

  init() {}

  init(maximumByteCount: Int, pageByteCount: Int) {
    frameByteCount = pageByteCount + 24
    maximum = max(8, maximumByteCount / frameByteCount)
    copying = min(1_000, maximum / 2)
    nextAttempt = firstAttempt
  }

  private var firstAttempt: Int { maximum - maximum / 4 }

  var wantsAttempt: Bool { frameCount >= nextAttempt }
  var isExceeded: Bool { frameCount > maximum }
  var byteCount: Int { frameCount * frameByteCount }

  mutating func didCommit(_ count: Int) {
    if count < frameCount { nextAttempt = firstAttempt }
    frameCount = count
  }

  /// Sets the number of frames from which a commit copies the log; 0 or less turns this off.
  mutating func copy(from count: Int) {
    copying = count > 0 ? count : .max
  }

  /// The number for SQLite's own hook that has the same effect.
  var autocheckpoint: Int32 { copying == .max ? 0 : Int32(clamping: copying) }

  /// Whether the log has a bound.
  var isBounded: Bool { maximum < .max }

  mutating func didRestart() {
    didCommit(0)
  }

  /// Plans the next attempt after a reader blocked one. Each attempt waits for readers, so attempts
  /// become rarer as the log grows.
  mutating func didFail() {
    let next = frameCount + max(1, maximum / 8, frameCount / 4)
    nextAttempt = isExceeded ? next : min(next, maximum + 1)
  }
}

extension ConnectionCore {
  /// Installs the hook that notes the length of the log after each commit. It replaces SQLite's own
  /// hook, which only copies the log.
  func installLogBound() throws {
    state.pointee.log = LogBound(
      maximumByteCount: configuration.maximumWALBytes,
      pageByteCount: try integer(pragma: "PRAGMA page_size"))
    installLogHook()
  }

  /// Restarts the log if it is near or above its bound, and waits a moment for its readers. Called
  /// between two accesses of the writer.
  ///
  /// Returns the size of the log in bytes if a reader prevented the restart and the log is above
  /// its bound.
  func keepLogWithinBound() -> Int? {
    guard state.pointee.log.wantsAttempt else { return nil }
    // A file within its bound keeps its length, because overwriting is faster than appending.
    let mode: CheckpointMode = state.pointee.log.isExceeded ? .truncate : .restart
    let result = waiting(atMost: configuration.maximumLogWait) { try? checkpoint(mode) }
    if let result, !result.isBusy {
      state.pointee.log.didRestart()
      return nil
    }
    defer { state.pointee.log.didFail() }
    return state.pointee.log.isExceeded ? state.pointee.log.byteCount : nil
  }
}

func logDidGrow(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, name: UnsafePointer<CChar>?,
  frameCount: Int32
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else {
    return SQLITE_OK
  }
  // The hook is called for the logs of attached files as well.
  if name?.isSame(as: "main") == true { state.pointee.log.didCommit(Int(frameCount)) }
  if let name, !state.pointee.listeners.writeAheadLog.isEmpty {
    let commit = WALCommit(database: String(cString: name), pageCount: Int(frameCount))
    state.callingOut { $0.writeAheadLog.forEachBody { $0(commit) } }
  }
  if Int(frameCount) >= state.pointee.log.copying {
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
  return SQLITE_OK
}
