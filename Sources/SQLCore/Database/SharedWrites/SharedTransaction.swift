import CSQLite

/// A transaction that runs several waiting writes, each in its own savepoint: one commit and one
/// fsync for all of them.
///
/// These writes form a group. The group takes one write after another from the line of waiting
/// accesses. It commits when one of these is true:
/// - The line is empty; the group never waits for further writes.
/// - The next access in line wants its own transaction.
/// - The last write ran a PRAGMA, ATTACH or DETACH.
/// - The group has grown too old or too large.
///
/// The callers get their results after the commit, in the order of the line.
struct SharedTransaction {
  private let core: ConnectionCore
  private let pool: ConnectionPool
  private var members: [Member] = []

  private struct Member {
    let write: any SharedWrite
    var outcome: Outcome
  }

  private enum Outcome {
    /// The write's savepoint was released.
    case done
    /// The write's savepoint was undone, as its closure requested.
    case withdrawn
    case failed(any Error)
    /// SQLite rolled back the transaction after the write had finished.
    case undone(by: any Error)
  }

  /// The maximum number of writes in the transaction. With more writes, the first one would wait
  /// too long for the commit.
  private static let maximumCount = 256

  private init(core: ConnectionCore, pool: ConnectionPool) {
    self.core = core
    self.pool = pool
  }

  /// Runs the first write and the writes that join it. Returns closures that deliver the results to
  /// the callers.
  static func run(first: Waiter, on core: ConnectionCore, pool: ConnectionPool) -> [() -> Void] {
    var group = SharedTransaction(core: core, pool: pool)
    core.state.pointee.transaction.countSharedWrites()
    defer { core.state.pointee.transaction.endSharedWrites() }
    group.collect(from: first)
    group.runUndone()
    return group.members.map { member in
      {
        switch member.outcome {
        case .done, .withdrawn: member.write.finish(throwing: nil)
        case .failed(let error): member.write.finish(throwing: error)
        case .undone(let cause):
          member.write.finish(throwing: SharedTransactionRolledBack(cause: cause))
        }
      }
    }
  }

  private mutating func collect(from first: Waiter) {
    let end = Deadline.after(core.configuration.maximumSharedTransactionAge)
    var next: Waiter? = first
    do {
      first.run(on: core)
      try core.run(cached: TransactionKind.immediate.rawValue)
    } catch {
      first.finish()
      if let write = first.sharedWrite { members = [Member(write: write, outcome: .failed(error))] }
      return
    }
    while let waiter = next, let write = waiter.sharedWrite {
      let isOver = add(write, waiter)
      guard !isOver, members.count < Self.maximumCount, !end.hasPassed else { break }
      next = nextInLine()
    }
    commit()
  }

  /// Returns the next write in line whose caller still waits.
  private func nextInLine() -> Waiter? {
    while let waiter = pool.takeSharedWrite() {
      if waiter.join() { return waiter }
    }
    return nil
  }

  /// Runs one write in its savepoint. Returns true if the group must not take another write.
  private mutating func add(_ write: any SharedWrite, _ waiter: Waiter) -> Bool {
    core.state.pointee.transaction.share(!members.isEmpty)
    if !members.isEmpty { waiter.run(on: core) }
    defer {
      waiter.finish()
      core.endLease()
      core.state.pointee.transaction.share(false)
    }
    do {
      var isWithdrawn = false
      try core.savepoint {
        try core.checkStopped()
        try core.beginWrite()
        try write.run(on: core)
        isWithdrawn = core.isRollbackRequested
        if !isWithdrawn {
          try core.checkDeferredForeignKeys()
          try core.endWrite()
        }
      }
      core.observer?.sharedWriteDidEnd(on: core)
      members.append(Member(write: write, outcome: isWithdrawn ? .withdrawn : .done))
      if isWithdrawn {
        core.state.reportRollback()
      } else {
        core.state.pointee.transaction.sharedWriteIsDone()
      }
    } catch {
      members.append(Member(write: write, outcome: .failed(error)))
      core.state.reportRollback()
      guard core.isTransactionWhole else {
        undo(because: error, before: members.count - 1)
        return true
      }
    }
    // A setting that lasts until the commit, such as that of `PRAGMA defer_foreign_keys`, must
    // affect only the write that made it. The group therefore takes no further write.
    return core.state.pointee.transaction.changedConnection
  }

  private mutating func commit() {
    // The transaction must not be committed if some changes could not be undone. If all writes were
    // undone, the transaction contains nothing to commit.
    guard core.isTransactionWhole, core.state.pointee.transaction.sharedWrites?.done != 0 else {
      return core.rollBack()
    }
    do {
      try core.run(cached: "COMMIT")
    } catch let error as RemoteSessionError where error.outcome == .unknown {
      // It is not known whether the writes were committed, so none of them may run again.
      core.rollBack()
      for index in members.indices {
        if case .done = members[index].outcome {
          members[index].outcome = .failed(error)
          core.state.reportRollback()
        }
      }
    } catch {
      core.rollBack()
      undo(because: error, before: members.count)
    }
  }

  /// Marks the finished writes of the group as undone. This method is called when SQLite has rolled
  /// back the whole transaction. If the group has only one write, this write fails with the cause
  /// instead, as it would in a transaction of its own.
  ///
  /// Also notifies rollback listeners of each finished write, with one exception: if a write will
  /// run again, and no commit listener was notified of it, the rollback of this write is not
  /// reported.
  private mutating func undo(because cause: any Error, before end: Int) {
    core.state.pointee.uniqueIDs.ticks = 0
    let done = members.indices.prefix(end).filter { index in
      if case .done = members[index].outcome { true } else { false }
    }
    let reported = core.state.pointee.transaction.sharedWrites?.reported ?? 0
    for (place, index) in done.enumerated() {
      members[index].outcome =
        members.count == 1 ? .failed(cause) : .undone(by: cause)
      let runsAgain = members.count > 1 && members[index].write.canRunAgain
      if !runsAgain || place < reported { core.state.reportRollback() }
    }
  }

  /// Runs each undone write again that can run again. Each of them gets its own transaction.
  private mutating func runUndone() {
    for index in members.indices {
      guard case .undone = members[index].outcome, members[index].write.canRunAgain else {
        continue
      }
      let write = members[index].write
      // The rollback listeners are called here, and not by SQLite's rollback hook. SQLite would
      // report no rollback if the transaction cannot even begin.
      core.state.pointee.transaction.countSharedWrites(done: 1)
      do {
        var isWithdrawn = false
        try core.transaction(.immediate) {
          try write.run(on: core)
          isWithdrawn = core.isRollbackRequested
        }
        members[index].outcome = isWithdrawn ? .withdrawn : .done
        if isWithdrawn { core.state.reportRollback() }
      } catch {
        members[index].outcome = .failed(error)
        core.state.reportRollback()
      }
      core.endLease()
    }
  }
}

/// The counts of the writes in a shared transaction. SQLite reports only the commit or rollback of
/// the whole transaction. With the counts, the library notifies listeners of each single write.
struct SharedWriteCount {
  /// The number of writes that will be committed.
  var done = 0
  /// The number of finished writes (counted in `done`) that were already reported to commit
  /// listeners.
  var reported = 0
}

extension ConnectionCore {
  /// Throws if the write violates a foreign key that is checked only at the commit. At the commit,
  /// the library could no longer tell which write has violated the key.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
  fileprivate func checkDeferredForeignKeys() throws {
    var violations: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &violations, &highest, 0)
    guard violations == 0 else {
      throw DatabaseError(
        code: ResultCode(rawValue: SQLITE_CONSTRAINT | 3 << 8),
        message: "FOREIGN KEY constraint failed: a deferred key, violated when the write ended",
        constraint: ConstraintFailure(kind: .foreignKey))
    }
  }
}
