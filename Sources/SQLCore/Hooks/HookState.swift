import CSQLite

/// The hooks that are installed on a connection.
struct InstalledHooks: OptionSet {
  let rawValue: UInt16

  static let commit = InstalledHooks(rawValue: 1)
  static let rollback = InstalledHooks(rawValue: 2)
  static let update = InstalledHooks(rawValue: 4)
  static let preUpdate = InstalledHooks(rawValue: 8)
  static let writeAheadLog = InstalledHooks(rawValue: 16)
}

/// The listeners of a connection, the hooks that are installed for them, and an error that a
/// callback threw but could not report to SQLite.
///
/// The methods call neither listeners nor SQLite, because both could access this value while a
/// method changes it.
struct HookState {
  private(set) var listeners = HookListeners()
  /// The hooks that are installed for the listeners and the observer.
  private(set) var installed: InstalledHooks = []
  private(set) var tracedKinds: TraceKinds = []
  private var knownAuthorizers: [ObjectIdentifier] = []
  /// The number of running callbacks during which SQLite allows no statement on the connection.
  private var depth = 0
  /// An error that a callback threw but could not report to SQLite.
  private(set) var failure: NotedFailure?
  /// Whether a commit fails if a callback has failed before it.
  private var vetoesFailedCommits = false
  /// The number of sessions that record. Sessions and the pre-update hook share one slot in SQLite.
  private var sessionCount = 0

  // MARK: Listeners

  /// Adds a listener. Returns false if it needs the pre-update hook while a session uses the hook's
  /// slot in SQLite. The caller must then remove the new listener.
  mutating func add<Body>(
    _ listening: Listening<Body>, to list: WritableKeyPath<HookListeners, HookListeners.List<Body>>
  ) -> Bool {
    listeners[keyPath: list].append(listening)
    return !isRecording || listeners.preUpdate.isEmpty
  }

  /// Removes the listeners that are marked as removed.
  mutating func purgeListeners() {
    listeners.purge()
  }

  /// The hooks that change when an observer or a listener is added or removed.
  struct Changes {
    let wanted: InstalledHooks
    /// The hooks to install or to remove. Those that are in `wanted` must be installed, and the
    /// others must be removed.
    let hooks: InstalledHooks
    /// The kinds of events to trace; nil if they have not changed.
    let trace: TraceKinds?
    /// Whether the change makes it necessary to recompile every cached statement.
    let expiresStatements: Bool
  }

  /// Records which hooks the observer and the listeners need now. Returns the hooks that the caller
  /// must install or remove.
  ///
  /// - Parameter feedsCache: whether to report the changed rows to a cache.
  mutating func update(isObserved: Bool, observesRows: Bool, feedsCache: Bool) -> Changes {
    var wanted: InstalledHooks = []
    if isObserved || vetoesFailedCommits || feedsCache || !listeners.commit.isEmpty {
      wanted.insert(.commit)
    }
    if isObserved || feedsCache || !listeners.rollback.isEmpty { wanted.insert(.rollback) }
    if !listeners.update.isEmpty { wanted.insert(.update) }
    if observesRows || feedsCache || !listeners.preUpdate.isEmpty { wanted.insert(.preUpdate) }
    if feedsCache || !listeners.writeAheadLog.isEmpty { wanted.insert(.writeAheadLog) }
    let hooks = wanted.symmetricDifference(installed)
    let kinds = listeners.trace.reduce(into: TraceKinds()) { $0.formUnion($1.body.kinds) }
    let trace = kinds == tracedKinds ? nil : kinds
    let authorizers = listeners.authorizer.map { ObjectIdentifier($0.listener) }
    let expires =
      !hooks.isDisjoint(with: [.update, .preUpdate]) || authorizers != knownAuthorizers
    installed = wanted
    tracedKinds = kinds
    knownAuthorizers = authorizers
    return Changes(wanted: wanted, hooks: hooks, trace: trace, expiresStatements: expires)
  }

  // MARK: Callbacks

  /// Whether a callback is running during which SQLite allows no statement on the connection.
  var isInCallback: Bool { depth > 0 }

  mutating func willCallOut() { depth &+= 1 }
  mutating func didCallOut() { depth &-= 1 }

  /// Notes an error of a callback, unless an earlier error is noted. The running statement throws
  /// the noted error when it ends.
  mutating func note(_ error: any Error, code: Int32 = SQLITE_ERROR, spoilsWrites: Bool = false) {
    if failure == nil {
      failure = NotedFailure(error, code: code, spoilsWrites: spoilsWrites)
    }
  }

  /// Notes the error with which a listener refuses a commit. This error replaces any other noted
  /// error.
  mutating func noteVeto(_ failure: NotedFailure) {
    self.failure = failure
  }

  /// Returns and clears the noted error.
  mutating func takeFailure() -> NotedFailure? { failure.take() }

  /// Clears the noted error. This method is called when an access ends.
  mutating func forgetFailure() { failure = nil }

  /// Whether the noted error is that of a collation or a tokenizer. The written data may then be
  /// out of order.
  var spoilsWrites: Bool { failure?.spoilsWrites ?? false }

  /// Makes each later commit fail if a callback has failed before it. The caller must update the
  /// hooks afterwards.
  mutating func vetoFailedCommits() { vetoesFailedCommits = true }

  // MARK: Sessions

  /// Whether a session records.
  var isRecording: Bool { sessionCount > 0 }

  /// Whether a session can use the slot that it shares with the pre-update hook. This is the case
  /// while no listener needs the slot.
  var allowsSessions: Bool { listeners.preUpdate.isEmpty }

  mutating func sessionDidBegin() { sessionCount += 1 }
  mutating func sessionDidEnd() { sessionCount -= 1 }
}

extension DatabaseError {
  /// The error of a statement that is run inside a hook or a collation.
  static var usedInHook: DatabaseError {
    .misuse(
      "a connection cannot be used while one of its hooks or collations runs; "
        + "use it after the statement has ended")
  }

  /// The error for using a session and a pre-update hook on one connection.
  static var sessionIsOpen: DatabaseError {
    .misuse(
      "a session is recording on this connection, and SQLite has one slot for sessions and "
        + "pre-update hooks; record on a separate connection, or end the session first")
  }
}
