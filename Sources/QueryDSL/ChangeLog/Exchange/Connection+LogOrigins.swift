import SQLCore

extension Connection {
  /// Notes that this database has the rows of another one, as they were at a position of its log.
  /// The next batch to apply begins after it.
  ///
  /// ```swift
  /// let position = try connection.logPosition()              // there, in the read of the rows
  /// try tx.setAppliedLogPosition(position, of: identity)     // here, in the write of the copy
  /// ```
  /// It is how an exchange continues after `LogError.expired` and `LogError.incomplete`. The position
  /// never moves back. Throws `LogError.noLog` if no migration has created the log. Three statements.
  public func setAppliedLogPosition(_ position: Int64, of source: String) throws {
    _ = try logIdentity()
    try createLogOrigins()
    try noteApplied(of: source, own: position, relayed: position, sequence: position)
  }

  /// Returns the identity of the database.
  func logIdentity() throws -> String {
    try withLog { try row(#"SELECT "identity" FROM "apus_log""#)?.get(at: 0) ?? "" }
  }

  /// Creates the table of the databases from which transactions were applied.
  func createLogOrigins() throws {
    try execute(SQL(unsafe: LogTables.originCreation))
  }

  /// Returns the position in the log of a database up to which its own transactions were applied,
  /// or also those that it relayed.
  func appliedLogPosition(of source: String, relaying: Bool) throws -> Int64 {
    try originNumber(relaying ? "relayed" : "position", of: source)
  }

  /// Returns the number of the last transaction of a database that was applied, whoever sent it.
  func appliedSequence(of database: String) throws -> Int64 {
    try originNumber("sequence", of: database)
  }

  private func originNumber(_ column: String, of database: String) throws -> Int64 {
    do {
      return try row(
        """
        SELECT \(identifier: column) FROM "apus_log_origin" WHERE "database" = \(database)
        """)?.get(at: 0) ?? 0
    } catch LogError.noLog {
      return 0
    } catch let error as DatabaseError where error.message.hasPrefix("no such table") {
      return 0
    }
  }

  func noteAppliedBatch(_ batch: LogBatch) throws {
    try noteApplied(
      of: batch.source, own: batch.end, relayed: batch.isRelaying ? batch.end : 0, sequence: 0)
  }

  private func noteApplied(
    of database: String, own: Int64, relayed: Int64, sequence: Int64
  ) throws {
    try execute(
      """
      INSERT INTO "apus_log_origin" ("database", "position", "relayed", "sequence") \
      VALUES (\(database), \(own), \(relayed), \(sequence)) \
      ON CONFLICT ("database") DO UPDATE SET "position" = max("position", excluded."position"), \
      "relayed" = max("relayed", excluded."relayed"), \
      "sequence" = max("sequence", excluded."sequence")
      """)
  }

  func beginLogEntry() throws {
    try withLog { try execute(SQL(unsafe: LogTables.opening)) }
  }

  /// Ends the entry of a transaction that was made in another database.
  func endLogEntry(applying transaction: LogTransaction) throws {
    let origin = transaction.origin
    try execute(
      """
      UPDATE "apus_log_entry" SET "isOpen" = 0, "origin" = \(origin.database), \
      "originSequence" = \(origin.sequence), "time" = \(transaction.time), \
      "label" = \(transaction.label), "author" = \(transaction.author) \
      WHERE "sequence" = \(unsafe: LogTables.newest)
      """)
    try execute(
      """
      INSERT INTO "apus_log_origin" ("database", "sequence") \
      VALUES (\(origin.database), \(origin.sequence)) \
      ON CONFLICT ("database") DO UPDATE SET "sequence" = excluded."sequence"
      """)
  }

  /// Notes what a change from elsewhere set or deleted, whether or not that made a difference,
  /// because its time counts.
  func markInLog(_ change: AnyLogChange) throws {
    let shape = change.shape
    guard change.kind != .inserted,
      try row(#"SELECT 1 FROM "apus_log_shape" WHERE "id" = \#(shape.id)"#) != nil
    else { return }
    var names: [String] = []
    var values: SQL = ""
    for (index, value) in zip(shape.key, change.keyValues) {
      names += [LogTables.valueColumns(index).old, LogTables.valueColumns(index).new]
      values.append(", \(value), \(value)")
    }
    for index in shape.columns.indices
    where change.kind == .updated && !shape.key.contains(index) {
      guard let value = change.newValues[index] else { continue }
      names += [LogTables.valueColumns(index).old, LogTables.valueColumns(index).new]
      values.append(", 1, \(value)")
    }
    let kind = change.kind == .updated ? LogNetting.Kind.set : .gone
    let columns = names.map { "\"\($0)\"" }.joined(separator: ", ")
    try execute(
      """
      INSERT INTO "apus_log_change" ("entry", "shape", "kind", \(unsafe: columns)) \
      VALUES (\(unsafe: LogTables.newest), \(shape.id), \(kind.rawValue)\(values))
      """)
  }
}
