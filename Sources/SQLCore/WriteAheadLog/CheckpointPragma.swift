import CSQLite

/// `PRAGMA wal_autocheckpoint`, which puts SQLite's own hook of the log in the place of ours.
///
/// What it asks for, ours does as well, and the log keeps its bound and its listeners: so ours is put
/// back, and goes by the number of pages that was set.
enum CheckpointPragma {
  case reading
  /// From so many pages on a commit copies what it can; 0 or less is never.
  case setting(Int)

  init(argument: UnsafePointer<CChar>?) {
    self = argument.map { .setting(Int(String(cString: $0)) ?? 0) } ?? .reading
  }
}

extension ConnectionCore {
  /// Compiles a statement, and sees to it that our hook of the log stays where it is.
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
      // It gives the number of SQLite's own hook, as it is while the statement is compiled.
      sqlite3_finalize(statement)
      statement = nil
      sqlite3_wal_autocheckpoint(handle, state.pointee.log.autocheckpoint)
      code = sqlite3_prepare_v3(handle, text, length, flags, &statement, &tail)
      installLogHook()
    }
    keepLogHook()
    return code
  }

  /// Puts our hook back where the pragma has taken its place.
  func keepLogHook() {
    guard let pragma = state.pointee.authorizer.checkpointPragma.take(),
      case .setting(let pages) = pragma, state.pointee.hasLogHook
    else { return }
    state.pointee.log.copy(from: pages)
    installLogHook()
  }

  /// Calls `logDidGrow` after each commit to a log, in the place of SQLite's own hook.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  func installLogHook() {
    state.pointee.hasLogHook = true
    // The state outlives the handle's use: `deinit` frees it after closing.
    sqlite3_wal_hook(handle, logDidGrow, UnsafeMutableRawPointer(state))
  }

  /// Makes sure that the hook is there that calls the listeners, or that SQLite's own is where nobody
  /// listens and no bound is kept.
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
