import CSQLite

extension ConnectionCore {
  /// Installs the hook that notes the length of the log after each commit. It replaces SQLite's own
  /// hook, which only copies the log.
  func installLogBound() throws {
    let bound = LogBound(
      maximumByteCount: configuration.maximumWALBytes,
      pageByteCount: try integer(pragma: "PRAGMA page_size"))
    state.pointee.log.limit(to: bound)
    installLogHook()
  }

  /// Installs the library's hook again if a `PRAGMA wal_autocheckpoint` has replaced it.
  func keepLogHook() {
    if state.pointee.log.takePragma() { installLogHook() }
  }

  /// Installs `logDidGrow`, in place of SQLite's own hook. It is called after each commit to a log.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  func installLogHook() {
    state.pointee.log.willInstallHook()
    // `deinit` frees the state only after it has closed the handle.
    sqlite3_wal_hook(handle, logDidGrow, UnsafeMutableRawPointer(state))
  }

  /// Installs the library's hook if listeners need it. Without listeners and without a bound of the
  /// log, restores SQLite's own hook.
  func installLogHook(forListeners isWanted: Bool) {
    if isWanted {
      guard !state.pointee.log.hasHook else { return }
      let pages = try? integer(pragma: "PRAGMA wal_autocheckpoint")
      state.pointee.log.copy(from: pages ?? 0)
      installLogHook()
    } else if !state.pointee.log.isBounded {
      state.pointee.log.willRemoveHook()
      sqlite3_wal_autocheckpoint(handle, state.pointee.log.autocheckpoint)
    }
  }

  /// Restarts the log if it is near or above its bound, and waits a moment for its readers. Called
  /// between two accesses of the writer.
  ///
  /// Returns the size of the log in bytes if a reader prevented the restart and the log is above
  /// its bound.
  func keepLogWithinBound() -> Int? {
    guard state.pointee.log.wantsRestart else { return nil }
    let mode = state.pointee.log.restartMode
    let result = waiting(atMost: configuration.maximumLogWait) { try? checkpoint(mode) }
    return state.pointee.log.didTryRestart(result)
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
    state.pointee.log.didCommit(Int(frameCount))
    if state.pointee.cacheFeed.isOn {
      state.pointee.cacheFeed.didCommit(frameCount: Int(frameCount))
    }
  }
  if let name, !state.pointee.hooks.listeners.writeAheadLog.isEmpty {
    let commit = WALCommit(database: String(cString: name), pageCount: Int(frameCount))
    state.callingOut { $0.writeAheadLog.forEachBody { $0(commit) } }
  }
  if state.pointee.log.copies(at: Int(frameCount)) {
    // The readers' kept snapshots are older than this commit, and would limit what is copied.
    state.pointee.log.willCopy?()
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
  return SQLITE_OK
}
