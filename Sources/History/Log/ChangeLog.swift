import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The change log of a database: the transactions that changed its logged tables, in order.
///
/// ```swift
/// for entry in try db.log.entries(after: position) {
///   for change in entry.changes(of: Post.self) { … }
/// }
/// ```
///
/// The log is stored in the same database. Triggers write it in the transaction that changes the
/// data, so the log has exactly the committed transactions, of all programs. A model is logged if
/// its schema declares `Logged()`.
public struct ChangeLog: Sendable {
  let database: Database

  /// Returns at most `limit` entries after a position, in order.
  ///
  /// If another program has left an entry open, its next transaction would be added to the same
  /// entry. In this case, this method first ends the entry in a separate write, and also returns
  /// it. In all other cases, this method only reads.
  ///
  /// Throws `LogError.expired` if entries after the position were purged. Throws
  /// `LogError.unknownPosition` if the log does not have the entry of the position, for example
  /// after a restore. Throws `LogError.noLog` if the database has no log.
  public func entries(
    after position: LogPosition = .start, limit: Int = 100
  ) throws -> [LogEntry] {
    try endForeignEntry()
    return try database.read { try $0.logEntries(after: position, limit: limit) }
  }

  /// Returns the entries after a position. This is the asynchronous form.
  public func entries(
    after position: LogPosition = .start, limit: Int = 100
  ) async throws -> [LogEntry] {
    try await endForeignEntry()
    return try await database.read { try $0.logEntries(after: position, limit: limit) }
  }

  // MARK: Entries of other programs

  private static func hasOpenEntry(_ connection: Connection) throws -> Bool {
    try connection.withLog {
      try connection.row(
        #"SELECT "isOpen" FROM "apus_log_entry" ORDER BY "sequence" DESC LIMIT 1"#)?
        .get(Bool.self, at: 0) ?? false
    }
  }

  /// Ends the entry that another program left open. A database that is opened read-only leaves the
  /// entry open.
  func endForeignEntry() throws {
    guard !database.configuration.isReadOnly, try database.read(Self.hasOpenEntry) else { return }
    try database.execute(SQL(unsafe: LogTables.closing))
  }

  /// Ends the entry that another program left open. This is the asynchronous form.
  func endForeignEntry() async throws {
    guard !database.configuration.isReadOnly, try await database.read({ try Self.hasOpenEntry($0) })
    else { return }
    try await database.execute(SQL(unsafe: LogTables.closing))
  }
}

extension Database {
  /// The change log of the tables whose models declare `Logged()`.
  public var log: ChangeLog { ChangeLog(database: self) }
}

extension ChangeLog {
  /// The size of a change log at one moment, and the positions of its readers.
  public struct Status: Hashable, Sendable {
    /// The position of the newest finished entry; `.start` if there never was one.
    public let position: LogPosition
    /// The number of finished entries that were not purged.
    public let count: Int
    /// The position of the last entry that each named reader has passed.
    public let cursors: [String: LogPosition]
    /// The changes from other databases that wait until they can be applied.
    public let waiting: LogWaiting
  }

  /// Returns the size of the log and the positions of its cursors.
  ///
  /// ```swift
  /// let status = try db.log.status()
  /// for (name, position) in status.cursors {
  ///   print(name, status.position.number - position.number)
  /// }
  /// ```
  ///
  /// An unfinished entry is not counted. Throws `LogError.noLog` if the database has no log. Runs
  /// five statements, and one for each cursor. To count the entries, SQLite reads the row of each
  /// entry.
  public func status() throws -> Status {
    try database.read { try $0.logStatus() }
  }

  /// Returns the size of the log and the positions of its cursors. This is the asynchronous form.
  public func status() async throws -> Status {
    try await database.read { try $0.logStatus() }
  }

  /// Returns at most `limit` of the newest entries, in order: the newest entry is the last.
  ///
  /// ```swift
  /// for entry in try db.log.newestEntries(limit: 20).reversed() { … }
  /// ```
  ///
  /// If another program left an entry open, this method ends the entry, as `entries(after:limit:)`
  /// does. The result is empty if the log is empty or was purged.
  public func newestEntries(limit: Int = 100) throws -> [LogEntry] {
    try endForeignEntry()
    return try database.read { try $0.newestLogEntries(limit: limit) }
  }

  /// Returns the newest entries. This is the asynchronous form.
  public func newestEntries(limit: Int = 100) async throws -> [LogEntry] {
    try await endForeignEntry()
    return try await database.read { try $0.newestLogEntries(limit: limit) }
  }
}

/// The changes from other databases that wait in this database, because they cannot be applied yet.
///
/// The database file stores these changes. Each opening with a logged model, and each arriving
/// batch, applies the changes whose missing object exists now. If a change was received with a
/// built-in policy, this policy is stored with the change, and decides about conflicts when the
/// change is applied.
public struct LogWaiting: Hashable, Sendable {
  /// The missing object for which changes have to wait.
  public enum Reason: Hashable, Sendable {
    /// The table does not exist in this database, is not logged, or has another key.
    case table(String)
    /// The table does not have the column.
    case column(String, table: String)
    /// Rows of `table` refer to rows of this parent table that do not exist.
    case parent(String, table: String)
    /// The changes update rows of the table that do not exist yet, because the insertion of the
    /// rows waits as well.
    case row(table: String)
  }

  /// The number of changes that wait for each reason.
  public let reasons: [Reason: Int]

  /// The number of changes that wait.
  public var count: Int { reasons.values.reduce(0, +) }
}

extension LogWaiting: CustomStringConvertible {
  /// The waiting changes and their reasons, in a sentence.
  public var description: String {
    guard count > 0 else { return "no change waits" }
    let parts = reasons.sorted { $0.value > $1.value }.map { "\($0.value) for \($0.key)" }
    return "\(count) \(count == 1 ? "change waits" : "changes wait"): "
      + parts.sorted().joined(separator: "; ")
  }
}

extension LogWaiting.Reason: CustomStringConvertible {
  /// The missing object, in words.
  public var description: String {
    switch self {
    case .table(let table):
      "the table \(table), which this database lacks, does not log, or has with another key"
    case .column(let column, let table):
      "the column \(column) of \(table), which this database does not have"
    case .parent(let parent, let table):
      "rows of \(parent) to which rows of \(table) refer"
    case .row(let table): "rows of \(table) whose insertion waits"
    }
  }
}

extension Connection {
  fileprivate func logStatus() throws -> ChangeLog.Status {
    let position = try logPosition()
    let count = try withLog {
      try row(
        """
        SELECT count(*) FROM "apus_log_entry" WHERE NOT "isOpen" \
        AND "sequence" > (SELECT "purged" FROM "apus_log")
        """)?.get(Int.self, at: 0)
    }
    var numbers: [String: Int64] = [:]
    try forEach(#"SELECT "name", "sequence" FROM "apus_log_cursor""#) { row in
      numbers[try row.get(String.self, at: 0)] = try row.get(Int64.self, at: 1)
    }
    let cursors = try numbers.mapValues { try logPosition(ofEntry: $0) }
    return ChangeLog.Status(
      position: position, count: count ?? 0, cursors: cursors, waiting: try logWaiting())
  }

  fileprivate func newestLogEntries(limit: Int) throws -> [LogEntry] {
    guard limit > 0 else { return [] }
    let before = try withLog {
      try row(
        """
        SELECT "sequence" FROM "apus_log_entry" WHERE NOT "isOpen" \
        ORDER BY "sequence" DESC LIMIT 1 OFFSET \(limit)
        """)?.get(Int64.self, at: 0)
    }
    let start = try before ?? purgedLogPosition()
    return try withLog { try logEntries(afterNumber: start, limit: limit, withMarks: false) }
  }
}

extension ChangeLog {
  /// Gives the database a new identity, and returns the identity. Call this method in a copy of a
  /// file before the first write to the copy. The file and its copy can then exchange transactions.
  ///
  /// ```swift
  /// try db.backup(to: path)
  /// let copy = try Database(path: path, models: [Post.self])
  /// try copy.log.renewIdentity()
  /// ```
  /// From then on, the transactions that are already in the copy count as applied transactions of
  /// the original file. The copy does not send them as its own or apply them again, and a `History`
  /// over the copy's log begins after them. Runs one transaction, whose cost grows with the number
  /// of entries in the log. Throws `LogError.noLog` if the database has no log.
  @discardableResult
  public func renewIdentity() throws -> String {
    try database.write { try $0.renewLogIdentity() }
  }

  /// Gives the database a new identity. This is the asynchronous form.
  @discardableResult
  public func renewIdentity() async throws -> String {
    try await database.write { try $0.renewLogIdentity() }
  }
}

extension Connection {
  fileprivate func renewLogIdentity() throws -> String {
    let former = try logIdentity()
    try endLogEntry()
    let position = try logPosition()
    try setAppliedLogPosition(position, of: former)
    let epochs = try logEpochs(from: 0, through: position.number)
    for (index, first) in epochs.enumerated() {
      let end = index + 1 < epochs.count ? epochs[index + 1].number - 1 : position.number
      try noteApplied(LogPosition(end, in: first.epoch), of: former)
      try execute(
        """
        UPDATE "apus_log_entry" SET "origin" = \(former), "originSequence" = "sequence", \
        "originEpoch" = \(first.epoch) WHERE "origin" IS NULL AND "gap" IS NULL \
        AND "sequence" BETWEEN \(first.number) AND \(end)
        """)
    }
    try execute(#"UPDATE "apus_log" SET "identity" = lower(hex(randomblob(16)))"#)
    return try logIdentity()
  }
}
