import CSQLite

extension ConnectionCore {
  /// Sets the observer of the connection and installs the hooks that it needs; nil removes the
  /// observer. Throws `DatabaseError` in these cases:
  ///
  /// - A transaction is open.
  /// - `hooksRows` is true, and a session records.
  /// - `hooksRows` is true, and SQLite was built without the pre-update hook.
  ///
  /// When the first hook is installed, every cached statement is compiled again. Otherwise a cached
  /// `DELETE` without a WHERE clause would use SQLite's truncate optimization, which reports no
  /// rows.
  ///
  /// - Parameter hooksRows: whether to report row changes to the observer.
  package func setObserver(
    _ observer: (any StatementObserver)?, hooksRows: Bool = true
  ) throws {
    guard !isInTransaction else {
      throw DatabaseError.misuse("hooks can be installed only outside a transaction")
    }
    guard observer == nil || !hooksRows || !state.pointee.hooks.isRecording else {
      throw DatabaseError.sessionIsOpen
    }
    if observer != nil, hooksRows {
      try SQLiteLibrary.Feature.preUpdateHook.require(for: "recording rows")
    }
    state.pointee.observation.set(observer, hooksRows: hooksRows)
    installHooks()
  }

  package var observer: (any StatementObserver)? { state.pointee.observation.observer }

  /// Whether SQLite was built with the pre-update hook.
  package static var hasPreUpdateHook: Bool {
    SQLiteLibrary.Feature.preUpdateHook.isAvailable
  }

  /// The name that the program has given to the current write, for observers. Setting it sets
  /// `writeAuthor` to nil.
  package var writeLabel: String? {
    get { state.pointee.observation.writeLabel }
    set { state.pointee.observation.label(newValue) }
  }

  /// The author of the current write, for observers.
  package var writeAuthor: String? {
    get { state.pointee.observation.writeAuthor }
    set { state.pointee.observation.name(author: newValue) }
  }

  /// Makes each later commit fail if a callback failed before the commit and could not report its
  /// error to SQLite.
  func vetoFailedCommits() {
    state.pointee.hooks.vetoFailedCommits()
    installHooks()
  }

  func purgeListeners() {
    // The removed closures are released at the end of this method, because they may hold a caller's
    // object whose `deinit` uses the connection.
    let listeners = state.pointee.hooks.listeners
    defer { withExtendedLifetime(listeners) {} }
    state.pointee.hooks.purgeListeners()
    installHooks()
  }

  /// Sets the cache that is notified of the rows that this connection changes; nil if the database
  /// caches nothing.
  func feed(_ cache: DatabaseCache?) {
    state.pointee.cacheFeed.use(cache)
    installHooks()
  }

  /// Removes the pre-update hook, so that a session can use its slot in SQLite. The hook and the
  /// sessions share this slot.
  func removePreUpdateHook() {
    guard state.pointee.hooks.installed.contains(.preUpdate), !state.pointee.hooks.isRecording
    else {
      return
    }
    sqlite3_preupdate_hook(handle, nil, nil)
  }

  /// Installs the pre-update hook again after a session that used its slot has ended.
  func restorePreUpdateHook() {
    guard state.pointee.hooks.installed.contains(.preUpdate), !state.pointee.hooks.isRecording
    else {
      return
    }
    state.pointee.cacheFeed.noteUnknown()
    sqlite3_preupdate_hook(handle, preUpdate, UnsafeMutableRawPointer(state))
  }

  /// Installs the hooks that the observer and the listeners need now, and removes the others.
  func installHooks() {
    let changes = state.pointee.hooks.update(
      isObserved: observer != nil, observesRows: state.pointee.observation.observesRows,
      feedsCache: state.pointee.cacheFeed.isOn)
    let (wanted, changed) = (changes.wanted, changes.hooks)
    let context = UnsafeMutableRawPointer(state)
    if changed.contains(.commit) {
      let isWanted = wanted.contains(.commit)
      sqlite3_commit_hook(handle, isWanted ? willCommit : nil, isWanted ? context : nil)
    }
    if changed.contains(.rollback) {
      let isWanted = wanted.contains(.rollback)
      sqlite3_rollback_hook(handle, isWanted ? didRollBack : nil, isWanted ? context : nil)
    }
    if changed.contains(.update) {
      let isWanted = wanted.contains(.update)
      sqlite3_update_hook(handle, isWanted ? didUpdate : nil, isWanted ? context : nil)
    }
    if changed.contains(.preUpdate) {
      let isWanted = wanted.contains(.preUpdate)
      sqlite3_preupdate_hook(handle, isWanted ? preUpdate : nil, isWanted ? context : nil)
    }
    if changed.contains(.writeAheadLog) {
      installWALHook(forListeners: wanted.contains(.writeAheadLog))
    }
    if let kinds = changes.trace { installTrace(of: kinds) }
    installInterruption()
    // Installing the authorizer makes SQLite recompile every cached statement. This is necessary
    // after a change of the update hook, the pre-update hook or the authorizer listeners.
    if changes.expiresStatements { installAuthorizer() }
  }
}

private func state(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ConnectionState>? {
  context?.assumingMemoryBound(to: ConnectionState.self)
}

private func preUpdate(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, operation: Int32,
  database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?,
  oldRowID: sqlite3_int64, newRowID: sqlite3_int64
) {
  guard let state = state(context), let handle, let database, let table else { return }
  if state.pointee.cacheFeed.isOn {
    state.feedCache(operation, database: database, table: table, oldRowID: oldRowID)
  }
  // If no observer and no listener needs changes of the table, a row change costs only this
  // comparison.
  guard !state.pointee.observation.passesOver(table) else { return }
  notify(
    state, of: handle, operation: operation, database: database, table: table,
    oldRowID: oldRowID, newRowID: newRowID)
}

/// Notifies the observer and the listeners of a row change. This is a separate function, so that
/// `preUpdate` need not save registers when it returns early.
@inline(never)
private func notify(
  _ state: UnsafeMutablePointer<ConnectionState>, of handle: OpaquePointer, operation: Int32,
  database: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
  oldRowID: sqlite3_int64, newRowID: sqlite3_int64
) {
  let event = PreUpdateEvent(
    handle: handle, kind: UpdateEvent.Kind(operation: operation), database: database, table: table,
    oldRowID: oldRowID, newRowID: newRowID)
  let matters = state.pointee.observation.observesRows && state.notifyObserver(of: event)
  guard !state.pointee.hooks.listeners.preUpdate.isEmpty else {
    // `lastPassedOver` is cleared when a statement begins or ends. A write to an incremental BLOB
    // is not a statement, so the table of such a write is not stored there.
    if !matters, event.blobColumn < 0 { state.pointee.observation.passOver(table) }
    return
  }
  state.callingOut { listeners in
    listeners.preUpdate.forEachBody { $0(event) }
  }
}

private func willCommit(context: UnsafeMutableRawPointer?) -> Int32 {
  guard let state = state(context) else { return 0 }
  // If a collation or a tokenizer has failed, the written data may be out of order. The result 1
  // makes SQLite roll the transaction back.
  guard !state.pointee.hooks.spoilsWrites else { return 1 }
  if !state.pointee.hooks.listeners.commit.isEmpty {
    if let failure = state.askListenersToCommit() {
      // This is SQLITE_CONSTRAINT_COMMITHOOK, a macro that Swift cannot import.
      state.pointee.hooks.noteVeto(NotedFailure(failure, code: SQLITE_CONSTRAINT | 2 << 8))
      return 1
    }
  }
  state.pointee.observation.observer?.commitHookDidFire()
  if state.pointee.hooks.isRecording { state.pointee.cacheFeed.noteUnknown() }
  state.pointee.cacheFeed.willCommit()
  return 0
}

private func didRollBack(context: UnsafeMutableRawPointer?) {
  guard let state = state(context) else { return }
  state.pointee.cacheFeed.didRollBack()
  state.pointee.observation.observer?.rollbackHookDidFire()
  // SQLite also calls this hook when a transaction that only reads is rolled back. Such a rollback
  // is not reported.
  guard state.pointee.access.allowsWriting else { return }
  // If several writes share the transaction, this hook does not report the rollback. It is reported
  // for each write when the outcome of the write is known.
  guard state.pointee.transaction.sharedWrites == nil else { return }
  state.reportRollback()
}

private func didUpdate(
  context: UnsafeMutableRawPointer?, operation: Int32, database: UnsafePointer<CChar>?,
  table: UnsafePointer<CChar>?, rowID: sqlite3_int64
) {
  guard let state = state(context), let database, let table else { return }
  let update = UpdateEvent(
    kind: UpdateEvent.Kind(operation: operation), database: String(cString: database),
    table: String(cString: table), rowID: rowID)
  state.callingOut { $0.update.forEachBody { $0(update) } }
}

extension UnsafeMutablePointer where Pointee == ConnectionState {
  /// Records a row change for the cache. This is a separate function, because most connections have
  /// no cache and never call it.
  @inline(never)
  fileprivate func feedCache(
    _ operation: Int32, database: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
    oldRowID: Int64
  ) {
    guard database.isSame(as: "main") else { return }
    pointee.cacheFeed.note(table, rowID: operation == SQLITE_INSERT ? nil : oldRowID)
  }

  /// Reports a row change to the observer. Returns false if the observer does not need changes of
  /// the row's table.
  fileprivate func notifyObserver(of event: borrowing PreUpdateEvent) -> Bool {
    guard !pointee.observation.passesOver(event) else { return false }
    guard let observer = pointee.observation.installed, !observer.pointee.rowWillChange(event)
    else { return true }
    pointee.observation.passOver(event)
    return false
  }

  /// Calls the commit listeners, once for each write that the transaction commits. Returns the
  /// error that a listener threw.
  fileprivate func askListenersToCommit() -> (any Error)? {
    let count = pointee.transaction.sharedWrites?.done ?? 1
    return callingOut { listeners in
      do {
        for _ in 0..<count {
          pointee.transaction.willReportSharedWrite()
          try listeners.commit.forEachBody { try $0() }
        }
        return nil
      } catch {
        return error
      }
    }
  }

  /// Calls the rollback listeners.
  func reportRollback() {
    guard !pointee.hooks.listeners.rollback.isEmpty else { return }
    callingOut { $0.rollback.forEachBody { $0() } }
  }

  /// Runs a closure that calls listeners. During the closure, the connection runs no statement. If
  /// a listener is added or removed during the closure, the closure still uses the former list.
  func callingOut<Result>(_ body: (HookListeners) -> Result) -> Result {
    pointee.hooks.willCallOut()
    defer { pointee.hooks.didCallOut() }
    return body(pointee.hooks.listeners)
  }
}
