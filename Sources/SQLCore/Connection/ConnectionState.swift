import CSQLite

/// The state of a connection that changes while it is used, kept in raw memory.
///
/// Properties of a class would check exclusivity at each access. Here that is not needed: the lease
/// ensures that only one thread at a time uses a connection.
struct ConnectionState {
  let handle: OpaquePointer
  var cache: StatementCache
  var key = StatementKey()
  /// Storage for the values of a query while its statement is looked up.
  var values = BoundValues()
  /// Whether statements may write. False during a read, even on a connection that could write.
  var allowsWriting: Bool
  /// Set by `requestRollback()` and checked when the transaction or savepoint ends.
  var isRollbackRequested = false
  /// The time by which the access must have ended.
  var deadline: Deadline?
  /// Whether the access runs in a task, on that task's own thread, so that it must check for
  /// cancellation.
  var asksTask = false
  /// The reason for which the access was ended, if it was. Its later statements throw it.
  var stopReason: StopReason?
  /// The time at which the wait for a lock began.
  var waitBegan = Deadline(nanoseconds: 0)
  /// The maximum wait for a lock in nanoseconds, if it differs from the busy timeout.
  var longestWait: UInt64?
  /// Whether a closure runs in a transaction that the library began. The closure cannot end the
  /// transaction, nor continue after SQLite has rolled it back.
  var guardsTransaction = false
  /// Whether other writes share the transaction.
  var sharesTransaction = false
  /// The counts of the writes that share a transaction, for commit and rollback listeners; nil if
  /// the transaction belongs to one write.
  var sharedWrites: SharedWriteCount?
  /// Whether one of the library's own statements runs (BEGIN, COMMIT, ROLLBACK or a savepoint),
  /// which cancellations and deadlines do not end.
  var runsOwnStatement = false
  /// The reason for which the transaction was rolled back before its closure returned, or must be
  /// rolled back.
  var rollbackCause: RollbackCause?
  /// Whether the access ran a PRAGMA, ATTACH or DETACH.
  var changedConnection = false
  /// The folder against which relative paths are attached while the connection is prepared. The
  /// connection may be opened long after its database, when the working folder has changed.
  var attachingFolder: String?
  /// Whether the handle is closed.
  var isClosed = false
  /// The length of the write-ahead log, and when the log is to be restarted.
  var log = LogBound()
  /// The number of open savepoints, which gives each its name.
  var savepointDepth = 0
  /// The statements that callers prepared under the current lease.
  var lentStatements: [ObjectIdentifier: LentStatement] = [:]
  /// The sequence number of the last registration of the database that this connection has.
  var registrationSequence: UInt64 = 0
  /// The registrations of the database, if there are any.
  var registrations: ConnectionRegistrations?
  /// Whether each statement that ends is checked for the number of rows that it scanned.
  var watchesScans: Bool
  /// The error of a callback that could not report it to SQLite.
  var callbackFailure: NotedFailure?
  /// The number of running callbacks in which SQLite allows no statement on the connection.
  var hookDepth = 0
  /// The listeners to hooks.
  var listeners = HookListeners()
  /// The hooks that are installed for the listeners and the observer.
  var installedHooks: InstalledHooks = []
  var tracedKinds: TraceKinds = []
  var knownAuthorizers: [ObjectIdentifier] = []
  /// Whether the library's log hook is installed in place of SQLite's own.
  var hasLogHook = false
  /// Whether a commit first checks if a callback failed.
  var vetoesFailedCommits = false
  /// The number of sessions that record. Sessions and the pre-update hook share one slot in SQLite.
  var sessionCount = 0
  /// The other objects that callers hold under the current lease: BLOBs and sessions.
  var lentHandles: [ObjectIdentifier: LentHandle] = [:]
  /// The observer of statements, rows and transactions, while there is one.
  var observer: (any StatementObserver)?
  /// Whether row changes are reported to the observer.
  var observesRows = false
  /// The handle of the statement that writes, from its first step to its end.
  var writingStatement: OpaquePointer?
  /// The tables whose row changes the observer does not need.
  var passedOver = RecentTables()
  /// The address of the name of the last table in `passedOver` that the running statement changed.
  /// While that statement runs, no other table's name can be at this address.
  var lastPassedOver: UnsafePointer<CChar>?
  /// The label of the current write, for observers.
  var writeLabel: String?
  /// Runs `PRAGMA schema_version`; prepared when it is first used.
  var schemaVersionStatement: OpaquePointer?
  /// Collects the columns that the statement being prepared reads.
  var readRecorder: ReadRecorder?
  /// The rules of the authorizer, and its notes.
  var authorizer = AuthorizerRules()

  init(handle: OpaquePointer, configuration: Configuration, allowsWriting: Bool) {
    self.handle = handle
    self.allowsWriting = allowsWriting
    watchesScans = configuration.onTableScan != nil
    cache = StatementCache(
      maximumCount: configuration.maximumCachedStatements,
      maximumByteCount: configuration.maximumCachedStatementBytes)
  }
}

/// The reason for which a transaction is lost while its closure still runs.
struct RollbackCause {
  let message: String
  /// Whether `interrupt()` was the reason.
  let isInterruption: Bool

  init(_ error: any Error) {
    let error = error as? DatabaseError
    message = error?.message ?? "the access was ended"
    isInterruption = error?.isInterruption ?? false
  }
}
