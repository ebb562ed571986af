import QueryDSL
import SQLCore

/// A named reader of the change log. Its position is stored in the database.
///
/// ```swift
/// let cursor = try db.log.cursor("search")
/// for entry in try cursor.next() {
///   …
///   try cursor.advance(past: entry)
/// }
/// ```
///
/// A purge keeps an entry until all cursors have passed it, unless `passingCursors` is true. So
/// remove a cursor that is no longer used.
public struct LogCursor: Sendable {
  /// The name of the cursor.
  public let name: String
  let log: ChangeLog

  /// Returns the position of the last entry that the cursor has passed. Throws
  /// `LogError.unknownCursor` if the cursor was removed. Runs two statements.
  public func position() throws -> LogPosition {
    try log.database.read { try $0.logPosition(ofCursor: name) }
  }

  /// Returns the position of the last entry that the cursor has passed. This is the asynchronous
  /// form.
  public func position() async throws -> LogPosition {
    let name = name
    return try await log.database.read { try $0.logPosition(ofCursor: name) }
  }

  /// Returns the next entries, without moving the cursor. Call `advance(past:)` after you have
  /// processed an entry.
  ///
  /// Throws `LogError.expired` if some of the entries were purged, and `LogError.unknownCursor` if
  /// the cursor was removed.
  public func next(limit: Int = 100) throws -> [LogEntry] {
    try log.entries(after: position(), limit: limit)
  }

  /// Returns the next entries, without moving the cursor. This is the asynchronous form.
  public func next(limit: Int = 100) async throws -> [LogEntry] {
    try await log.entries(after: position(), limit: limit)
  }

  /// Moves the cursor past an entry. A cursor never moves back.
  ///
  /// Throws `LogError.unknownPosition` if the log no longer has the entry, for example after a
  /// restore, and `LogError.unknownCursor` if the cursor was removed.
  public func advance(past entry: LogEntry) throws {
    try log.database.write { try $0.advanceLogCursor(name, past: entry) }
  }

  /// Moves the cursor past an entry. This is the asynchronous form.
  public func advance(past entry: LogEntry) async throws {
    let name = name
    try await log.database.write { try $0.advanceLogCursor(name, past: entry) }
  }

  /// Removes the cursor, so that it no longer holds back a purge.
  public func remove() throws {
    try log.database.execute(#"DELETE FROM "apus_log_cursor" WHERE "name" = \#(name)"#)
  }

  /// Removes the cursor. This is the asynchronous form.
  public func remove() async throws {
    try await log.database.execute(#"DELETE FROM "apus_log_cursor" WHERE "name" = \#(name)"#)
  }
}

extension ChangeLog {
  /// Returns the cursor with a name. Creates the cursor if it does not exist.
  ///
  /// Without a position, a new cursor begins before the oldest entry of the log. With a position, a
  /// new or existing cursor is moved to this position. A program that copies the logged tables lets
  /// the cursor begin at the position of its copy: it calls `logPosition()` in the read that makes
  /// the copy, and passes the result. Runs one write. Throws `LogError.noLog` if the database has
  /// no log, and `LogError.unknownPosition` if the log does not have the position.
  public func cursor(
    _ name: String, startingAfter position: LogPosition? = nil
  ) throws -> LogCursor {
    try database.write { try $0.createLogCursor(name, position) }
    return LogCursor(name: name, log: self)
  }

  /// Returns the cursor with a name. Creates the cursor if it does not exist. This is the
  /// asynchronous form.
  public func cursor(
    _ name: String, startingAfter position: LogPosition? = nil
  ) async throws -> LogCursor {
    try await database.write { try $0.createLogCursor(name, position) }
    return LogCursor(name: name, log: self)
  }
}

extension Connection {
  /// Moves a cursor of the change log past an entry. Call this method in the transaction that
  /// processes the entry, so that the processing and the move are committed together.
  ///
  /// The cursor is stored in the file, so a restore from a backup moves it back with the log.
  /// Throws `LogError.unknownCursor` if no cursor has that name, and `LogError.unknownPosition` if
  /// the log no longer has the entry, for example after a restore. Runs five statements.
  public func advanceLogCursor(_ name: String, past entry: LogEntry) throws {
    try withLog {
      let position = try logPosition(ofCursor: name)
      try requireKnownLogPosition(entry.position)
      guard position.number < entry.sequence else { return }
      try execute(
        """
        UPDATE "apus_log_cursor" SET "sequence" = \(entry.sequence) WHERE "name" = \(name)
        """)
    }
  }

  fileprivate func logPosition(ofCursor name: String) throws -> LogPosition {
    try withLog {
      let row = try row(#"SELECT "sequence" FROM "apus_log_cursor" WHERE "name" = \#(name)"#)
      guard let row else { throw LogError.unknownCursor(name) }
      return try logPosition(ofEntry: row.get(Int64.self, at: 0))
    }
  }

  fileprivate func createLogCursor(_ name: String, _ position: LogPosition?) throws {
    try withLog {
      if let position {
        try requireKnownLogPosition(position)
        try execute(
          #"INSERT OR REPLACE INTO "apus_log_cursor" VALUES (\#(name), \#(position.number))"#)
      } else {
        try execute(
          """
          INSERT OR IGNORE INTO "apus_log_cursor" SELECT \(name), "purged" FROM "apus_log"
          """)
      }
    }
  }
}
