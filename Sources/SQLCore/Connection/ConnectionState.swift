import CSQLite

/// What changes in a connection while it is used, in raw memory.
///
/// As properties of a class, each access would check for exclusivity; a connection is used by one
/// thread at a time, which its lease sees to.
struct ConnectionState {
  let handle: OpaquePointer
  var cache: StatementCache
  var key = StatementKey()
  /// Room for the values of a query while its statement is looked for.
  var values = BoundValues()
  /// False in a read on a connection that could write.
  var allowsWriting: Bool
  /// Set by `requestRollback()`, looked at when the transaction or savepoint ends.
  var isRollbackRequested = false
  /// When the access must have ended.
  var deadline: Deadline?
  /// Whether the access runs in a task that may be cancelled, on the task's own thread.
  var asksTask = false
  /// Set once the access was ended; what it runs then throws.
  var stopReason: StopReason?
  /// When the wait for a lock began.
  var waitBegan = Deadline(nanoseconds: 0)
  /// In nanoseconds, where it is not the busy timeout that says how long a lock is waited for.
  var longestWait: UInt64?
  /// Whether a closure runs in a transaction of ours: it neither ends it, nor goes on without it.
  var guardsTransaction = false
  /// Whether other writes share the transaction.
  var sharesTransaction = false
  /// The writes that share a transaction, as the listeners to commits and rollbacks see them; nil
  /// where a transaction is one write.
  var sharedWrites: SharedWriteCount?
  /// Whether a statement of our own runs, which nobody ends: BEGIN, COMMIT, ROLLBACK, savepoints.
  var runsOwnStatement = false
  /// Why the transaction was rolled back before its closure returned, or must be.
  var rollbackCause: RollbackCause?
  /// Whether the access ran a PRAGMA, ATTACH or DETACH.
  var changedConnection = false
  /// The folder from which relative paths are attached, while the connection is prepared: it may be
  /// opened long after its database, when the working folder is another one.
  var attachingFolder: String?
  /// Whether the handle is closed.
  var isClosed = false
  /// The length of the write-ahead log, and when it is to begin anew.
  var log = LogBound()
  /// Numbers the savepoints that are open, for their names.
  var savepointDepth = 0
  /// The statements that users prepared under the current lease.
  var lentStatements: [ObjectIdentifier: LentStatement] = [:]
  /// How much of what was registered on the database the connection has.
  var registrationSequence: UInt64 = 0
  /// What was registered on the database, where anything was.
  var registrations: ConnectionRegistrations?
  /// Whether each statement that ends is asked how many rows it went through.
  var watchesScans: Bool
  /// What a callback threw that could not tell SQLite so.
  var callbackFailure: NotedFailure?
  /// Above 0 while a callback runs in which SQLite allows no statement on the connection.
  var hookDepth = 0
  /// Those who listen to hooks.
  var listeners = HookListeners()
  /// Which hooks are installed for them and for the observer.
  var installedHooks: InstalledHooks = []
  var tracedKinds: TraceKinds = []
  var knownAuthorizers: [ObjectIdentifier] = []
  /// Whether our hook of the log is there, in the place of SQLite's own.
  var hasLogHook = false
  /// Whether a commit asks first if a callback failed.
  var vetoesFailedCommits = false
  /// How many sessions record; they share their place with the pre-update hook.
  var sessionCount = 0
  /// What else users hold under the current lease: BLOBs and sessions.
  var lentHandles: [ObjectIdentifier: LentHandle] = [:]
  /// Told of statements, rows and transactions, while somebody observes.
  var observer: (any ConnectionObserver)?
  /// Whether it is told of rows.
  var observesRows = false
  /// The statement that writes, between its first step and its end.
  var writingStatement: OpaquePointer?
  /// The tables of whose rows it does not want to be told.
  var passedOver = RecentTables()
  /// The one of them of which the statement that runs changed a row last: while it runs, no other
  /// table comes to have its name at that place in memory.
  var lastPassedOver: UnsafePointer<CChar>?
  /// What the write that runs is called, for those who observe.
  var writeLabel: String?
  /// Runs `PRAGMA schema_version`; prepared when first asked for.
  var schemaVersionStatement: OpaquePointer?
  /// Collects the columns that the statement being prepared reads.
  var readRecorder: ReadRecorder?
  /// What the authorizer denies, and what it noticed.
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

/// Why a transaction is lost while its closure still runs.
struct RollbackCause {
  let message: String
  /// Whether it was `interrupt()`.
  let isInterruption: Bool

  init(_ error: any Error) {
    let error = error as? DatabaseError
    message = error?.message ?? "an access was ended"
    isInterruption = error?.isInterruption ?? false
  }
}
