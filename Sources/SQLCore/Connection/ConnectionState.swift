import CSQLite

/// What changes in a connection while it is used, in raw memory.
///
/// As properties of a class, each access would check for exclusivity; a connection is used by one
/// thread at a time, which its lease sees to.
struct ConnectionState {
  let handle: OpaquePointer
  var cache: StatementCache
  var key = StatementKey()
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
  /// Whether the statement that runs only reads.
  var runsReadOnly = false
  /// Why SQLite rolled the transaction back.
  var rollbackCause: String?
  /// The length of the write-ahead log, and when it is to begin anew.
  var log = LogBound()
  /// Numbers the savepoints that are open, for their names.
  var savepointDepth = 0
  /// The statements that users prepared under the current lease.
  var lentStatements: [ObjectIdentifier: LentStatement] = [:]
  /// Told of statements, rows and transactions, while somebody observes.
  var observer: (any ConnectionObserver)?
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
    cache = StatementCache(
      maximumCount: configuration.maximumCachedStatements,
      maximumByteCount: configuration.maximumCachedStatementBytes)
  }
}
