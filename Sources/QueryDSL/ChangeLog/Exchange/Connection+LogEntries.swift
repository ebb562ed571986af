import SQLCore

extension ChangeLog {
  /// The name of the table that gets a row for each transaction.
  package static var entryTable: String { LogTables.entry }
}

extension Connection {
  /// Returns the number of the newest entry, whether or not it is finished; 0 if there is none.
  package func newestLogSequence() throws -> Int64 {
    try withLog {
      try row(#"SELECT coalesce(max("sequence"), 0) FROM "apus_log_entry""#)?.get(at: 0) ?? 0
    }
  }

  /// Returns the position of the newest entry, whether or not it is finished.
  package func newestLogPosition() throws -> LogPosition {
    try withLog { try logPosition(ofEntry: newestLogSequence()) }
  }

  /// Returns the number up to which the log was purged.
  package func purgedLogPosition() throws -> Int64 {
    try withLog { try row(#"SELECT "purged" FROM "apus_log""#)?.get(at: 0) ?? 0 }
  }

  /// Returns the entry with a number; nil if it does not exist, or was purged.
  package func logEntry(_ sequence: Int64) throws -> LogEntry? {
    guard sequence > (try purgedLogPosition()) else { return nil }
    let entry = try withLog {
      try logEntries(afterNumber: sequence - 1, limit: 1, withMarks: false).first
    }
    return entry?.sequence == sequence ? entry : nil
  }

  /// Ends the open entry of the log, if there is one.
  package func endLogEntry() throws {
    try withLog { try execute(SQL(unsafe: LogTables.closing)) }
  }

  /// Ends the entry of a transaction that undoes another one. It is written even if no row changed.
  package func endLogEntry(undoing sequence: Int64, label: String?, author: String?) throws {
    try withLog {
      try execute(SQL(unsafe: LogTables.opening))
      try execute(
        """
        UPDATE "apus_log_entry" SET "isOpen" = 0, "undoes" = \(sequence), "label" = \(label), \
        "author" = \(author) WHERE "sequence" = \(unsafe: LogTables.newest)
        """)
    }
  }
}
