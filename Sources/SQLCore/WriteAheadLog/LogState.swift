/// The state of a connection that concerns its write-ahead log: the length and the bound of the
/// log, and whether the library's log hook is installed in place of SQLite's own.
struct LogState {
  private var bound = LogBound()
  /// Whether the library's log hook is installed in place of SQLite's own.
  private(set) var hasHook = false
  /// A `PRAGMA wal_autocheckpoint` that was just compiled, until `keepLogHook()` handles it.
  private var pragma: CheckpointPragma?
  /// The number of commits to the log of the main database that the hook has noted; it wraps around.
  private(set) var commitCount: UInt32 = 0

  /// The index of the log, as far as it was found out.
  private(set) var index = LogIndexSupport.unknown

  /// Called before a commit copies the log into the database file.
  private(set) var willCopy: (@Sendable () -> Void)?

  /// The number of frames in the log after the last commit.
  var frameCount: Int { bound.frameCount }

  /// Whether the log has a bound.
  var isBounded: Bool { bound.isBounded }

  /// The number for SQLite's own hook that has the same effect as the library's.
  var autocheckpoint: Int32 { bound.autocheckpoint }

  // MARK: The index

  /// Notes what was found out about the index of the log.
  mutating func use(_ index: LogIndexSupport) {
    self.index = index
  }

  // MARK: The hook

  /// Sets a closure that is called before a commit copies the log into the database file. It must
  /// not use this connection.
  mutating func callBeforeCopying(_ body: @escaping @Sendable () -> Void) {
    willCopy = body
  }

  /// Sets the bound of the log. The hook must be installed next.
  mutating func limit(to bound: LogBound) {
    self.bound = bound
  }

  /// Sets the number of frames from which a commit copies the log; 0 or less turns this off.
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

  /// Whether a pragma was compiled that asks for the number of pages, which SQLite would read from
  /// its own hook.
  var asksForPages: Bool {
    if case .reading = pragma { hasHook } else { false }
  }

  /// Takes over the number of pages that a pragma has set. Returns whether the pragma has replaced
  /// the library's hook, which must then be installed again.
  mutating func takePragma() -> Bool {
    guard let pragma = pragma.take(), case .setting(let pages) = pragma, hasHook else {
      return false
    }
    bound.copy(from: pages)
    return true
  }

  // MARK: Growth

  /// Notes the length of the log after a commit.
  mutating func didCommit(_ count: Int) {
    commitCount &+= 1
    bound.didCommit(count)
  }

  /// Whether a commit that leaves that many frames copies as much of the log as possible.
  func copies(at count: Int) -> Bool { count >= bound.copying }

  /// Whether the log is so near its bound that it is to be restarted.
  var wantsRestart: Bool { bound.wantsAttempt }

  /// The mode of the checkpoint that restarts the log. A file within its bound keeps its length,
  /// because overwriting is faster than appending.
  var restartMode: CheckpointMode { bound.isExceeded ? .truncate : .restart }

  /// Notes the result of an attempt to restart the log; nil if it failed. Returns the size of the
  /// log in bytes if the log was not restarted and is above its bound.
  mutating func didTryRestart(_ result: CheckpointResult?) -> Int? {
    if let result, !result.isBusy {
      bound.didRestart()
      return nil
    }
    defer { bound.didFail() }
    return bound.isExceeded ? bound.byteCount : nil
  }
}
