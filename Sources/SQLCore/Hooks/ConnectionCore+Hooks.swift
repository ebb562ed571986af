import CSQLite

/// The slots for hooks of a connection that are in use.
struct InstalledHooks: OptionSet {
  let rawValue: UInt16

  static let commit = InstalledHooks(rawValue: 1)
  static let rollback = InstalledHooks(rawValue: 2)
  static let update = InstalledHooks(rawValue: 4)
  static let preUpdate = InstalledHooks(rawValue: 8)
  static let writeAheadLog = InstalledHooks(rawValue: 16)
}

extension ConnectionCore {
  /// Installs an observer with its hooks, or removes it. Throws misuse inside a transaction, and
  /// while a session records if row changes are to be observed.
  ///
  /// When the first hook is installed, every cached statement is recompiled. A `DELETE` without a
  /// WHERE clause that was compiled without the hook would use SQLite's truncate optimization,
  /// which reports no rows.
  ///
  /// - Parameter hooksRows: Whether row changes are reported to the observer.
  package func setObserver(
    _ observer: (any StatementObserver)?, hooksRows: Bool = true
  ) throws {
    guard !isInTransaction else {
      throw DatabaseError.misuse("hooks can be installed only outside a transaction")
    }
    guard observer == nil || !hooksRows || state.pointee.sessionCount == 0 else {
      throw Self.sessionIsOpen
    }
    state.pointee.observer = observer
    state.pointee.observesRows = observer != nil && hooksRows
    state.pointee.passedOver.removeAll()
    state.pointee.lastPassedOver = nil
    installHooks()
  }

  package var observer: (any StatementObserver)? { state.pointee.observer }

  /// Whether SQLite was built with the pre-update hook.
  package static var hasPreUpdateHook: Bool {
    sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0
  }

  /// The label of the current write, for observers.
  package var writeLabel: String? {
    get { state.pointee.writeLabel }
    set { state.pointee.writeLabel = newValue }
  }

  /// Makes commits fail after a callback has failed that could not report its error to SQLite.
  func vetoFailedCommits() {
    state.pointee.vetoesFailedCommits = true
    installHooks()
  }

  func purgeListeners() {
    state.pointee.listeners.purge()
    installHooks()
  }

  /// Installs the hooks that the observer and the listeners need now, and removes the others.
  func installHooks() {
    let listeners = state.pointee.listeners
    let isObserved = state.pointee.observer != nil
    var wanted: InstalledHooks = []
    if isObserved || state.pointee.vetoesFailedCommits || !listeners.commit.isEmpty {
      wanted.insert(.commit)
    }
    if isObserved || !listeners.rollback.isEmpty { wanted.insert(.rollback) }
    if !listeners.update.isEmpty { wanted.insert(.update) }
    if state.pointee.observesRows || !listeners.preUpdate.isEmpty { wanted.insert(.preUpdate) }
    if !listeners.writeAheadLog.isEmpty { wanted.insert(.writeAheadLog) }

    let known = state.pointee.installedHooks
    let changed = wanted.symmetricDifference(known)
    state.pointee.installedHooks = wanted
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
      installLogHook(forListeners: wanted.contains(.writeAheadLog))
    }
    installTrace(listeners.trace)
    installInterruption()
    // Installing the authorizer recompiles every cached statement, which these hooks and a change
    // of the authorizer listeners require.
    let authorizers = listeners.authorizer.map { ObjectIdentifier($0.listener) }
    if !changed.isDisjoint(with: [.update, .preUpdate])
      || authorizers != state.pointee.knownAuthorizers
    {
      state.pointee.knownAuthorizers = authorizers
      installAuthorizer()
    }
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
  guard let state = state(context), let handle, let database, let table,
    // If no observer or listener needs the table, its row changes cost only this comparison.
    state.pointee.lastPassedOver != table
  else { return }
  notify(
    state, of: handle, operation: operation, database: database, table: table,
    oldRowID: oldRowID, newRowID: newRowID)
}

/// A separate function, so that `preUpdate` can return early without saving registers.
@inline(never)
private func notify(
  _ state: UnsafeMutablePointer<ConnectionState>, of handle: OpaquePointer, operation: Int32,
  database: UnsafePointer<CChar>, table: UnsafePointer<CChar>,
  oldRowID: sqlite3_int64, newRowID: sqlite3_int64
) {
  let event = PreUpdateEvent(
    handle: handle, kind: UpdateEvent.Kind(operation: operation), database: database, table: table,
    oldRowID: oldRowID, newRowID: newRowID)
  let matters = state.pointee.observesRows && state.notifyObserver(of: event)
  guard !state.pointee.listeners.preUpdate.isEmpty else {
    // An incremental BLOB writes without a statement of the library, which would reset
    // `lastPassedOver`.
    if !matters, event.blobColumn < 0 { state.pointee.lastPassedOver = table }
    return
  }
  state.callingOut { listeners in
    listeners.preUpdate.forEachBody { $0(event) }
  }
}

private func willCommit(context: UnsafeMutableRawPointer?) -> Int32 {
  guard let state = state(context) else { return 0 }
  // A collation or a tokenizer failed, so what was written may be out of order.
  guard state.pointee.callbackFailure?.spoilsWrites != true else { return 1 }
  if !state.pointee.listeners.commit.isEmpty {
    if let failure = state.askListenersToCommit() {
      // This is SQLITE_CONSTRAINT_COMMITHOOK, a macro that Swift cannot import.
      state.pointee.callbackFailure = NotedFailure(failure, code: SQLITE_CONSTRAINT | 2 << 8)
      return 1
    }
  }
  state.pointee.observer?.commitHookDidFire()
  return 0
}

private func didRollBack(context: UnsafeMutableRawPointer?) {
  guard let state = state(context) else { return }
  state.pointee.observer?.rollbackHookDidFire()
  // If writes share the transaction, the rollback of each is reported once its outcome is known.
  guard state.pointee.sharedWrites == nil else { return }
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
  /// Reports a row change to the observer. Returns false if the observer does not need changes of
  /// this table.
  fileprivate func notifyObserver(of event: borrowing PreUpdateEvent) -> Bool {
    guard pointee.passedOver.value(of: event) == nil else { return false }
    guard pointee.observer?.rowWillChange(event) == false else { return true }
    pointee.passedOver.note(0, of: event)
    return false
  }

  /// Calls the commit listeners, once for each write that the transaction commits. Returns the
  /// error that a listener threw.
  fileprivate func askListenersToCommit() -> (any Error)? {
    let count = pointee.sharedWrites?.done ?? 1
    return callingOut { listeners in
      do {
        for _ in 0..<count {
          pointee.sharedWrites?.reported += 1
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
    guard !pointee.listeners.rollback.isEmpty else { return }
    callingOut { $0.rollback.forEachBody { $0() } }
  }

  /// Calls listeners. Meanwhile the connection runs nothing, and listeners that are added or
  /// removed do not change the list.
  func callingOut<Result>(_ body: (HookListeners) -> Result) -> Result {
    pointee.hookDepth &+= 1
    defer { pointee.hookDepth &-= 1 }
    return body(pointee.listeners)
  }
}
