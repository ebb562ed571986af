import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ChangeLog {
  /// The bounds for the entries that a purge keeps: their greatest age, number and size. If several
  /// bounds are set, an entry is kept only if it is within all of them.
  public struct Bounds: Hashable, Sendable {
    /// The greatest age of an entry, by the clock of the program that wrote the entry; nil for any
    /// age.
    public var age: Duration?
    /// The greatest number of entries; nil for any number.
    public var count: Int?
    /// The greatest size of all logged values in bytes, approximately; nil for any size. With this
    /// bound, a purge reads the newest entries up to this size.
    public var bytes: Int?

    /// Creates bounds. If no bound is set, the whole log is kept.
    public init(age: Duration? = nil, count: Int? = nil, bytes: Int? = nil) {
      self.age = age
      self.count = count
      self.bytes = bytes
    }
  }

  /// Deletes the oldest entries that are outside of the bounds, and returns their number.
  ///
  /// ```swift
  /// try db.log.purge(keeping: .init(age: .seconds(7 * 86_400), count: 100_000))
  /// ```
  /// An entry stays until every cursor has passed it. An entry also stays if a change from another
  /// database still waits and is older than the entry. With `passingCursors`, both rules are
  /// ignored: a cursor that has not passed a deleted entry throws `LogError.expired` from then on.
  ///
  /// Runs one transaction, whose cost grows with the number of deleted entries. Throws
  /// `LogError.noLog` if the database has no log.
  @discardableResult
  public func purge(keeping bounds: Bounds, passingCursors: Bool = false) throws -> Int {
    try database.write { try $0.purgeLog(keeping: bounds, passingCursors) }
  }

  /// Deletes the oldest entries that are outside of the bounds. This is the asynchronous form.
  @discardableResult
  public func purge(keeping bounds: Bounds, passingCursors: Bool = false) async throws -> Int {
    try await database.write { try $0.purgeLog(keeping: bounds, passingCursors) }
  }
}

extension Connection {
  fileprivate func purgeLog(
    keeping bounds: ChangeLog.Bounds, _ passingCursors: Bool
  ) throws -> Int {
    try withLog {
      if try hasWaitingChanges() {
        var tables = PresentTables(on: self, try use().presentNames)
        try endWaitingForDeletedRows(in: &tables)
      }
      let newest = try logPosition().number
      var end: Int64 = 0
      if let age = bounds.age { end = max(end, try lastEntry(olderThan: age) ?? newest) }
      if let count = bounds.count {
        let last = try logNumber(
          """
          SELECT "sequence" FROM "apus_log_entry" WHERE NOT "isOpen" \
          ORDER BY "sequence" DESC LIMIT 1 OFFSET \(max(count, 0))
          """)
        end = max(end, last ?? 0)
      }
      if let bytes = bounds.bytes { end = max(end, try lastEntry(beyond: bytes)) }
      end = min(end, newest)
      if !passingCursors {
        end = min(end, try logNumber(#"SELECT min("sequence") FROM "apus_log_cursor""#) ?? end)
        end = min(end, try lastEntryBeforeWaiting() ?? end)
      }
      return try deleteLogEntries(upTo: end)
    }
  }

  private func logNumber(_ sql: SQL) throws -> Int64? {
    try row(sql)?.get(Int64?.self, at: 0)
  }

  /// Returns a number such that all entries up to this number are older than `age`. Returns nil if
  /// all entries of the log are older.
  private func lastEntry(olderThan age: Duration) throws -> Int64? {
    let (seconds, attoseconds) = age.components
    let interval = Double(seconds) + Double(attoseconds) / 1e18
    let time = (Date().timeIntervalSince1970 - interval) * 1_000_000
    // If the age is very long, the start may be outside the range of `Int64`, so it is limited.
    let start = Int64(min(max(time, -9e18), 9e18))
    return try firstLogEntry(since: start).map { $0 - 1 }
  }

  /// Adds up the sizes of the entries, from the newest to the oldest. Returns the number of the
  /// first entry with which the sum exceeds `bytes`; 0 if all entries together do not exceed it.
  private func lastEntry(beyond bytes: Int) throws -> Int64 {
    let columns = try rows(#"SELECT name FROM pragma_table_info('apus_log_change')"#)
      .map { try $0.get(String.self, at: 0) }.dropFirst(LogTables.changeColumns.count)
    let length = columns.map { "coalesce(length(CAST(\"\($0)\" AS BLOB)), 0)" }
      .joined(separator: " + ")
    var sum = 0
    var end: Int64 = 0
    let statement = try prepare(
      SQL(
        unsafe: "SELECT \"entry\", \(columns.isEmpty ? "0" : length) FROM \"apus_log_change\" "
          + "ORDER BY \"id\" DESC"))
    while end == 0, try statement.step() {
      sum += try statement.get(Int.self, at: 1)
      if sum > bytes { end = try statement.get(Int64.self, at: 0) }
    }
    try statement.reset()
    return end
  }

  private func deleteLogEntries(upTo end: Int64) throws -> Int {
    let count =
      try logNumber(
        """
        SELECT count(*) FROM "apus_log_entry" WHERE "sequence" <= \(end) \
        AND "sequence" > (SELECT "purged" FROM "apus_log")
        """) ?? 0
    guard count > 0 else { return 0 }
    // The newest entry and the newest change always stay, because the next entry and the next
    // change continue their numbers. The next entry also needs the time of the newest entry,
    // because its own time must be greater.
    try execute(
      """
      DELETE FROM "apus_log_change" WHERE "id" < coalesce((SELECT "firstChange" \
      FROM "apus_log_entry" WHERE "sequence" > \(end) ORDER BY "sequence" LIMIT 1), \
      9223372036854775807) AND "id" < (SELECT max("id") FROM "apus_log_change")
      """)
    try execute(
      """
      DELETE FROM "apus_log_entry" WHERE "sequence" <= \(end) \
      AND "sequence" < \(unsafe: LogTables.newest)
      """)
    try execute(#"UPDATE "apus_log" SET "purged" = max("purged", \#(end))"#)
    try purgeLogEpochs(upTo: end)
    try purgeWaiting(upTo: end)
    return Int(count)
  }
}
