import SQLCore

extension ChangeLog {
  /// The size of a change log at one moment, and the positions of its readers.
  public struct Status: Hashable, Sendable {
    /// The position of the newest entry; `.start` if there never was one.
    public let position: LogPosition
    /// The number of entries that were not purged.
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
  /// An entry that is not finished is not counted. Throws `LogError.noLog` if the database has no
  /// log. Five statements, and one for each cursor; counting reads the rows of all
  /// entries.
  public func status() throws -> Status {
    try database.read { try $0.logStatus() }
  }

  /// Returns the size of the log and the positions of its cursors, from asynchronous code.
  public func status() async throws -> Status {
    try await database.read { try $0.logStatus() }
  }

  /// Returns the newest entries, in order: at most `limit`.
  ///
  /// ```swift
  /// for entry in try db.log.newestEntries(limit: 20).reversed() { … }
  /// ```
  ///
  /// It is like `entries(after:limit:)`, from the other end. Returns no entry if the log is empty
  /// or was purged.
  public func newestEntries(limit: Int = 100) throws -> [LogEntry] {
    try endForeignEntry()
    return try database.read { try $0.newestLogEntries(limit: limit) }
  }

  /// Returns the newest entries, from asynchronous code.
  public func newestEntries(limit: Int = 100) async throws -> [LogEntry] {
    try await endForeignEntry()
    return try await database.read { try $0.newestLogEntries(limit: limit) }
  }
}

extension Connection {
  fileprivate func logStatus() throws -> ChangeLog.Status {
    let position = try logPosition()
    let count = try withLog {
      try row(#"SELECT count(*) FROM "apus_log_entry" WHERE NOT "isOpen""#)?.get(Int.self, at: 0)
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
