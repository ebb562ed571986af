import CSQLite

/// The state of a connection that concerns its write-ahead log: the length of the log, the bound
/// that it should not exceed (`Configuration.maximumWALBytes`), and the library's log hook.
struct WALState {
  private var bound = WALBound()
  /// Whether the library's log hook is installed in place of SQLite's own.
  private(set) var hasHook = false
  /// A `PRAGMA wal_autocheckpoint` that was just compiled, until `keepWALHook()` handles it.
  private var pragma: CheckpointPragma?
  /// The number of commits to the log of the main database that the hook has noted. It wraps
  /// around.
  private(set) var commitCount: UInt32 = 0

  /// The known facts about the wal-index of the log.
  private(set) var index = WALIndexSupport.unknown

  /// The closure that is called before a commit copies the log into the database file.
  private(set) var willCopy: (@Sendable () -> Void)?

  /// The number of frames in the log after the last commit.
  var frameCount: Int { bound.frameCount }

  /// Whether the size of the log is limited.
  var isBounded: Bool { bound.isBounded }

  /// The number of pages to pass to `sqlite3_wal_autocheckpoint`, so that SQLite's own hook copies
  /// the log at the same length as the library's hook.
  var autocheckpoint: Int32 { bound.autocheckpoint }

  // MARK: The index

  /// Stores what is known about the wal-index of the log.
  mutating func use(_ index: WALIndexSupport) {
    self.index = index
  }

  // MARK: The hook

  /// Sets a closure that is called before a commit copies the log into the database file. The
  /// closure must not use this connection.
  mutating func callBeforeCopying(_ body: @escaping @Sendable () -> Void) {
    willCopy = body
  }

  /// Sets the bound of the log. The caller must then install the hook.
  mutating func limit(to bound: WALBound) {
    self.bound = bound
  }

  /// Sets how many frames the log must have for a commit to copy it into the database file; 0 or
  /// less turns the copying off.
  mutating func copy(from count: Int) {
    bound.copy(from: count)
  }

  mutating func willInstallHook() { hasHook = true }
  mutating func willRemoveHook() { hasHook = false }

  // MARK: The pragma

  mutating func didCompile(_ pragma: CheckpointPragma) {
    self.pragma = pragma
  }

  /// Whether a pragma was compiled that `takePragma()` has not handled yet.
  var hasPragma: Bool { pragma != nil }

  /// Whether a compiled `PRAGMA wal_autocheckpoint` reads the number of pages while the library's
  /// hook is installed. SQLite itself would then return 0.
  var asksForPages: Bool {
    if case .reading = pragma { hasHook } else { false }
  }

  /// Adopts the number of pages that a pragma has set. Returns true if the pragma has replaced the
  /// library's hook. The caller must then install the hook again.
  mutating func takePragma() -> Bool {
    guard let pragma = pragma.take(), case .setting(let pages) = pragma, hasHook else {
      return false
    }
    bound.copy(from: pages)
    return true
  }

  // MARK: Growth

  /// Notes that a commit has made the log `count` frames long.
  mutating func didCommit(_ count: Int) {
    commitCount &+= 1
    bound.didCommit(count)
  }

  /// Returns whether a commit copies the log into the database file if the log has `count` frames
  /// after the commit.
  func copies(at count: Int) -> Bool { count >= bound.copying }

  /// Whether the log is so near its bound that a restart should be tried.
  var wantsRestart: Bool { bound.wantsAttempt }

  /// The mode of the checkpoint that restarts the log. If the log is within its bound, its file
  /// keeps its length, because overwriting a file is faster than appending to it.
  var restartMode: CheckpointMode { bound.isExceeded ? .truncate : .restart }

  /// Notes the result of an attempt to restart the log; a nil result means that the attempt failed.
  /// Returns the size of the log in bytes if the log was not restarted and is above its bound.
  mutating func didTryRestart(_ result: CheckpointResult?) -> Int? {
    if let result, !result.isBusy {
      bound.didRestart()
      return nil
    }
    defer { bound.didFail() }
    return bound.isExceeded ? bound.byteCount : nil
  }
}

/// The length of the write-ahead log, its limit, and the length at which a restart is tried next.
///
/// SQLite can only append to the log while any connection reads from it. If there were always at
/// least one reader, the log would grow without limit.
struct WALBound {
  /// The number of frames in the log after the last commit.
  private(set) var frameCount = 0
  /// The bound, in frames.
  private var maximum = Int.max
  /// The number of frames at which the library next tries to restart the log. At first it is less
  /// than the bound, so that the next transaction does not exceed the bound at once.
  private var nextAttempt = Int.max
  /// How many frames the log must have for a commit to copy it into the database file. As with
  /// SQLite's own hook, the commit copies as much as it can without waiting.
  private(set) var copying = 1_000
  /// The size in bytes of a frame: a page with its header.
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

  /// Sets how many frames the log must have for a commit to copy it into the database file; 0 or
  /// less turns the copying off.
  mutating func copy(from count: Int) {
    copying = count > 0 ? count : .max
  }

  /// The number of pages to pass to `sqlite3_wal_autocheckpoint`, so that SQLite's own hook copies
  /// the log at this length. 0 if the copying is off.
  var autocheckpoint: Int32 { copying == .max ? 0 : Int32(clamping: copying) }

  /// Whether the size of the log is limited.
  var isBounded: Bool { maximum < .max }

  mutating func didRestart() {
    didCommit(0)
  }

  /// Called when a reader has prevented a restart of the log. Sets the length at which the library
  /// tries again. Each attempt waits for readers, so attempts become rarer as the log grows.
  mutating func didFail() {
    let next = frameCount + max(1, maximum / 8, frameCount / 4)
    nextAttempt = isExceeded ? next : min(next, maximum + 1)
  }
}

extension ConnectionCore {
  /// Installs the hook that notes the length of the log after each commit. It replaces SQLite's own
  /// hook, which only makes automatic checkpoints: it copies a long log into the database file.
  func installLogBound() throws {
    let bound = WALBound(
      maximumByteCount: configuration.maximumWALBytes,
      pageByteCount: try integer(pragma: "PRAGMA page_size"))
    state.pointee.wal.limit(to: bound)
    installWALHook()
  }

  /// Installs the library's hook again if a `PRAGMA wal_autocheckpoint` has replaced it.
  func keepWALHook() {
    if state.pointee.wal.takePragma() { installWALHook() }
  }

  /// Installs the library's hook `logDidGrow` in place of SQLite's own hook. SQLite calls the hook
  /// after each commit to a log.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  func installWALHook() {
    state.pointee.wal.willInstallHook()
    // The hook may keep the pointer, because `deinit` frees the state only after it has closed the
    // handle.
    sqlite3_wal_hook(handle, logDidGrow, UnsafeMutableRawPointer(state))
  }

  /// Installs the library's hook if listeners need it. Without listeners and without a bound of the
  /// log, restores SQLite's own hook.
  func installWALHook(forListeners isWanted: Bool) {
    if isWanted {
      guard !state.pointee.wal.hasHook else { return }
      let pages = try? integer(pragma: "PRAGMA wal_autocheckpoint")
      state.pointee.wal.copy(from: pages ?? 0)
      installWALHook()
    } else if !state.pointee.wal.isBounded {
      state.pointee.wal.willRemoveHook()
      sqlite3_wal_autocheckpoint(handle, state.pointee.wal.autocheckpoint)
    }
  }

  /// Restarts the log if it is near or above its bound, and waits a moment for its readers. Called
  /// between two accesses of the writer.
  ///
  /// Returns the size of the log in bytes if a reader prevented the restart and the log is above
  /// its bound.
  func keepWALWithinBound() -> Int? {
    guard state.pointee.wal.wantsRestart else { return nil }
    let mode = state.pointee.wal.restartMode
    let result = waiting(atMost: configuration.maximumLogWait) { try? checkpoint(mode) }
    return state.pointee.wal.didTryRestart(result)
  }
}

private func logDidGrow(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, name: UnsafePointer<CChar>?,
  frameCount: Int32
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else {
    return SQLITE_OK
  }
  // The hook is called for the logs of attached files as well.
  if name?.isSame(as: "main") == true {
    state.pointee.wal.didCommit(Int(frameCount))
    if state.pointee.cacheFeed.isOn {
      state.pointee.cacheFeed.didCommit(frameCount: Int(frameCount))
    }
  }
  if let name, !state.pointee.hooks.listeners.writeAheadLog.isEmpty {
    let commit = WALCommit(database: String(cString: name), pageCount: Int(frameCount))
    state.callingOut { $0.writeAheadLog.forEachBody { $0(commit) } }
  }
  if state.pointee.wal.copies(at: Int(frameCount)) {
    // The snapshots that readers keep are older than this commit. They would limit how many frames
    // can be copied.
    state.pointee.wal.willCopy?()
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
  return SQLITE_OK
}
