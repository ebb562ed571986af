import QueryDSL
import SQLCore

extension Connection {
  /// Records that this database has a copy of another database's rows, as they were at a position
  /// of the other database's log. The next batch to apply begins after that position.
  ///
  /// ```swift
  /// let position = try connection.logPosition()              // there, in the read of the rows
  /// try tx.setAppliedLogPosition(position, of: identity)     // here, in the write of the copy
  /// ```
  /// Use this method to continue an exchange after `LogError.expired` or `LogError.incomplete`.
  /// After `LogError.unknownPosition`, use `.start`: the next batch then begins at the start of the
  /// log, and transactions that were already applied are skipped. Within an epoch of the other log
  /// (see `LogPosition`), the position can only move forward, or back to `.start`. Throws
  /// `LogError.noLog` if no migration has created the log. Runs about six statements.
  public func setAppliedLogPosition(_ position: LogPosition, of source: String) throws {
    _ = try logIdentity()
    try createLogOrigins()
    let known = try logOrigin(source)
    func later(_ known: LogPosition) -> LogPosition {
      known.epoch == position.epoch && known.number > position.number && position != .start
        ? known : position
    }
    try setLogOrigin(source, own: later(known.own), relayed: later(known.relayed))
    try noteApplied(position, of: source)
  }

  /// Returns the identity of the database.
  func logIdentity() throws -> String {
    try withLog { try row(#"SELECT "identity" FROM "apus_log""#)?.get(at: 0) ?? "" }
  }

  // MARK: Positions

  /// The two positions in the log of another database up to which its transactions were applied.
  /// `own` is the position for batches without relayed transactions, and `relayed` is the position
  /// for batches with relayed transactions.
  struct LogOrigin {
    var own = LogPosition.start
    var relayed = LogPosition.start
    /// The number of the last applied transaction of epoch 0. Versions of the library without
    /// epochs write their transactions into epoch 0.
    var sequence: Int64 = 0
  }

  /// Creates the tables that list the databases from which transactions were applied.
  func createLogOrigins() throws {
    for sql in LogTables.originCreation { try execute(SQL(unsafe: sql)) }
    let columns = try row(#"SELECT count(*) FROM pragma_table_info('apus_log_origin')"#)
    guard try columns?.get(Int.self, at: 0) == 4 else { return }
    for sql in LogTables.originWidening { try execute(SQL(unsafe: sql)) }
  }

  func logOrigin(_ database: String) throws -> LogOrigin {
    try withLogOrigins(LogOrigin()) {
      // The table lacks its last two columns if the file was only written by versions of Apus that
      // had no epochs.
      guard let row = try row(#"SELECT * FROM "apus_log_origin" WHERE "database" = \#(database)"#)
      else { return LogOrigin() }
      func position(_ number: Int, _ epoch: Int) throws -> LogPosition {
        LogPosition(
          try row.get(at: number), in: row.values.count > epoch ? try row.get(at: epoch) : 0)
      }
      return LogOrigin(
        own: try position(1, 4), relayed: try position(2, 5), sequence: try row.get(at: 3))
    }
  }

  /// Returns the position in another database's log up to which its transactions were applied. If
  /// `relaying` is true, returns the position for batches that also have relayed transactions.
  func appliedLogPosition(of source: String, relaying: Bool) throws -> LogPosition {
    let origin = try logOrigin(source)
    return relaying ? origin.relayed : origin.own
  }

  /// Returns whether the transaction at a position in another database's log was applied. It does
  /// not matter which database has sent the transaction.
  func hasApplied(_ position: LogPosition, of database: String) throws -> Bool {
    guard position.epoch != 0 else {
      return try position.number <= logOrigin(database).sequence
    }
    return try withLogOrigins(false) {
      try row(
        """
        SELECT 1 FROM "apus_log_applied" WHERE "database" = \(database) \
        AND "epoch" = \(position.epoch) AND "sequence" >= \(position.number)
        """) != nil
    }
  }

  private func withLogOrigins<Result>(
    _ missing: Result, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.message.hasPrefix("no such table") {
      return missing
    }
  }

  private func setLogOrigin(
    _ database: String, own: LogPosition, relayed: LogPosition
  ) throws {
    try execute(
      """
      INSERT INTO "apus_log_origin" \
      ("database", "position", "positionEpoch", "relayed", "relayedEpoch") VALUES (\(database), \
      \(own.number), \(own.epoch), \(relayed.number), \(relayed.epoch)) \
      ON CONFLICT ("database") DO UPDATE SET "position" = excluded."position", \
      "positionEpoch" = excluded."positionEpoch", "relayed" = excluded."relayed", \
      "relayedEpoch" = excluded."relayedEpoch"
      """)
  }

  /// Records that the transaction at a position in another database's log was applied. All earlier
  /// transactions of the same epoch then also count as applied.
  func noteApplied(_ position: LogPosition, of database: String) throws {
    guard position.number > 0 else { return }
    guard position.epoch != 0 else {
      return try execute(
        """
        INSERT INTO "apus_log_origin" ("database", "sequence") \
        VALUES (\(database), \(position.number)) ON CONFLICT ("database") \
        DO UPDATE SET "sequence" = max("sequence", excluded."sequence")
        """)
    }
    try execute(
      """
      INSERT INTO "apus_log_applied" ("database", "epoch", "sequence") \
      VALUES (\(database), \(position.epoch), \(position.number)) ON CONFLICT ("database", "epoch") \
      DO UPDATE SET "sequence" = max("sequence", excluded."sequence")
      """)
  }

  /// Deletes the oldest rows of `apus_log_applied`, which list epochs of other databases. Rows of
  /// epochs whose transactions the log still has are kept.
  ///
  /// A database begins an epoch with its first write after each opening. If the other database sent
  /// a transaction whose epoch was deleted here, the transaction would be applied a second time.
  /// This is rare, because `purgeLogEpochs` keeps the same number of epochs in the log of the other
  /// database.
  ///
  /// Rowids increase in the order in which the epochs arrived, so they show which epochs are the
  /// oldest.
  func purgeAppliedEpochs() throws {
    try withLogOrigins(()) {
      try execute(
        """
        DELETE FROM "apus_log_applied" WHERE "rowid" IN (SELECT "id" FROM (SELECT "rowid" AS "id", \
        row_number() OVER (PARTITION BY "database" ORDER BY "rowid" DESC) AS "place" \
        FROM "apus_log_applied" WHERE "database" IN (SELECT "database" FROM "apus_log_applied" \
        GROUP BY "database" HAVING count(*) > \(Self.keptEpochs))) WHERE "place" > \
        \(Self.keptEpochs)) AND ("database", "epoch") NOT IN (SELECT "origin", "originEpoch" \
        FROM "apus_log_entry" WHERE "originEpoch" IS NOT NULL \
        AND "sequence" > (SELECT "purged" FROM "apus_log"))
        """)
    }
  }

  // MARK: Batches

  /// Returns whether a transaction was made in this database, or was already applied to it.
  func has(_ transaction: LogTransaction, identity: String) throws -> Bool {
    let origin = transaction.origin
    if origin.database == identity, try hasLogPosition(origin.position) { return true }
    return try hasApplied(origin.position, of: origin.database)
  }

  /// Returns whether a batch has transactions that are not applied yet; false if the whole batch
  /// was already applied. Throws if transactions between the applied position and the batch are
  /// missing, or if the source no longer has the applied position.
  func continues(_ batch: LogBatch, after position: LogPosition) throws -> Bool {
    let missing = LogError.missingTransactions(
      source: batch.source, after: position, before: batch.start)
    guard position != .start else {
      guard batch.start == .start else { throw missing }
      return batch.end != .start
    }
    let epochs = batch.epochs ?? [LogPosition(1, in: 0)]
    guard let index = epochs.firstIndex(where: { $0.epoch == position.epoch }) else {
      // The batch does not contain the epoch of the applied position. There are two possible
      // reasons: the batch was applied long ago, or transactions before the batch are missing.
      let identity = try logIdentity()
      for transaction in batch.transactions where try !has(transaction, identity: identity) {
        throw missing
      }
      return false
    }
    if index + 1 < epochs.count, position.number >= epochs[index + 1].number {
      throw LogError.unknownPosition(position, newest: batch.end, database: batch.source)
    }
    guard batch.start.number <= position.number else { throw missing }
    return batch.end.number > position.number
  }

  func noteAppliedBatch(_ batch: LogBatch) throws {
    var origin = try logOrigin(batch.source)
    // A batch with relayed transactions also contains the transactions that were made in the source
    // itself. So it can also advance the position `own`.
    if !batch.isRelaying || origin.own.number < batch.end.number { origin.own = batch.end }
    if batch.isRelaying { origin.relayed = batch.end }
    try setLogOrigin(batch.source, own: origin.own, relayed: origin.relayed)
  }

  /// Returns the shape with the most columns among the logged shapes of a table. Ignores shapes
  /// with columns that the table no longer has. Returns nil if no shape is left.
  private func logShape(of table: AppliedTable) throws -> LogShape? {
    try logShapes().values.filter { shape in
      shape.table.isSame(as: table.name) && shape.columns.allSatisfy { table.has($0) }
    }.max { ($0.columns.count, $0.id) < ($1.columns.count, $1.id) }
  }

  /// Ends an entry with changes that arrived from another database earlier and had to wait. The
  /// entry stores the number of their transaction with a minus sign. Another entry already stores
  /// the number itself: the entry in which the transaction arrived.
  func endLogEntry(applyingLate transaction: LogTransaction) throws {
    try execute(
      """
      UPDATE "apus_log_entry" SET "isOpen" = 0, "origin" = \(transaction.origin.database), \
      "originSequence" = \(-transaction.origin.sequence), \
      "originEpoch" = \(transaction.origin.position.epoch), "time" = \(transaction.time), \
      "latest" = max("time", \(transaction.time)), \
      "label" = \(transaction.label), "author" = \(transaction.author) WHERE "sequence" = \(unsafe: LogTables.newest)
      """)
  }

  /// Ends the entry of a transaction that was made in another database.
  func endLogEntry(applying transaction: LogTransaction) throws {
    let origin = transaction.origin
    try execute(
      """
      UPDATE "apus_log_entry" SET "isOpen" = 0, "origin" = \(origin.database), \
      "originSequence" = \(origin.sequence), "originEpoch" = \(origin.position.epoch), \
      "time" = \(transaction.time), "latest" = max("time", \(transaction.time)), \
      "label" = \(transaction.label), "author" = \(transaction.author) \
      WHERE "sequence" = \(unsafe: LogTables.newest)
      """)
    try noteApplied(origin.position, of: origin.database)
  }

  /// Records in the log which values a change from another database set, or that it deleted the
  /// row. The record is needed even if the row already had these values or no longer existed: if
  /// two values conflict, the time of the change decides which of them is newer.
  ///
  /// - Parameter existed: for an insertion, whether the row already existed. If it did not, the
  ///   log's triggers have recorded the insertion, and this method records nothing.
  func markInLog(_ change: AnyLogChange, in table: AppliedTable?, existed: Bool) throws {
    guard change.kind != .inserted || existed, let table, let shape = try logShape(of: table)
    else { return }
    var names: [String] = []
    var values: SQL = ""
    for index in shape.key {
      guard let place = change.shape.index(of: shape.columns[index]),
        let key = change.shape.key.firstIndex(of: place)
      else { return }
      let value = change.keyValues[key]
      names += [LogTables.valueColumns(index).old, LogTables.valueColumns(index).new]
      values.append(", \(value), \(value)")
    }
    for index in shape.columns.indices
    where change.kind != .deleted && !shape.key.contains(index) {
      guard let place = change.shape.index(of: shape.columns[index]),
        let value = change.newValues[place]
      else { continue }
      names += [LogTables.valueColumns(index).old, LogTables.valueColumns(index).new]
      values.append(", 1, \(value)")
    }
    let kind: LogNetting.Kind =
      switch change.kind {
      case .inserted: .put
      case .updated: .set
      case .deleted: .gone
      }
    let columns = names.map { "\"\($0)\"" }.joined(separator: ", ")
    try execute(
      """
      INSERT INTO "apus_log_change" ("entry", "shape", "kind", \(unsafe: columns)) \
      VALUES (\(unsafe: LogTables.newest), \(shape.id), \(kind.rawValue)\(values))
      """)
  }
}
