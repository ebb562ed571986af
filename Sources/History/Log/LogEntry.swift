import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An entry of the change log. It has the changes that one transaction made in the logged tables,
/// with the time, the label and the author of the transaction.
///
/// ```swift
/// for entry in try db.log.entries(after: position, limit: 100) {
///   print(entry.date, entry.author ?? "", entry.changes(of: Post.self).count)
/// }
/// ```
public struct LogEntry: Sendable, Identifiable {
  /// The origin of a transaction that was applied from another database: the database, and the
  /// position in its log.
  public struct Origin: Hashable, Sendable {
    /// The identity of the other database.
    public let database: String
    /// The position of the transaction in the log of that database. Some changes of the transaction
    /// may have had to wait before they could be applied. They are in a separate entry, whose
    /// `origin` has the same position.
    public let position: LogPosition
    /// Whether this is the separate entry for the changes that had to wait before they could be
    /// applied.
    var isLate = false

    /// The number of the transaction in the other database.
    public var sequence: Int64 { position.number }
  }

  /// The position of the entry, which identifies the transaction in all copies of the file. A
  /// reader of the log continues after this position.
  public let position: LogPosition
  /// The time in microseconds since 1970, by the clock of the program that wrote the entry. A
  /// `Date` is less exact.
  let time: Int64
  /// The label, as in `db.write(label: "import") { … }`; nil without a label.
  public let label: String?
  /// The author, as in `connection.setLogAuthor("ada")`; nil without an author.
  public let author: String?
  /// The origin of the transaction; nil if the transaction was made in this database.
  public let origin: Origin?
  /// The schema version of the program that last migrated the file before the transaction; nil if
  /// the program declares no version.
  public let schemaVersion: Int?
  /// The number of the entry that the transaction undoes; nil if the transaction undoes no entry. A
  /// redo also has such a number, because it undoes the entry of the undo. `History.skip` writes an
  /// entry without changes, in which this is the number of the skipped entry.
  public let undoneSequence: Int64?
  /// The name of a table whose earlier changes are not all in the log; nil in most entries.
  ///
  /// A migration writes an entry with a gap in three cases:
  ///
  /// - It begins to log a table that exists already.
  /// - It changes values of a logged table by a rebuild, which fires no triggers.
  /// - It finds that a trigger or a column of the log was missing.
  ///
  /// A reader of the log then needs a full copy of the table.
  public let gap: String?
  /// The net changes of the transaction, in the order in which the rows were first changed.
  public let changes: [AnyLogChange]

  /// The number of the entry. Later transactions of a log have greater numbers, and some numbers
  /// may be missing. After a file is restored from a backup, other transactions get the same
  /// numbers again; a `position` stays unique.
  public var sequence: Int64 { position.number }

  /// The position of the entry.
  public var id: LogPosition { position }

  /// The time by the clock of the program that wrote the entry, in milliseconds. If the transaction
  /// was made in this database, the time is later than the times of all earlier entries. A
  /// transaction from another database keeps its original time.
  public var date: Date { Date(timeIntervalSince1970: Double(time) / 1_000_000) }

  /// Returns the changes of a model's table, in the order in which the rows were first changed.
  ///
  /// ```swift
  /// for change in entry.changes(of: Post.self) {
  ///   print(change.kind, try change.key, try change.new(\.$title))
  /// }
  /// ```
  /// Changes that were logged under a former name of the table are not included.
  public func changes<M: Model>(of model: M.Type) -> [LogChange<M>] {
    let name = M.tableName
    return changes.filter { $0.table.isSame(as: name) }.map {
      LogChange(row: $0, sequence: sequence)
    }
  }
}

/// The position of an entry in the change log of a database. A reader continues after this entry.
///
/// ```swift
/// let position = try connection.logPosition()
/// UserDefaults.standard.set("\(position)", forKey: "position")
/// let next = try db.log.entries(after: LogPosition("\(position)") ?? .start)
/// ```
/// A position has the number of the entry and its epoch. The number is not enough, because other
/// transactions get the same numbers after a file is restored from a backup. A new epoch begins
/// with the first write after each opening of a file, and after a restore into an open database. If
/// the log does not have the entry of a position, `LogError.unknownPosition` is thrown.
///
/// In JSON, a position is its text, as in `"c2a51f0e99d3b784:12"`. An integer is a position from an
/// older version of the library, whose logs had no epochs; 0 is the beginning of every log.
public struct LogPosition: Hashable, Sendable {
  /// The epoch; 0 for `start`, and for entries that an older version without epochs wrote.
  let epoch: Int64
  /// The number of the entry. Later entries of a log have greater numbers, and some numbers may be
  /// missing.
  public let number: Int64

  init(_ number: Int64, in epoch: Int64) {
    // The number is limited, because a damaged file or batch may contain any number, even a
    // negative one.
    self.number = max(number, 0)
    self.epoch = number > 0 ? epoch : 0
  }

  /// The position before the first entry of a log. It is the same for all logs.
  public static let start = LogPosition(0, in: 0)
}

extension LogPosition: ExpressibleByIntegerLiteral {
  /// Creates a position without an epoch, as logs of older versions of the library have it. 0 is
  /// the beginning of every log.
  public init(integerLiteral number: Int64) { self.init(max(number, 0), in: 0) }
}

extension LogPosition: LosslessStringConvertible {
  /// Reads a position from its text; nil if the text is not a position.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard let number = parts.last.flatMap({ Int64($0) }), number >= 0 else { return nil }
    switch parts.count {
    case 1: self.init(number, in: 0)
    case 2:
      guard let bits = UInt64(parts[0], radix: 16), number > 0 else { return nil }
      self.init(number, in: Int64(bitPattern: bits))
    default: return nil
    }
  }

  /// The epoch in hexadecimal digits and the number, as in `c2a51f0e99d3b784:12`. If the epoch is
  /// 0, the text has only the number.
  public var description: String {
    epoch == 0 ? "\(number)" : "\(String(UInt64(bitPattern: epoch), radix: 16)):\(number)"
  }
}

extension LogPosition: Codable {
  /// Decodes a position from its text, or from an integer that an older version without epochs
  /// wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self.init(integerLiteral: number)
      return
    }
    guard let position = LogPosition(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no position of a change log")
    }
    self = position
  }

  /// Encodes the position as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ChangeLog {
  /// The name of the table that gets a row for each transaction.
  static var entryTable: String { LogTables.entry }
}

extension Connection {
  /// Returns the number of the newest entry, whether or not it is finished; 0 if the log is empty.
  func newestLogSequence() throws -> Int64 {
    try withLog {
      try row(#"SELECT coalesce(max("sequence"), 0) FROM "apus_log_entry""#)?.get(at: 0) ?? 0
    }
  }

  /// Returns the position of the newest entry, whether or not it is finished.
  func newestLogPosition() throws -> LogPosition {
    try withLog { try logPosition(ofEntry: newestLogSequence()) }
  }

  /// Returns the number up to which the log was purged.
  func purgedLogPosition() throws -> Int64 {
    try withLog { try row(#"SELECT "purged" FROM "apus_log""#)?.get(at: 0) ?? 0 }
  }

  /// Returns the entry with a number; nil if it does not exist, or was purged.
  func logEntry(_ sequence: Int64) throws -> LogEntry? {
    guard sequence > (try purgedLogPosition()) else { return nil }
    let entry = try withLog {
      try logEntries(afterNumber: sequence - 1, limit: 1, withMarks: false).first
    }
    return entry?.sequence == sequence ? entry : nil
  }

  /// Begins an entry of the log, unless one is open.
  func beginLogEntry() throws {
    try withLatestTimes { try withLog { try execute(SQL(unsafe: LogTables.opening)) } }
  }

  /// Runs a closure that reads the column `latest` of the entries. In a log of format 1, the column
  /// is missing. In this case, adds the column, and runs the closure again. Migrations change
  /// format 1 to the present format, but the log has format 1 again after an old backup is
  /// restored.
  private func withLatestTimes<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.message == "no such column: e.latest" {
      for sql in LogTables.latestWidening { try execute(SQL(unsafe: sql)) }
      return try body()
    }
  }

  /// If the latest time of the log is so late that no later time could be stored, replaces it by an
  /// earlier time, so that the log can be written again. Does not change a log of format 1.
  func limitLatestLogTime() throws {
    do {
      try execute(SQL(unsafe: LogTables.latestLimiting))
    } catch let error as DatabaseError where error.message.hasPrefix("no such column") {}
  }

  /// Returns an entry number such that all entries with smaller numbers are older than the given
  /// time. Returns nil if all entries of the log are older.
  ///
  /// Entries from other databases keep their times, so the times of the entries are not sorted. But
  /// each entry also stores the latest time of all entries up to it. These times are sorted, so a
  /// binary search finds the number and reads only a few entries.
  func firstLogEntry(since time: Int64) throws -> Int64? {
    try withLatestTimes {
      var (low, high) = (Int64(1), try newestLogSequence())
      var found: Int64?
      while low <= high {
        let middle = low + (high - low) / 2
        let row = try row(
          """
          SELECT e."sequence", coalesce(e."latest", e."time") FROM "apus_log_entry" AS e \
          WHERE e."sequence" >= \(middle) ORDER BY e."sequence" LIMIT 1
          """)
        guard let row else { return found }
        let number = try row.get(Int64.self, at: 0)
        if try row.get(Int64.self, at: 1) < time {
          guard number < high else { return found }
          low = number + 1
        } else {
          found = number
          high = middle - 1
        }
      }
      return found
    }
  }

  /// Ends the open entry of the log, if there is one.
  func endLogEntry() throws {
    try withLog { try execute(SQL(unsafe: LogTables.closing)) }
  }

  /// Ends the entry of a transaction that undoes an earlier one, and stores the number of the
  /// earlier entry. The entry is written even if no row has changed.
  func endLogEntry(undoing sequence: Int64, label: String?, author: String?) throws {
    try withLog {
      try beginLogEntry()
      try execute(
        """
        UPDATE "apus_log_entry" SET "isOpen" = 0, "undoes" = \(sequence), "label" = \(label), \
        "author" = \(author) WHERE "sequence" = \(unsafe: LogTables.newest)
        """)
    }
  }
}
