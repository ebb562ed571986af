import CSQLite

/// Runs the writes that wait at the same time in one transaction, each in a savepoint of its own:
/// one commit, and one fsync, for many.
///
/// The group takes whoever stands in line until the line is empty, the next one wants a transaction
/// to itself, the last one set something for the connection, or the group has grown old. Nobody waits for others to come. The answers are given
/// after the commit, in the order of the line.
struct SharedTransaction {
  private let core: ConnectionCore
  private let pool: ConnectionPool
  private var members: [Member] = []

  private struct Member {
    let write: any SharedWrite
    var outcome: Outcome
  }

  private enum Outcome {
    /// Its savepoint was released.
    case done
    /// Its savepoint was undone, as it asked.
    case withdrawn
    case failed(any Error)
    /// SQLite rolled back the transaction after it.
    case undone(by: any Error)
  }

  /// A group of more would make the first wait too long for its answer.
  private static let maximumCount = 256

  private init(core: ConnectionCore, pool: ConnectionPool) {
    self.core = core
    self.pool = pool
  }

  /// Runs the first write and those that join it, and answers them all.
  static func run(first: Waiter, on core: ConnectionCore, pool: ConnectionPool) -> [() -> Void] {
    var group = SharedTransaction(core: core, pool: pool)
    core.state.pointee.sharedWrites = SharedWriteCount()
    defer { core.state.pointee.sharedWrites = nil }
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

  /// The next in line that still waits.
  private func nextInLine() -> Waiter? {
    while let waiter = pool.takeSharedWrite() {
      if waiter.join() { return waiter }
    }
    return nil
  }

  /// Runs one write in its savepoint; true where the group takes no more.
  private mutating func add(_ write: any SharedWrite, _ waiter: Waiter) -> Bool {
    core.state.pointee.sharesTransaction = !members.isEmpty
    if !members.isEmpty { waiter.run(on: core) }
    defer {
      waiter.finish()
      core.endLease()
      core.state.pointee.sharesTransaction = false
    }
    do {
      var isWithdrawn = false
      try core.savepoint {
        try core.checkStopped()
        try write.run(on: core)
        isWithdrawn = core.isRollbackRequested
        if !isWithdrawn { try core.checkDeferredForeignKeys() }
      }
      core.observer?.sharedWriteDidEnd(on: core)
      members.append(Member(write: write, outcome: isWithdrawn ? .withdrawn : .done))
      if isWithdrawn {
        core.state.reportRollback()
      } else {
        core.state.pointee.sharedWrites?.done += 1
      }
    } catch {
      members.append(Member(write: write, outcome: .failed(error)))
      core.state.reportRollback()
      guard core.isTransactionWhole else {
        undo(because: error, before: members.count - 1)
        return true
      }
    }
    // What a PRAGMA sets until the commit, such as `defer_foreign_keys`, is for its own write alone.
    return core.state.pointee.changedConnection
  }

  private mutating func commit() {
    // What could not be undone must not be committed.
    // Where every write was undone, there is nothing to commit.
    guard core.isTransactionWhole, core.state.pointee.sharedWrites?.done != 0 else {
      return core.rollBack()
    }
    do {
      try core.run(cached: "COMMIT")
    } catch {
      core.rollBack()
      undo(because: error, before: members.count)
    }
  }

  /// Nothing of the transaction is there any more: of those that had done their part, a lone one
  /// fails as it would have alone, and the others were undone.
  ///
  /// A write that will run again has not ended, unless its commit was reported.
  private mutating func undo(because cause: any Error, before end: Int) {
    let done = members.indices.prefix(end).filter { index in
      if case .done = members[index].outcome { true } else { false }
    }
    let reported = core.state.pointee.sharedWrites?.reported ?? 0
    for (place, index) in done.enumerated() {
      members[index].outcome =
        members.count == 1 ? .failed(cause) : .undone(by: cause)
      let runsAgain = members.count > 1 && members[index].write.canRunAgain
      if !runsAgain || place < reported { core.state.reportRollback() }
    }
  }

  /// Runs again, one by one, what was undone and is nothing but data.
  private mutating func runUndone() {
    for index in members.indices {
      guard case .undone = members[index].outcome, members[index].write.canRunAgain else {
        continue
      }
      let write = members[index].write
      // Reported here: where the transaction cannot even begin, SQLite rolls nothing back.
      core.state.pointee.sharedWrites = SharedWriteCount(done: 1)
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

/// The writes of a shared transaction, counted for those who listen to commits and rollbacks: they
/// are told of each write, and SQLite only of the whole.
struct SharedWriteCount {
  /// How many will be committed.
  var done = 0
  /// How many of them were reported to be about to commit.
  var reported = 0
}

extension ConnectionCore {
  /// Throws where a foreign key is violated that is checked at the commit: later, nobody could tell
  /// whose fault it was.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbstatus_options.html>
  fileprivate func checkDeferredForeignKeys() throws {
    var violations: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &violations, &highest, 0)
    guard violations == 0 else {
      throw DatabaseError(
        code: ResultCode(rawValue: SQLITE_CONSTRAINT | 3 << 8),
        message: "FOREIGN KEY constraint failed: a deferred one, violated at the end of the write",
        constraint: ConstraintFailure(kind: .foreignKey))
    }
  }
}
