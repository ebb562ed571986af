import QueryDSL
import SQLCore

// An epoch is the part of a change log from its first entry up to the next epoch. Each opening of a
// file begins an epoch with its first write, and gives the epoch a random number. So the epoch and
// the number of an entry together identify a transaction in all copies of the file. If another
// program has begun an epoch since, both programs write into the newest epoch.

extension LogPosition {
  /// Creates the position of the entry with a number, and finds its epoch in `epochs`. `epochs` has
  /// the first position of each epoch, in order.
  init(_ number: Int64, among epochs: [LogPosition]) {
    self.init(number, in: epochs.last { $0.number <= number }?.epoch ?? 0)
  }
}

extension Connection {
  /// The number of epochs, counted from the newest one, whose records a purge always keeps. The
  /// number applies to the epochs of this log, and separately to the epochs of each database from
  /// which transactions were applied.
  static let keptEpochs = 10_000

  /// Returns the first position of each epoch that has entries between two numbers, in order.
  func logEpochs(from start: Int64, through end: Int64) throws -> [LogPosition] {
    try withEpochs([LogPosition(1, in: 0)]) {
      var epochs: [LogPosition] = []
      try forEach(
        """
        SELECT "first", "epoch" FROM "apus_log_epoch" WHERE "first" <= \(end) AND "first" >= \
        coalesce((SELECT max("first") FROM "apus_log_epoch" WHERE "first" <= \(start)), 0) \
        ORDER BY "first"
        """
      ) { row in
        epochs.append(LogPosition(try row.get(at: 0), in: try row.get(at: 1)))
      }
      return epochs
    }
  }

  /// Returns the position of the entry with a number.
  func logPosition(ofEntry number: Int64) throws -> LogPosition {
    LogPosition(number, among: try logEpochs(from: number, through: number))
  }

  /// Returns the number up to which the log was purged, and the number of the newest entry, whether
  /// or not that entry is finished.
  private func logEnds() throws -> (purged: Int64, newest: Int64) {
    let row = try row(
      #"SELECT "purged", (SELECT max("sequence") FROM "apus_log_entry") FROM "apus_log""#)
    let purged = try row?.get(Int64.self, at: 0) ?? 0
    return (purged, max(try row?.get(Int64?.self, at: 1) ?? 0, purged))
  }

  /// Returns whether the log has the entry at a position, or had the entry before it was purged.
  func hasLogPosition(_ position: LogPosition) throws -> Bool {
    try hasLogPosition(position, newest: logEnds().newest)
  }

  private func hasLogPosition(_ position: LogPosition, newest: Int64) throws -> Bool {
    guard position.number > 0 else { return true }
    guard position.number <= newest else { return false }
    return try withEpochs(position.epoch == 0) {
      try row(
        """
        SELECT 1 FROM "apus_log_epoch" WHERE "epoch" = \(position.epoch) AND "first" = (SELECT \
        max("first") FROM "apus_log_epoch" WHERE "first" <= \(position.number))
        """) != nil
    }
  }

  /// Throws `LogError.unknownPosition` if the log has no entry at the position.
  func requireKnownLogPosition(_ position: LogPosition) throws {
    guard try !hasLogPosition(position) else { return }
    throw try unknownLogPosition(position)
  }

  /// Throws `LogError.expired` if entries after the position were purged, and
  /// `LogError.unknownPosition` if the log has no entry at the position.
  func requireLogPosition(_ position: LogPosition) throws {
    let (purged, newest) = try logEnds()
    guard position.number >= purged else {
      throw LogError.expired(position: position, purged: try logPosition(ofEntry: purged))
    }
    guard try !hasLogPosition(position, newest: newest) else { return }
    throw try unknownLogPosition(position)
  }

  private func unknownLogPosition(_ position: LogPosition) throws -> LogError {
    .unknownPosition(position, newest: try logPosition(), database: try logIdentity())
  }

  /// Runs a closure that reads the table of the epochs. If the file does not have this table,
  /// returns `missing`. Such a file was only written by versions of the library that had no epochs.
  private func withEpochs<Result>(_ missing: Result, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError
      where error.message.hasPrefix("no such table: \(LogTables.epoch)")
    {
      return missing
    }
  }

  /// Deletes the records of old epochs whose entries were all purged, for this log and for other
  /// databases. If nothing were deleted, the file would grow each time that a database is opened
  /// and written. The newest `keptEpochs` are always kept.
  func purgeLogEpochs(upTo purged: Int64) throws {
    try withEpochs(()) {
      try execute(
        """
        DELETE FROM "apus_log_epoch" WHERE "first" < (SELECT max("first") FROM "apus_log_epoch" \
        WHERE "first" <= \(purged)) AND "first" < (SELECT "first" FROM "apus_log_epoch" \
        ORDER BY "first" DESC LIMIT 1 OFFSET \(Self.keptEpochs))
        """)
      try purgeAppliedEpochs()
    }
  }
}

extension ConnectionCore {
  /// Returns the number of the present epoch. If the log has the epoch `known`, this is the present
  /// epoch. Otherwise, a new epoch begins. If the last statement has ended an entry, this entry is
  /// the first one of the new epoch. If not, the epoch begins with the next entry.
  func noteLogEpoch(_ known: Int64?) throws -> Int64 {
    let hasEnded = changeCount > 0
    let connection = lend()
    do {
      return try connection.noteLogEpoch(known, hasEnded)
    } catch let error as DatabaseError
      where error.message.hasPrefix("no such table: \(LogTables.epoch)")
    {
      for sql in LogTables.epochCreation { try connection.execute(SQL(unsafe: sql)) }
      let column = try connection.row(
        "SELECT 1 FROM pragma_table_info('apus_log_entry') WHERE name = 'originEpoch'")
      if column == nil { try connection.execute(SQL(unsafe: LogTables.entryWidening)) }
      return try connection.noteLogEpoch(known, hasEnded)
    }
  }
}

extension Connection {
  fileprivate func noteLogEpoch(_ known: Int64?, _ hasEnded: Bool) throws -> Int64 {
    if let known,
      try row(#"SELECT 1 FROM "apus_log_epoch" WHERE "epoch" = \#(known)"#) != nil
    {
      return known
    }
    let epoch = Int64.random(in: 1 ... .max)
    // If the last epoch has no entries, the new epoch begins with the same entry number. In this
    // case, REPLACE deletes the record of the last epoch.
    try execute(
      """
      INSERT OR REPLACE INTO "apus_log_epoch" ("first", "epoch") \
      SELECT max(coalesce((SELECT max("sequence") FROM "apus_log_entry"), 0), "purged") \
      + \(hasEnded ? 0 : 1), \(epoch) FROM "apus_log"
      """)
    try limitLatestLogTime()
    return epoch
  }
}
