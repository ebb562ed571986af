import CSQLite

/// The state of the transaction in which an access's closure runs, such as whether it can commit.
struct TransactionState {
  /// Set by `requestRollback()` and checked when the transaction or savepoint ends.
  private(set) var isRollbackRequested = false
  /// Whether a closure runs in a transaction that the library began. The closure cannot end the
  /// transaction, and its statements throw after SQLite has rolled the transaction back.
  private(set) var guardsClosure = false
  /// Whether the transaction (or the savepoint in a shared transaction) was begun for one call of
  /// the library, such as `db.insert(post)`. An error of the call then undoes all of its work.
  private(set) var belongsToCall = false
  /// Whether other writes share the transaction.
  private(set) var isShared = false
  /// The counts of the finished and of the reported writes in a shared transaction. With these
  /// counts, commit and rollback listeners are notified of each write. Nil if the transaction
  /// belongs to one write.
  private(set) var sharedWrites: SharedWriteCount?
  /// Whether one of the library's own statements runs (BEGIN, COMMIT, ROLLBACK or a savepoint).
  /// Cancellations and deadlines do not end such a statement.
  private(set) var runsOwnStatement = false
  /// The reason why the transaction was rolled back, or must be rolled back, before its closure has
  /// returned.
  private(set) var rollbackCause: RollbackCause?
  /// Whether a statement of the access was a PRAGMA, ATTACH or DETACH.
  private(set) var changedConnection = false
  /// The library's own work at the beginning and at the end of each write, or nil.
  var frame: WriteFrame?
  /// Detects that the file's content may have been replaced since the last write.
  var branch = ContentBranch()
  /// The number of open savepoints. It is also part of the name of each new savepoint.
  private var savepointDepth = 0

  /// Ends an access. Forgets whether a statement of the access was a PRAGMA, ATTACH or DETACH.
  mutating func endAccess() {
    changedConnection = false
  }

  mutating func noteChangedConnection() {
    changedConnection = true
  }

  mutating func willRunOwnStatement() { runsOwnStatement = true }
  mutating func didRunOwnStatement() { runsOwnStatement = false }

  // MARK: Guarding

  /// The state of an outer closure, such as a `write` closure, while an inner closure runs, such as
  /// a `savepoint` closure.
  struct Outer {
    fileprivate let guardsClosure: Bool
    fileprivate let isRollbackRequested: Bool
  }

  /// Notes that a closure begins that must not end its transaction. Returns the former state, which
  /// the caller later passes to `endGuarding(_:)`.
  mutating func beginGuarding() -> Outer {
    let outer = Outer(guardsClosure: guardsClosure, isRollbackRequested: isRollbackRequested)
    if !guardsClosure { rollbackCause = nil }
    guardsClosure = true
    isRollbackRequested = false
    return outer
  }

  mutating func endGuarding(_ outer: Outer) {
    guardsClosure = outer.guardsClosure
    isRollbackRequested = outer.isRollbackRequested
  }

  mutating func beginCall() { belongsToCall = true }
  mutating func endCall() { belongsToCall = false }

  mutating func requestRollback() {
    isRollbackRequested = true
  }

  /// Counts a new savepoint, and returns the number for its name.
  mutating func openSavepoint() -> Int {
    savepointDepth += 1
    return savepointDepth
  }

  mutating func closeSavepoint() {
    savepointDepth -= 1
  }

  // MARK: Losing the transaction

  /// Whether the transaction can still commit: no reason for a rollback was noted.
  var isWhole: Bool { rollbackCause == nil }

  /// Notes the reason why the transaction was, or must be, rolled back.
  mutating func noteRollback(because failure: any Error) {
    rollbackCause = RollbackCause(failure)
  }

  /// Notes that an outer savepoint has undone the changes that an inner savepoint could not undo.
  mutating func didUndo() {
    if !guardsClosure { rollbackCause = nil }
  }

  // MARK: Sharing

  /// Begins to count the writes that share a transaction. The count of finished writes begins with
  /// `done`.
  mutating func countSharedWrites(done: Int = 0) {
    sharedWrites = SharedWriteCount(done: done)
  }

  mutating func endSharedWrites() {
    sharedWrites = nil
  }

  /// Notes that one more write will be committed.
  mutating func sharedWriteIsDone() {
    sharedWrites?.done += 1
  }

  /// Notes that one more write was reported to commit listeners.
  mutating func willReportSharedWrite() {
    sharedWrites?.reported += 1
  }

  /// Sets whether other writes share the transaction of the write that runs.
  mutating func share(_ isShared: Bool) {
    self.isShared = isShared
  }
}

/// The reason why a transaction is lost while its closure still runs.
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

/// The work that the library does at the beginning and at the end of each write, inside its
/// transaction.
///
/// The change log uses a frame to know where the changes of one write end, because SQLite has no
/// trigger that fires at a commit.
package struct WriteFrame: Sendable {
  let begin: @Sendable (ConnectionCore) throws -> Void
  let end: @Sendable (ConnectionCore) throws -> Void
  /// A value for the module that made the frame. The module stores the value here for later use.
  package let context: (any Sendable)?

  package init(
    for context: (any Sendable)? = nil,
    begin: @escaping @Sendable (ConnectionCore) throws -> Void,
    end: @escaping @Sendable (ConnectionCore) throws -> Void
  ) {
    self.context = context
    self.begin = begin
    self.end = end
  }
}

extension Registration {
  /// Returns a registration that installs a frame on each connection that may write. A connection
  /// has only one frame, so a frame that is installed later replaces it.
  package static func framing(_ frame: WriteFrame) -> Registration {
    Registration(Key(kind: .setting, name: "write_frame")) { core in
      if !core.isReader { core.state.pointee.transaction.frame = frame }
    }
  }
}

extension ConnectionCore {
  /// The `context` of the connection's `WriteFrame`; nil if it has none.
  package var frameContext: (any Sendable)? { state.pointee.transaction.frame?.context }

  /// Runs the library's work at the beginning of a write. Does nothing for a deferred transaction,
  /// which may be a read.
  func beginWrite(_ kind: TransactionKind = .immediate) throws {
    guard let frame = state.pointee.transaction.frame, kind != .deferred else { return }
    try frame.begin(self)
  }

  /// Runs the library's work at the end of a write, before its COMMIT or RELEASE.
  package func endWrite() throws {
    if state.pointee.uniqueIDs.isUsed { try keepUniqueIDMark() }
    guard let frame = state.pointee.transaction.frame,
      sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE
    else { return }
    try frame.end(self)
  }
}
