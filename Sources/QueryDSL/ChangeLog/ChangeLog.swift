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
/// The log is in the database and is written by triggers, in the transaction of the data. So it has
/// exactly the transactions that were committed, by whichever program. A model is logged if its
/// schema declares `Logged()`.
public struct ChangeLog: Sendable {
  package let database: Database

  /// Returns the entries after a position, in order; at most `limit`.
  ///
  /// If another program has left an entry open, to which its next transaction would add, the entry
  /// is ended by a write of its own and returned. Otherwise this is one read.
  ///
  /// Throws `LogError.expired` if entries after the position were purged,
  /// `LogError.unknownPosition` if the log does not have the entry of the position, as after a
  /// restore, and `LogError.noLog` if the database has no log.
  public func entries(
    after position: LogPosition = .start, limit: Int = 100
  ) throws -> [LogEntry] {
    try endForeignEntry()
    return try database.read { try $0.logEntries(after: position, limit: limit) }
  }

  /// Returns the entries after a position, from asynchronous code.
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

  /// Ends the entry that another program left open. A database that is open for reading only leaves
  /// it as it is.
  package func endForeignEntry() throws {
    guard !database.configuration.isReadOnly, try database.read(Self.hasOpenEntry) else { return }
    try database.execute(SQL(unsafe: LogTables.closing))
  }

  /// Ends the entry that another program left open, from asynchronous code.
  package func endForeignEntry() async throws {
    guard !database.configuration.isReadOnly, try await database.read({ try Self.hasOpenEntry($0) })
    else { return }
    try await database.execute(SQL(unsafe: LogTables.closing))
  }
}

extension Database {
  /// The change log of the tables whose models declare `Logged()`.
  public var log: ChangeLog { ChangeLog(database: self) }
}
