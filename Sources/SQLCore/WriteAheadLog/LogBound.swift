import CSQLite

/// How long the write-ahead log is, and when it is to begin anew.
///
/// SQLite writes on at the end of the log while anybody reads from it: readers that come and go all
/// the while would let it grow for ever.
struct LogBound {
  /// How many pages stood in the log after the last commit.
  private(set) var frameCount = 0
  /// The bound, in frames.
  private var maximum = Int.max
  /// From how many frames on the log is made to begin anew: before the bound, so that what one
  /// transaction adds does not pass it.
  private var nextAttempt = Int.max
  /// From how many on a commit copies what it can, without waiting, as SQLite does by itself.
  private(set) var copying = 1_000
  /// A page with its header.
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

  /// Copies from so many frames on, as the user asks; not at all for 0 and less.
  mutating func copy(from count: Int) {
    copying = count > 0 ? count : .max
  }

  /// What SQLite's own hook is told, to do the same.
  var autocheckpoint: Int32 { copying == .max ? 0 : Int32(clamping: copying) }

  /// Whether the log has a bound.
  var isBounded: Bool { maximum < .max }

  mutating func didRestart() {
    didCommit(0)
  }

  /// A reader was in the way: each attempt waits for it, so that they become rarer as the log
  /// grows.
  mutating func didFail() {
    let next = frameCount + max(1, maximum / 8, frameCount / 4)
    nextAttempt = isExceeded ? next : min(next, maximum + 1)
  }
}

extension ConnectionCore {
  /// Notes the length of the log after each commit; in the place of SQLite's own hook, which does
  /// no more than copy.
  func installLogBound() throws {
    state.pointee.log = LogBound(
      maximumByteCount: configuration.maximumWALBytes,
      pageByteCount: try integer(pragma: "PRAGMA page_size"))
    installLogHook()
  }

  /// Makes the log begin anew where it has come near its bound, or passed it; waits a moment for
  /// those who read from it. Called between two accesses of the writer.
  ///
  /// Returns the size of the log in bytes where a reader was in the way, and it is above the bound.
  func keepLogWithinBound() -> Int? {
    guard state.pointee.log.wantsAttempt else { return nil }
    // A file within its bound stays as long as it is: writing over it is faster than at its end.
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
  // Attached files have logs, too.
  if sqlite3_stricmp(name, "main") == 0 { state.pointee.log.didCommit(Int(frameCount)) }
  if let name, !state.pointee.listeners.writeAheadLog.isEmpty {
    let commit = WALCommit(database: String(cString: name), pageCount: Int(frameCount))
    state.callingOut { $0.writeAheadLog.forEachBody { $0(commit) } }
  }
  if Int(frameCount) >= state.pointee.log.copying {
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
  return SQLITE_OK
}
