import QueryDSL
import SQLCore

/// The result of applying a batch: the number of applied transactions, the conflicts, and the
/// changes that wait.
public struct LogApplication: Hashable, Sendable {
  /// The number of transactions that were applied. Transactions that the database already had are
  /// not counted.
  public let count: Int
  /// The conflicts, with the decisions of the policy. Conflicts of changes that wait are not
  /// included.
  public let conflicts: [ResolvedConflict]
  /// The changes that now wait in the database, including changes of earlier batches.
  public let waiting: LogWaiting
}

extension ChangeLog {
  /// A text that identifies the database. By this text, other databases recognise its transactions.
  /// A copy of the file has the same identity until `renewIdentity()` is called in it.
  ///
  /// Throws `LogError.noLog` if the database has no log. Runs one statement.
  public var identity: String {
    get throws { try database.read { try $0.logIdentity() } }
  }

  /// Returns the position in another database's log up to which its transactions were applied here;
  /// `.start` if none were applied. Runs one statement.
  ///
  /// - Parameter relaying: whether to return the position for batches with `relaying`. The position
  ///   for batches without `relaying` may differ, because they leave out transactions that the
  ///   other database received from a third database.
  public func appliedPosition(of source: String, relaying: Bool = false) throws -> LogPosition {
    try database.read { try $0.appliedLogPosition(of: source, relaying: relaying) }
  }

  /// Returns the position up to which transactions were applied. This is the asynchronous form.
  public func appliedPosition(
    of source: String, relaying: Bool = false
  ) async throws -> LogPosition {
    try await database.read { try $0.appliedLogPosition(of: source, relaying: relaying) }
  }

  /// Returns the transactions after a position as a batch that another database can apply.
  ///
  /// ```swift
  /// let batch = try a.log.batch(after: b.log.appliedPosition(of: a.log.identity))
  /// try b.log.apply(batch, resolving: .newer)
  /// ```
  /// The batch reads at most `limit` entries of the log. If the `start` and the `end` of the
  /// returned batch are the same, the log has no further transactions. A batch ends before an entry
  /// with a `gap`; the next batch begins with that entry.
  ///
  /// Throws the errors of `entries(after:limit:)`.
  ///
  /// - Parameter relaying: whether the batch also has the transactions that this database received
  ///   from others, with their origin. Otherwise the batch has only the transactions that were made
  ///   in this database. These include transactions that the file has lost because it was restored
  ///   from a backup, and that other databases have sent back.
  public func batch(
    after position: LogPosition, limit: Int = 100, relaying: Bool = false
  ) throws -> LogBatch {
    try endForeignEntry()
    return try database.read {
      try Self.batch(after: position, limit: limit, relaying: relaying, of: $0)
    }
  }

  /// Returns the transactions after a position as a batch. This is the asynchronous form.
  public func batch(
    after position: LogPosition, limit: Int = 100, relaying: Bool = false
  ) async throws -> LogBatch {
    try await endForeignEntry()
    return try await database.read {
      try Self.batch(after: position, limit: limit, relaying: relaying, of: $0)
    }
  }

  private static func batch(
    after position: LogPosition, limit: Int, relaying: Bool, of connection: Connection
  ) throws -> LogBatch {
    let identity = try connection.logIdentity()
    let entries = try connection.logEntries(
      after: position, limit: limit, withMarks: true)
    let gaps = entries.prefix { $0.gap != nil }
    let complete = entries[gaps.endIndex...].prefix { $0.gap == nil }
    // If changes from another database had to wait, they are sent together with the entry in which
    // they arrived. The later entry in which they were applied is not sent.
    let sent = complete.filter { entry in
      guard let origin = entry.origin else { return true }
      return !origin.isLate && (relaying || origin.database == identity)
    }
    let end = complete.last?.position ?? gaps.last?.position ?? position
    let waiting = try connection.waitingChanges(from: position.number, through: end.number)
    return LogBatch(
      source: identity, start: position, end: end,
      epochs: try connection.logEpochs(from: position.number, through: end.number),
      isRelaying: relaying,
      gap: gaps.last.map { .init(tables: gaps.compactMap(\.gap), position: $0.position) },
      transactions: sent.map { entry in
        let transaction = LogTransaction(entry, of: identity)
        return transaction.with(
          AnyLogChange.merging(transaction.changes, waiting[entry.sequence] ?? []))
      })
  }

  /// Applies the transactions of another database in one transaction. Each transaction becomes an
  /// entry of this log, with its origin.
  ///
  /// A transaction that was already applied is skipped. A transaction that was made in this
  /// database is also skipped, unless this file has lost the transaction because it was restored
  /// from a backup. The user's triggers on logged tables do not run, with the exception of
  /// temporary triggers. Foreign keys are checked at the end of each transaction.
  ///
  /// If the table, a column or the parent row of a change does not exist here yet, the change waits
  /// in the file, unless the policy decides `fail` or `discard`. Columns that both databases have
  /// are applied at once. A waiting change is applied when the missing object exists. This is
  /// checked at each opening with models, after the migration, and with each further batch.
  /// `LogApplication.waiting` says how many changes wait, and for which objects.
  ///
  /// Throws `LogError.tooManyWaiting` if more changes than `waitingLimit` would wait, and
  /// `LogError.missingTransactions` if the batch begins after the applied position. Throws
  /// `LogError.unknownPosition` if the other database was restored and no longer has the applied
  /// position, and `LogError.incomplete` if the batch begins with a gap. Throws
  /// `LogError.sameIdentity` if the batch is from this database or a copy of its file, and
  /// `ChangeConflicts` if the policy decides `fail` for a conflict. After an error, nothing is
  /// changed.
  @discardableResult
  public func apply(
    _ batch: LogBatch, resolving policy: ConflictPolicy = .fail, waitingLimit: Int = 100_000
  ) throws -> LogApplication {
    try database.writing { try Self.apply(batch, policy, waitingLimit, on: $0) }
  }

  /// Applies the transactions of another database. This is the asynchronous form.
  @discardableResult
  public func apply(
    _ batch: LogBatch, resolving policy: ConflictPolicy = .fail, waitingLimit: Int = 100_000
  ) async throws -> LogApplication {
    try await database.writingFromTask { try Self.apply(batch, policy, waitingLimit, on: $0) }
  }

  private static func apply(
    _ batch: LogBatch, _ policy: ConflictPolicy, _ limit: Int, on core: ConnectionCore
  ) throws -> LogApplication {
    try ChangeApplication.run(on: core) { application, connection in
      try connection.endLogEntry()
      let identity = try connection.logIdentity()
      guard batch.source != identity else { throw LogError.sameIdentity(identity) }
      try connection.createLogOrigins()
      let position = try connection.appliedLogPosition(
        of: batch.source, relaying: batch.isRelaying)
      var receiver = try LogReceiver(
        on: connection, identity: identity, policy, names: core.presentNames)
      guard try connection.continues(batch, after: position) else {
        try receiver.applyWaiting(with: &application)
        return try receiver.report(limit: limit)
      }
      if let gap = batch.gap, gap.position.number > position.number {
        throw LogError.incomplete(
          source: batch.source, tables: gap.tables, position: gap.position)
      }
      try receiver.receive(batch.transactions, with: &application)
      try connection.noteAppliedBatch(batch)
      try receiver.applyWaiting(with: &application)
      return try receiver.report(limit: limit)
    }
  }
}

extension LogReceiver {
  /// Returns the result of `apply`. Throws `LogError.tooManyWaiting` if more changes wait than the
  /// limit allows.
  fileprivate func report(limit: Int) throws -> LogApplication {
    let waiting = try connection.logWaiting()
    guard waiting.count <= limit else {
      throw LogError.tooManyWaiting(waiting, limit: limit)
    }
    return LogApplication(count: count, conflicts: conflicts, waiting: waiting)
  }
}

extension Database {
  /// Applies the waiting changes from other databases whose missing objects exist now, for example
  /// after a migration.
  func applyWaitingChanges() throws {
    guard !isRemote else { return }
    // Whether changes wait is read on the writer connection, because this connection is already
    // open. A reader connection would have to be opened first.
    try writing { core in
      guard try core.lend().hasWaitingChanges() else { return }
      try ChangeApplication.run(on: core) { application, connection in
        var receiver = try LogReceiver(
          on: connection, identity: connection.logIdentity(), .newer, names: core.presentNames,
          isSilent: true)
        try receiver.applyWaiting(with: &application)
      }
    }
  }
}
