import CSQLite

/// A use of `PRAGMA wal_autocheckpoint`, which replaces the library's log hook by SQLite's own.
///
/// The library's hook also checkpoints automatically, and besides it bounds the log and calls the
/// listeners. So the library installs its hook again, with the number of pages that the pragma has
/// set.
enum CheckpointPragma {
  case reading
  /// Sets the number of pages from which a commit copies as much of the log as possible; 0 or less
  /// turns this off.
  case setting(Int)

  init(argument: UnsafePointer<CChar>?) {
    self = argument.map { .setting(Int(String(cString: $0)) ?? 0) } ?? .reading
  }
}

extension ConnectionCore {
  /// Compiles a statement, and keeps the library's log hook installed.
  func prepare(
    _ text: UnsafePointer<CChar>, byteCount: Int, _ statement: inout OpaquePointer?,
    _ tail: inout UnsafePointer<CChar>?
  ) -> Int32 {
    keepLogHook()
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let length = Int32(clamping: byteCount)
    var code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
    if case .reading = state.pointee.authorizer.checkpointPragma, code == SQLITE_OK,
      state.pointee.hasLogHook
    {
      // The pragma returns the number of SQLite's own hook, which it reads while it is compiled.
      sqlite3_finalize(statement)
      statement = nil
      sqlite3_wal_autocheckpoint(handle, state.pointee.log.autocheckpoint)
      code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
      installLogHook()
    }
    keepLogHook()
    return code
  }

  /// Installs the library's hook again if the pragma has replaced it.
  func keepLogHook() {
    guard let pragma = state.pointee.authorizer.checkpointPragma.take(),
      case .setting(let pages) = pragma, state.pointee.hasLogHook
    else { return }
    state.pointee.log.copy(from: pages)
    installLogHook()
  }

  /// Installs `logDidGrow`, in place of SQLite's own hook. It is called after each commit to a log.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  func installLogHook() {
    state.pointee.hasLogHook = true
    // `deinit` frees the state only after it has closed the handle.
    sqlite3_wal_hook(handle, logDidGrow, UnsafeMutableRawPointer(state))
  }

  /// Installs the library's hook if listeners need it. If there are none and the log has no bound,
  /// restores SQLite's own hook.
  func installLogHook(forListeners isWanted: Bool) {
    if isWanted {
      guard !state.pointee.hasLogHook else { return }
      state.pointee.log.copy(from: (try? integer(pragma: "PRAGMA wal_autocheckpoint")) ?? 0)
      installLogHook()
    } else if !state.pointee.log.isBounded {
      state.pointee.hasLogHook = false
      sqlite3_wal_autocheckpoint(handle, state.pointee.log.autocheckpoint)
    }
  }
}
