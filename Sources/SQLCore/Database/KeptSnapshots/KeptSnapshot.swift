import CSQLite

/// The read transaction that a reader leaves open after a read, for the next read.
///
/// Beginning and ending a read transaction costs more than finding a row: each time, SQLite locks
/// and unlocks a read mark of the log. Until the next commit, another read would see the same
/// snapshot. So the transaction stays open, and the next read uses it if the header of the
/// wal-index is unchanged.
///
/// A snapshot is kept only for a moment, because it keeps the log from being restarted. The pool
/// ends a snapshot some milliseconds after its last use.
struct KeptSnapshot {
  /// The wal-index, whose header shows commits. It is `none` if the connection cannot keep
  /// snapshots, for example because databases are attached to it.
  private var support = WALIndexSupport.unknown
  /// The version of the database that the open transaction sees; nil if no snapshot is kept.
  private var version: WALIndex.Version?
  /// The time at which the last read without a kept snapshot began.
  private var lastMiss = Deadline(nanoseconds: 0)
  /// The library's own statements BEGIN and COMMIT, which are prepared when they are first used.
  private(set) var begin: OpaquePointer?
  private(set) var commit: OpaquePointer?
  /// The number of the timer's round in which the connection last returned to the pool with the
  /// snapshot. The timer belongs to the pool.
  private(set) var lastUse: UInt64 = 0
  /// The number of the timer's round in which the connection first returned to the pool with the
  /// snapshot. Nil if it has not returned to the pool yet.
  private var firstUse: UInt64?
  /// Whether the snapshot has been used for so long that the next read must take a new one.
  private var isOld = false

  /// A read keeps its snapshot only if fewer than this many nanoseconds have passed since the last
  /// read without a kept snapshot. For an occasional single read, the timer would cost more than it
  /// saves.
  private let longestPause: UInt64
  /// The number of rounds of the timer after which a snapshot counts as old.
  private static let maximumAge: UInt64 = 8

  init(_ configuration: Configuration) {
    longestPause = 2_000_000 &* UInt64(configuration.keptSnapshotRound.wholeMilliseconds)
  }

  /// Whether a snapshot is kept.
  var isKept: Bool { version != nil }

  /// Whether the connection has kept a snapshot that contains every commit, so that a read may use
  /// it.
  @inline(__always)
  var isCurrent: Bool {
    guard let version, case .log(let index) = support else { return false }
    return !isOld && index.isAt(version)
  }

  // MARK: Deciding

  /// Whether the library has found out if the connection can keep snapshots.
  var isSupportKnown: Bool {
    if case .unknown = support { false } else { true }
  }

  /// Sets the wal-index; nil if the connection cannot keep snapshots.
  mutating func use(_ index: WALIndex?) {
    support = index.map { .log($0) } ?? .none
  }

  /// Notes that a read found no kept snapshot. Returns whether the last such read was less than
  /// `longestPause` ago.
  mutating func isBusy() -> Bool {
    let now = Deadline.roughlyNow
    defer { lastMiss = now }
    return now.nanoseconds &- lastMiss.nanoseconds < longestPause
  }

  /// The newest version of the database; nil if the connection cannot keep snapshots.
  var newestVersion: WALIndex.Version? {
    if case .log(let index) = support { index.version } else { nil }
  }

  /// Keeps the open transaction, whose snapshot has the given version.
  mutating func keep(_ version: WALIndex.Version) {
    self.version = version
    firstUse = nil
    isOld = false
  }

  /// Forgets the snapshot after its transaction has ended.
  mutating func forget() {
    version = nil
  }

  /// Notes that the connection returned to the pool and still keeps the snapshot. `round` is the
  /// number of the current round of the pool's timer.
  mutating func didUse(in round: UInt64) {
    lastUse = round
    if let firstUse { isOld = round &- firstUse >= Self.maximumAge } else { firstUse = round }
  }

  // MARK: Statements

  mutating func store(begin: OpaquePointer, commit: OpaquePointer) {
    self.begin = begin
    self.commit = commit
  }

  /// Finalises the prepared BEGIN and COMMIT, before the connection closes.
  mutating func finalize() {
    sqlite3_finalize(begin)
    sqlite3_finalize(commit)
    begin = nil
    commit = nil
  }
}

extension ConnectionCore {
  /// Runs a closure that only reads. If the connection has kept a snapshot and nothing was
  /// committed since, the closure reads that snapshot. Afterwards, the snapshot is kept if
  /// possible.
  ///
  /// - Parameter isOneStatement: Whether the closure runs a single statement of the library, which
  ///   needs no transaction. If false, the closure may come from the program.
  func readingKeptSnapshot<Result>(
    isOneStatement: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let isNew = !state.pointee.kept.isKept
    let version = isNew ? try beginSnapshot() : nil
    guard !isNew || version != nil else {
      return try reading { try isOneStatement ? body() : snapshot(body) }
    }
    do {
      let result = try isOneStatement ? body() : guardingTransaction(body).0
      if isNew || !isInTransaction || !state.pointee.kept.isCurrent {
        try endSnapshot(unless: version)
      }
      return result
    } catch {
      endKeptSnapshot()
      throw error
    }
  }

  /// Ends the transaction of a kept snapshot, if there is one. This method runs no code of a
  /// caller, so it may be called under the pool's lock.
  func endKeptSnapshot() {
    if state.pointee.kept.isKept { try? runOwn(state.pointee.kept.commit) }
    state.pointee.kept.forget()
    rollBack()
  }

  /// Begins a transaction whose snapshot may be kept. Returns the version of the database before
  /// the transaction began. If no snapshot is to be kept, begins no transaction and returns nil.
  private func beginSnapshot() throws -> WALIndex.Version? {
    guard isReader, state.pointee.kept.isBusy(), !state.pointee.hooks.seesOwnStatements else {
      return nil
    }
    if !state.pointee.kept.isSupportKnown { findSupport() }
    guard let version = state.pointee.kept.newestVersion else { return nil }
    if state.pointee.kept.begin == nil {
      let begin = try compileOne("BEGIN DEFERRED").handle
      do {
        state.pointee.kept.store(begin: begin, commit: try compileOne("COMMIT").handle)
      } catch {
        sqlite3_finalize(begin)
        throw error
      }
    }
    try runOwn(state.pointee.kept.begin)
    return version
  }

  /// Keeps the snapshot of the read that has just ended, if the snapshot has the given version.
  /// Ends the transaction otherwise.
  ///
  /// The given version was the newest one before SQLite took the snapshot. If it is still the
  /// newest one, nothing was committed during the read, so the snapshot has this version.
  private func endSnapshot(unless version: WALIndex.Version?) throws {
    if let version, isInTransaction,
      sqlite3_txn_state(handle, "main") == SQLITE_TXN_READ,
      state.pointee.kept.newestVersion == version, !state.pointee.hooks.seesOwnStatements
    {
      state.pointee.kept.keep(version)
    } else {
      state.pointee.kept.forget()
      if isInTransaction { try runOwn(state.pointee.kept.commit) }
    }
  }

  /// Runs the prepared BEGIN or COMMIT. A cancellation or a deadline does not end it, and no
  /// observer is notified.
  private func runOwn(_ statement: OpaquePointer?) throws {
    state.pointee.transaction.willRunOwnStatement()
    defer { state.pointee.transaction.didRunOwnStatement() }
    sqlite3_step(statement)
    let code = sqlite3_reset(statement)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Finds out whether the connection can keep snapshots. The connection must have read before.
  ///
  /// Snapshots are not kept without shared memory. They are not kept with attached databases
  /// either, because the header of the wal-index does not show commits to attached databases.
  private func findSupport() {
    guard sqlite3_db_name(handle, 2) == nil else { return state.pointee.kept.use(nil) }
    let index = walIndex()
    // If the wal-index is still unknown, for example because memory was exhausted, the next read
    // tries again.
    if case .unknown = state.pointee.wal.index { return }
    state.pointee.kept.use(index)
  }
}

extension HookState {
  /// Whether there is a listener that would also be called for the library's own statements. If so,
  /// no snapshots are kept, so that the listener sees the same statements as without this
  /// optimization.
  fileprivate var seesOwnStatements: Bool {
    !listeners.trace.isEmpty || !listeners.authorizer.isEmpty
  }
}
